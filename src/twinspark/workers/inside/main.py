"""Runs PySpark's `worker.main` with the serializers of pickled rows replaced by Arrow ones (runs inside a worker)."""

from importlib import import_module
from typing import IO

from twinspark.workers.inside.rows import hide_from_tracebacks, read_udfs, report_fall_backs


def main(infile: IO[bytes], outfile: IO[bytes]) -> None:
    """PySpark's worker is imported after the fork: the threads of pyarrow and pandas would not survive it."""
    from pyspark import worker

    from twinspark.workers.inside.planners import work_in_the_files
    from twinspark.workers.inside.table_rows import read_udtf

    work_in_the_files(worker)
    if not hasattr(worker, "twinspark_read_udfs"):
        worker.twinspark_read_udfs = worker.read_udfs
        worker.read_udfs = read_udfs
        worker.twinspark_read_udtf = worker.read_udtf
        worker.read_udtf = read_udtf
        hide_from_tracebacks(import_module("pyspark.util"))
        report_fall_backs(worker)
    worker.main(infile, outfile)
