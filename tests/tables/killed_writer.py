"""Runs one write in a child process that kills itself at a chosen point; used by the crash tests.

One interpreter, many deaths: each line "operation, directory, point" of standard input (a tab between them) runs in a
fork, made before any thread is started, and what became of it is printed: "9" is the death that was wished for.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import duckdb
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql.types import LongType, StringType, StructField, StructType
from sqlalchemy.orm import Session

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.iceberg import datafile, staged_write
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import Merge, MergeAction, merge
from twinspark.tables.iceberg.sqlite_catalog import DurableFiles, LocalCatalog
from twinspark.tables.store import Store

T, NEW = Identifier.of("db", "t"), Identifier.of("db", "new")
SCHEMA = StructType([StructField("id", LongType()), StructField("v", StringType())])
ROWS = "SELECT range AS id, 'new' AS v FROM range(10, 15)"


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(owner: Any, name: str) -> None:
    setattr(owner, name, die)


def after(owner: Any, name: str) -> None:
    original = getattr(owner, name)

    def dying(*arguments: Any, **named: Any) -> Any:
        original(*arguments, **named)
        die()

    setattr(owner, name, dying)


POINTS: dict[str, Callable[[], None]] = {
    "before the files": lambda: before(staged_write, "copy_sql"),
    "after the files": lambda: before(staged_write, "data_files"),
    "before the sync": lambda: before(staged_write, "sync_files"),
    "after the sync": lambda: after(staged_write, "sync_files"),
    "before the manifests": lambda: before(DurableFiles, "new_output"),
    "before the metadata": lambda: before(SqlCatalog, "_update_and_stage_table"),
    "after the metadata": lambda: after(LocalCatalog, "_write_metadata"),
    "before the transaction ends": lambda: before(Session, "commit"),
    "after the commit": lambda: before(Store, "end_write"),
}


def write(catalog: IcebergCatalog, duck: Any, operation: str) -> None:
    if operation == "merge":
        action = MergeAction({"id": "s.id", "v": "s.v"})
        merge(catalog, T, duck, Merge(f"{ROWS} UNION ALL SELECT 1, 'new'", "t.id = s.id", [action], [action]))
        return
    stage = {
        "create": lambda: catalog.stage_create(NEW, TableSpec(SCHEMA)),
        "replace": lambda: catalog.stage_replace(T, TableSpec(SCHEMA)),
        "append": lambda: catalog.stage_append(T),
        "overwrite": lambda: catalog.stage_overwrite(T),
    }[operation]()
    stage.write(duck, ROWS)
    stage.commit()


def run(operation: str, directory: str, point: str) -> None:
    assert datafile.copy_sql is staged_write.copy_sql
    catalog = IcebergCatalog.local("spark_catalog", directory)
    POINTS[point]()
    write(catalog, duckdb.connect(config={"threads": "1"}), operation)


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(*line.rstrip("\n").split("\t"))
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)
