"""What tables cost, in CPU seconds: partitioned CTAS against DuckDB's own COPY, commits, planning, small appends.

`python bench/tables.py [rows]` prints one line per measure.
"""

import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
from pyiceberg.conversions import to_bytes
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.typedef import Record
from pyiceberg.types import LongType as IcebergLong
from pyiceberg.types import TimestamptzType
from pyspark.sql.types import DecimalType, LongType, StringType, StructField, StructType, TimestampType

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.predicates import Comparison
from twinspark.tables.transforms import Day

T = Identifier.of("db", "t")
SCHEMA = StructType([
    StructField("id", LongType()), StructField("ts", TimestampType()), StructField("v", DecimalType(12, 2)),
    StructField("s", StringType()),
])  # fmt: skip
START = datetime(2024, 1, 1, tzinfo=UTC)


def cpu(work: Callable[[], Any]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def select(rows: int, days: int = 100) -> str:
    return (
        "SELECT range AS id, TIMESTAMPTZ '2024-01-01 00:00:00+00'"
        f" + to_seconds(range * {days * 86400} // {rows}) AS ts,"
        f" CAST(range % 100000 AS DECIMAL(12,2)) / 100 AS v, 'name-' || (range * 7919 % 1000) AS s FROM range({rows})"
    )


def create_as_select(catalog: IcebergCatalog, duck: Any, rows: int) -> None:
    with catalog.stage_create_or_replace(T, TableSpec(SCHEMA, [Day(("ts",))])) as write:
        write.write(duck, select(rows))
        write.commit()


def plain_copy(duck: Any, rows: int, directory: str) -> None:
    duck.execute(
        f"COPY (SELECT id, ts, CAST(v AS DECIMAL(12,2)) AS v, s, CAST(ts AS DATE) AS d FROM ({select(rows)}))"
        f" TO '{directory}/plain' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (d))"
    ).fetchall()


def synthetic_files(count: int, directory: str, spec_id: int) -> list[DataFile]:
    """Files that exist in metadata only: enough to plan by."""
    return [synthetic_file(at, directory, spec_id) for at in range(count)]


def synthetic_file(at: int, directory: str, spec_id: int) -> DataFile:
    low = int((START + timedelta(hours=at)).timestamp() * 1_000_000)
    made = DataFile.from_args(
        content=DataFileContent.DATA, file_path=f"{directory}/{uuid.uuid4()}.parquet", file_format=FileFormat.PARQUET,
        partition=Record(low // 86_400_000_000), record_count=1000, file_size_in_bytes=10_000, column_sizes={},
        value_counts={1: 1000, 2: 1000}, null_value_counts={1: 0, 2: 0}, nan_value_counts={},
        lower_bounds={1: to_bytes(IcebergLong(), at * 1000), 2: to_bytes(TimestamptzType(), low)},
        upper_bounds={1: to_bytes(IcebergLong(), at * 1000 + 999), 2: to_bytes(TimestamptzType(), low + 3_599_999_999)},
        split_offsets=None, equality_ids=None, key_metadata=None, sort_order_id=None,
    )  # fmt: skip
    made.spec_id = spec_id
    return made


def plan_many(catalog: IcebergCatalog, count: int) -> tuple[float, float]:
    """Planning of a table of `count` files, first and again, for one of its days."""
    many = Identifier.of("db", f"many{count}")
    catalog.create_table(many, TableSpec(SCHEMA, [Day(("ts",))]))
    write = catalog.stage_append(many)
    write.files = synthetic_files(count, write.target.directory, write.target.spec.spec_id)
    write._commit(write)
    table = catalog.load_table(many)
    wanted = Comparison(">=", ("ts",), START + timedelta(hours=count - 24))
    first = cpu(lambda: table.scan(wanted))
    again = min(cpu(lambda: table.scan(wanted)) for _ in range(5))
    assert len(table.scan(wanted).files) == 24
    return first, again


def commit_files(catalog: IcebergCatalog, count: int) -> float:
    """The commit alone, of files that are written already; best of five."""
    costs = []
    for at in range(5):
        name = Identifier.of("db", f"committed{at}")
        catalog.create_table(name, TableSpec(SCHEMA, [Day(("ts",))]))
        write = catalog.stage_append(name)
        write.files = synthetic_files(count, write.target.directory, write.target.spec.spec_id)
        costs.append(cpu(lambda write=write: write._commit(write)))
    return min(costs)


def small_appends(catalog: IcebergCatalog, duck: Any, times: int) -> tuple[float, float]:
    """CPU of the first ten and the last ten of many one-row appends."""
    small = Identifier.of("db", "small")
    catalog.create_table(small, TableSpec(SCHEMA))

    def append() -> None:
        with catalog.stage_append(small) as write:
            write.write(duck, "SELECT 1 AS id, NULL AS ts, NULL AS v, 'x' AS s")
            write.commit()

    costs = [cpu(append) for _ in range(times)]
    return sum(costs[:10]) / 10, sum(costs[-10:]) / 10


def main(rows: int) -> None:
    directory = tempfile.mkdtemp()
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    catalog = IcebergCatalog.local("spark_catalog", f"{directory}/catalog")
    catalog.create_namespace(["db"])
    try:
        copied = cpu(lambda: plain_copy(duck, rows, directory))
        created = cpu(lambda: create_as_select(catalog, duck, rows))
        ratio = f"{created / copied:.2f} times"
        print(f"CTAS of {rows:,} rows by day: {created:.2f} s CPU; {ratio} DuckDB's own COPY, {copied:.2f}")
        for count in (100, 1_000, 10_000):
            first, again = plan_many(catalog, count)
            print(f"planning {count:,} files: first {first * 1000:.0f} ms, again {again * 1000:.1f} ms")
        print(f"commit of 100 files: {commit_files(catalog, 100) * 1000:.0f} ms")
        early, late = small_appends(catalog, duck, 100)
        print(f"one-row appends: {early * 1000:.0f} ms each at first, {late * 1000:.0f} ms after a hundred")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
