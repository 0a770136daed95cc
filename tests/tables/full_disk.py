"""Writes that the disk has no room for: `python full_disk.py DIRECTORY LIMIT` tries each on a catalog that is there.

LIMIT is the largest file this process may write (0: whatever the disk takes). Prints "operation condition" for each.
"""

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

sys.path.insert(0, str(Path(__file__).parent))

from killed_writer import NEW, SCHEMA, T

from twinspark.errors import SparkError
from twinspark.tables.catalog import TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import Merge, MergeAction, merge

# Nothing that compression could make small.
BIG = "SELECT range AS id, sha256(range::VARCHAR) || md5(range::VARCHAR) AS v FROM range(300000)"


def staged(stage: Callable[[], Any], duck: Any) -> None:
    with stage() as write:
        write.write(duck, BIG)
        write.commit()


def merged(catalog: IcebergCatalog, duck: Any) -> None:
    action = MergeAction({"id": "s.id", "v": "s.v"})
    merge(catalog, T, duck, Merge(BIG, "t.id = s.id", [action], [action]))


def operations(catalog: IcebergCatalog, duck: Any) -> dict[str, Callable[[], None]]:
    return {
        "create": lambda: staged(lambda: catalog.stage_create(NEW, TableSpec(SCHEMA)), duck),
        "replace": lambda: staged(lambda: catalog.stage_replace(T, TableSpec(SCHEMA)), duck),
        "append": lambda: staged(lambda: catalog.stage_append(T), duck),
        "overwrite": lambda: staged(lambda: catalog.stage_overwrite(T), duck),
        "merge": lambda: merged(catalog, duck),
    }


def said(work: Callable[[], None]) -> str:
    try:
        work()
    except SparkError as error:
        return error.condition
    return "done"


if __name__ == "__main__":
    directory, limit = sys.argv[1], int(sys.argv[2])
    duck = duckdb.connect(config={"threads": "1"})
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for name, work in operations(IcebergCatalog.local("spark_catalog", directory), duck).items():
        print(name, said(work), flush=True)
