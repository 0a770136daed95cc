"""Inside a planning worker: the one of PySpark's that the environment names, in the directory of its session."""

import os
from importlib import import_module
from typing import IO, Any

from twinspark.pythons.workers import MODULE


def main(infile: IO[bytes], outfile: IO[bytes]) -> None:
    work_in_the_files(import_module("pyspark.sql.worker.utils"))
    import_module(os.environ[MODULE]).main(infile, outfile)


def work_in_the_files(module: Any) -> None:
    """Spark starts its workers where the session's files are, so that functions find them by relative names."""
    set_up = module.setup_spark_files
    if hasattr(module, "twinspark_set_up"):
        return

    def set_up_here(infile: IO[bytes]) -> None:
        set_up(infile)
        from pyspark.core.files import SparkFiles

        os.chdir(SparkFiles.getRootDirectory())

    module.twinspark_set_up = True
    module.setup_spark_files = set_up_here
