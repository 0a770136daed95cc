"""Runs the planning worker of PySpark that the environment names, in its session's directory (runs inside a worker)."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any

from twinspark.workers.processes import DIRECTORY, MODULE


def main(infile: IO[bytes], outfile: IO[bytes]) -> None:
    work_in_the_files(import_module("pyspark.sql.worker.utils"))
    import_module(os.environ[MODULE]).main(infile, outfile)


def work_in_the_files(module: Any) -> None:
    """Spark starts its workers in the directory of the session's files, so that functions open them by relative
    paths."""
    set_up = module.setup_spark_files
    if hasattr(module, "twinspark_set_up"):
        return

    def set_up_here(infile: IO[bytes]) -> None:
        link_files(paths_added(lambda: set_up(infile))[0])

    module.twinspark_set_up = True
    module.setup_spark_files = set_up_here


def paths_added(set_up: Callable[[], None]) -> list[str]:
    """What the set-up puts on sys.path: the directory of the session's files is the first. PySpark has its name in
    SparkFiles, which the package pyspark-client does not contain."""
    added: list[str] = []
    worker_util: Any = import_module("pyspark.worker_util")
    add_path = worker_util.add_path

    def note_and_add(path: str) -> Any:
        added.append(path)
        return add_path(path)

    worker_util.add_path = note_and_add
    try:
        set_up()
    finally:
        worker_util.add_path = add_path
    return added


def link_files(directory: str) -> None:
    """Links the files into the worker's own directory, which is another one: what a function writes must not become a
    module."""
    os.chdir(os.environ[DIRECTORY])
    for name in os.listdir(directory):
        if not os.path.lexists(name):
            os.symlink(os.path.join(directory, name), name)
