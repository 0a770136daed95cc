"""DELETE, UPDATE, MERGE and overwrites: right rows, one snapshot each, untouched files left alone."""

from typing import Any

import pytest
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.changes import AddColumn, RenameColumn
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import (
    Merge,
    MergeAction,
    delete,
    merge,
    overwrite_partitions,
    overwrite_where,
    update,
)
from twinspark.tables.predicates import Comparison
from twinspark.tables.transforms import Month

T = Identifier.of("db", "t")
SCHEMA = StructType([StructField("id", LongType()), StructField("v", StringType()), StructField("d", DateType())])


@pytest.fixture()
def table(catalog: IcebergCatalog, duck: Any) -> IcebergCatalog:
    """Three months, a file each."""
    catalog.create_table(T, TableSpec(SCHEMA, [Month(("d",))]))
    with catalog.stage_append(T) as write:
        write.write(
            duck,
            "SELECT range AS id, 'v' || range AS v, DATE '2020-01-01' + to_months(CAST(range % 3 AS INT)) AS d"
            " FROM range(9)",
        )
        write.commit()
    return catalog


def files(catalog: IcebergCatalog) -> set[str]:
    return set(catalog.load_table(T).scan().files)


def snapshots(catalog: IcebergCatalog) -> int:
    return len(catalog.load_table(T).table.snapshots())


def test_delete_some(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    before = files(table)
    assert delete(table, T, duck, "id = 4", Comparison("=", ("id",), 4)) == 1
    assert rows(T, "id") == [(0,), (1,), (2,), (3,), (5,), (6,), (7,), (8,)]
    assert len(before & files(table)) == 2 and snapshots(table) == 2


def test_delete_whole_partition_writes_nothing(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    before = files(table)
    assert delete(table, T, duck, "d = DATE '2020-02-01'") == 3
    assert files(table) < before and len(files(table)) == 2
    assert rows(T, "id") == [(0,), (2,), (3,), (5,), (6,), (8,)]


def test_delete_nothing_makes_no_snapshot(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    assert delete(table, T, duck, "id = 99") == 0
    assert snapshots(table) == 1 and len(rows(T)) == 9
    assert table.store.staged_writes() == []


def test_delete_keeps_rows_where_the_condition_is_null(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    with table.stage_append(T) as write:
        write.write(duck, "SELECT NULL AS id, 'null' AS v, DATE '2020-01-01' AS d")
        write.commit()
    delete(table, T, duck, "id >= 0")
    assert rows(T, "v") == [("null",)]


def test_update(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    before = files(table)
    assert update(table, T, duck, {"v": "upper(v)", "id": "id + 100"}, "id % 3 = 0 AND id > 0") == 2
    assert rows(T, "id, v")[:2] == [(0, "v0"), (1, "v1")]
    assert (103, "V3") in rows(T, "id, v") and (106, "V6") in rows(T, "id, v")
    assert len(before & files(table)) == 2 and snapshots(table) == 2
    assert update(table, T, duck, {"v": "'x'"}, "id = 99") == 0


def test_update_moves_rows_to_their_partition(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    update(table, T, duck, {"d": "DATE '2021-12-01'"}, "id = 0")
    assert len(table.load_table(T).scan(Comparison("=", ("id",), 0)).files) == 1
    assert len(files(table)) == 4


SOURCE = "SELECT * FROM (VALUES (1, 'one', DATE '2020-02-01'), (20, 'twenty', DATE '2020-05-01')) s(id, v, d)"
INSERT = MergeAction({"id": "s.id", "v": "s.v", "d": "s.d"})


def test_merge_updates_and_inserts(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    before = files(table)
    merge(table, T, duck, Merge(SOURCE, "t.id = s.id", [MergeAction({"v": "s.v || t.v"})], [INSERT]))
    assert (1, "onev1") in rows(T, "id, v") and (20, "twenty") in rows(T, "id, v")
    assert len(rows(T)) == 10 and len(before & files(table)) == 2 and snapshots(table) == 2


def test_merge_first_clause_that_holds_wins(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    merge(
        table, T, duck,
        Merge(
            "SELECT range AS id FROM range(12)", "t.id = s.id",
            [MergeAction(None, "t.id < 2"), MergeAction({"v": "'low'"}, "t.id < 4"), MergeAction(None, "t.id = 8")],
            [MergeAction({"id": "s.id", "v": "'even'", "d": "NULL"}, "s.id % 2 = 0"),
             MergeAction({"id": "s.id", "v": "'eleven'", "d": "NULL"}, "s.id = 11")],
        ),
    )  # fmt: skip
    assert rows(T, "id, v") == [
        (10, "even"), (11, "eleven"), (2, "low"), (3, "low"), (4, "v4"), (5, "v5"), (6, "v6"), (7, "v7"),
    ]  # fmt: skip


def test_merge_not_matched_by_source(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    merge(
        table, T, duck,
        Merge("SELECT 1 AS id", "t.id = s.id", not_matched_by_source=[
            MergeAction(None, "t.id > 5"), MergeAction({"v": "'old'"}, "t.id = 0")]),
    )  # fmt: skip
    assert rows(T, "id, v") == [(0, "old"), (1, "v1"), (2, "v2"), (3, "v3"), (4, "v4"), (5, "v5")]


def test_merge_cardinality(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    twice = "SELECT * FROM (VALUES (1, 'a'), (1, 'b')) s(id, v)"
    with pytest.raises(SparkError, match="MERGE_CARDINALITY_VIOLATION"):
        merge(table, T, duck, Merge(twice, "t.id = s.id", [MergeAction({"v": "s.v"})]))
    assert len(rows(T)) == 9 and table.store.staged_writes() == []
    merge(table, T, duck, Merge(twice, "t.id = s.id", [MergeAction(None)]))
    assert (1,) not in rows(T, "id")


def test_merge_into_evolved_and_empty_tables(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    table.alter_table(T, [RenameColumn(("v",), "label"), AddColumn((), "n", IntegerType())])
    values = {"id": "s.id", "label": "s.v", "d": "s.d", "n": "5"}
    merge(table, T, duck, Merge(SOURCE, "t.id = s.id", [MergeAction({"n": "s.id * 2"})], [MergeAction(values)]))
    assert (1, "v1", 2) in rows(T, "id, label, n") and (20, "twenty", 5) in rows(T, "id, label, n")
    delete(table, T, duck, "true")
    merge(table, T, duck, Merge(SOURCE, "t.id = s.id", [MergeAction(None)], [MergeAction(values)]))
    assert rows(T, "id") == [(1,), (20,)]


def test_dynamic_overwrite(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    new = "SELECT 50 AS id, 'new' AS v, DATE '2020-02-15' AS d UNION ALL SELECT 51, 'new', DATE '2021-01-01'"
    assert overwrite_partitions(table, T, duck, new) == 2
    assert rows(T, "id") == [(0,), (2,), (3,), (5,), (50,), (51,), (6,), (8,)]
    assert snapshots(table) == 2


def test_overwrite_where(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    overwrite_where(table, T, duck, "SELECT 70 AS id, 'r' AS v, DATE '2020-01-01' AS d", "id < 5")
    assert rows(T, "id") == [(5,), (6,), (7,), (70,), (8,)]
