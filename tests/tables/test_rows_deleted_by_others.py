"""Tables in which other writers deleted rows by place or by value are read without them, and written without them."""

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.typedef import Record
from pyspark.sql.types import LongType, StringType, StructType

sys.path.insert(0, str(Path(__file__).parent))

from other_writer import delete_by_vectors, delete_rows, delete_values

from twinspark.tables.catalog import Identifier, TableSpec, Version
from twinspark.tables.changes import RenameColumn
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import MergeAction
from twinspark.tables.iceberg.maintenance import Choice, compact
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.spark_scan import spark_query
from twinspark.tables.transforms import Identity

T = Identifier.of("db", "t")
SCHEMA = StructType().add("id", LongType()).add("s", StringType())


@pytest.fixture
def merged(catalog: IcebergCatalog, duck: Any) -> IcebergCatalog:
    """Two files of ten rows, of which the third of the first and the last two of the second are deleted."""
    catalog.create_table(T, TableSpec(SCHEMA))
    for first in (0, 10):
        with catalog.stage_append(T) as write:
            write.write(duck, f"SELECT range AS id, 's' || range AS s FROM range({first}, {first + 10})")
            write.commit()
    table = catalog.load(T)
    files = {task.file.lower_bounds[1][0]: task.file.file_path for task in table.scan().plan_files()}
    delete_rows(table, [(files[0], 2)])
    delete_rows(catalog.load(T), sorted([(files[10], 8), (files[10], 9)]))
    return catalog


def ids(catalog: IcebergCatalog, duck: Any, version: Version | None = None) -> list[int]:
    scan = duck_scan(catalog.load_table(T).scan(version=version))
    return [id for (id,) in duck.sql(f"SELECT id FROM {scan} ORDER BY id").fetchall()]


LEFT = [each for each in range(18) if each != 2]


def test_deleted_rows_are_not_read(merged: IcebergCatalog, duck: Any) -> None:
    assert ids(merged, duck) == LEFT
    before = merged.load(T).metadata.snapshots[1].snapshot_id
    assert ids(merged, duck, Version(snapshot=str(before))) == list(range(20))


def test_columns_may_be_renamed_and_rows_come_in(merged: IcebergCatalog, duck: Any) -> None:
    merged.alter_table(T, [RenameColumn(("id",), "key"), RenameColumn(("s",), "id")])
    with merged.stage_append(T) as write:
        write.write(duck, "SELECT 100 AS key, 'new' AS id")
        write.commit()
    scan = duck_scan(merged.load_table(T).scan())
    found = duck.sql(f"SELECT key, id FROM {scan} ORDER BY key").fetchall()
    assert found == [*((each, f"s{each}") for each in LEFT), (100, "new")]


def test_files_with_deleted_rows_are_rewritten_without_them(merged: IcebergCatalog, duck: Any) -> None:
    assert dml.delete(merged, T, duck, "id in (1, 2, 12)") == 2
    left = [each for each in LEFT if each not in (1, 12)]
    assert ids(merged, duck) == left
    dml.update(merged, T, duck, {"id": "id + 100"}, "id = 3")
    assert ids(merged, duck) == sorted([*(each for each in left if each != 3), 103])
    compact(merged, T, duck, Choice(everything=True))
    assert ids(merged, duck) == sorted([*(each for each in left if each != 3), 103])
    assert sum(task.file.record_count for task in merged.load(T).scan().plan_files()) == len(left)


def test_a_merge_does_not_meet_deleted_rows(merged: IcebergCatalog, duck: Any) -> None:
    values = {"id": "s.id", "s": "'merged'"}
    merge = dml.Merge(
        "SELECT range AS id FROM range(1, 3)", "t.id = s.id", [MergeAction(values)], [MergeAction(values)]
    )
    dml.merge(merged, T, duck, merge)
    scan = duck_scan(merged.load_table(T).scan())
    assert ids(merged, duck) == sorted([*LEFT, 2])
    assert duck.sql(f"SELECT id FROM {scan} WHERE s = 'merged' ORDER BY id").fetchall() == [(1,), (2,)]


def test_all_rows_may_be_replaced(merged: IcebergCatalog, duck: Any) -> None:
    with merged.stage_overwrite(T) as write:
        write.write(duck, "SELECT 7 AS id, 'seven' AS s")
        write.commit()
    assert ids(merged, duck) == [7]


def test_rows_deleted_by_their_values(merged: IcebergCatalog, duck: Any) -> None:
    delete_values(merged.load(T), pa.table({"id": [0, 11, 2]}), "id")
    left = [each for each in LEFT if each not in (0, 11)]
    assert ids(merged, duck) == left
    with merged.stage_append(T) as write:  # what comes later is not concerned
        write.write(duck, "SELECT 11 AS id, CAST(NULL AS VARCHAR) AS s")
        write.commit()
    assert ids(merged, duck) == sorted([*left, 11])
    delete_values(merged.load(T), pa.table({"id": [11, 17], "s": pa.array([None, "other"])}), "id", "s")
    assert ids(merged, duck) == left
    merged.alter_table(T, [RenameColumn(("id",), "key"), RenameColumn(("s",), "id")])
    scan = duck_scan(merged.load_table(T).scan())
    assert [key for (key,) in duck.sql(f"SELECT key FROM {scan} ORDER BY key").fetchall()] == left
    assert dml.delete(merged, T, duck, "key in (0, 1)") == 1


def test_a_partition_of_values_concerns_its_own(catalog: IcebergCatalog, duck: Any) -> None:
    catalog.create_table(T, TableSpec(SCHEMA, [Identity(("s",))]))
    with catalog.stage_append(T) as write:
        write.write(duck, "SELECT 1 AS id, 'a' AS s UNION ALL SELECT 1, 'b'")
        write.commit()
    delete_values(catalog.load(T), pa.table({"id": [1]}), "id", partition=Record("a"))
    assert duck.sql(f"SELECT s FROM {duck_scan(catalog.load_table(T).scan())}").fetchall() == [("b",)]


def test_deletion_vectors(merged: IcebergCatalog, duck: Any) -> None:
    files = {task.file.lower_bounds[1][0]: task.file.file_path for task in merged.load(T).scan().plan_files()}
    delete_by_vectors(merged.load(T), {files[0]: [0, 1], files[10]: [0, 9]})
    left = [each for each in LEFT if each not in (0, 1, 10)]
    assert ids(merged, duck) == left
    assert dml.delete(merged, T, duck, "id in (0, 5)") == 1
    assert ids(merged, duck) == [each for each in left if each != 5]


@pytest.mark.spark
def test_spark_does_not_read_them_either(merged: IcebergCatalog, real_spark: Any) -> None:
    files = {task.file.lower_bounds[1][0]: task.file.file_path for task in merged.load(T).scan().plan_files()}
    delete_values(merged.load(T), pa.table({"id": [0], "s": ["s0"]}), "id", "s")
    delete_by_vectors(merged.load(T), {files[0]: [1]})
    found = real_spark.sql(f"SELECT id FROM ({spark_query(merged.load_table(T).scan())}) ORDER BY id").collect()
    assert [row.id for row in found] == LEFT[2:]
