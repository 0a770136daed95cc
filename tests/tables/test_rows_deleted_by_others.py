"""Tables in which another writer deleted rows by position are read without them; changes of their rows are refused."""

import sys
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.manifest import DataFileContent
from pyspark.sql.types import LongType, StringType, StructType

sys.path.insert(0, str(Path(__file__).parent))

from other_writer import delete_rows
from table_rows import Rows

from twinspark.errors import NotNative
from twinspark.tables.catalog import Identifier, Version
from twinspark.tables.changes import RenameColumn
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.maintenance import compact
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.spark_scan import spark_query

T = Identifier.of("db", "t")
SCHEMA = StructType().add("id", LongType()).add("s", StringType())


@pytest.fixture
def merged(catalog: IcebergCatalog, duck: Any) -> IcebergCatalog:
    """Two files of ten rows, of which the third of the first and the last two of the second are deleted."""
    catalog.create_table(T, SCHEMA)
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


def test_files_with_deleted_rows_are_not_rewritten(merged: IcebergCatalog, duck: Any, rows: Rows) -> None:
    for change in (lambda: dml.delete(merged, T, duck, "id = 1"), lambda: compact(merged, T, duck)):
        with pytest.raises(NotNative):
            change()
    with pytest.raises(NotNative):
        merged.stage_overwrite(T)
    assert ids(merged, duck) == LEFT


def test_rows_deleted_by_value_are_left_to_spark(merged: IcebergCatalog) -> None:
    delete_rows(merged.load(T), [("nowhere", 0)], DataFileContent.EQUALITY_DELETES)
    with pytest.raises(NotNative):
        merged.load_table(T).scan()


@pytest.mark.spark
def test_spark_does_not_read_them_either(merged: IcebergCatalog, real_spark: Any) -> None:
    found = real_spark.sql(f"SELECT id FROM ({spark_query(merged.load_table(T).scan())}) ORDER BY id").collect()
    assert [row.id for row in found] == LEFT
