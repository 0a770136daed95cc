"""Metadata that is kept in memory says what its file says; short histories leave no file behind."""

from pathlib import Path
from typing import Any

from pyiceberg.serializers import FromInputFile
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.changes import AddColumn, SetProperty
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import delete
from twinspark.tables.iceberg.maintenance import KEPT_SNAPSHOTS, keep_short, remove_orphans
from twinspark.tables.iceberg.shared_metadata import SharedMetadata
from twinspark.tables.iceberg.sqlite_catalog import LocalInput

T = Identifier.of("db", "t")
ALL_TIME = 2**60


def append(catalog: IcebergCatalog, duck: Any, at: int) -> None:
    with catalog.stage_append(T) as write:
        write.write(duck, f"SELECT {at} AS id")
        write.commit()


def made(catalog: IcebergCatalog) -> None:
    catalog.create_table(T, TableSpec(StructType([StructField("id", LongType())]), properties={KEPT_SNAPSHOTS: "5"}))


def test_memory_and_file_agree(catalog: IcebergCatalog, duck: Any) -> None:
    made(catalog)
    append(catalog, duck, 1)
    catalog.alter_table(T, [AddColumn((), "n", IntegerType()), SetProperty("a", "b")])
    delete(catalog, T, duck, "id = 1")
    table = catalog.load(T)
    assert isinstance(table.metadata, SharedMetadata)
    parsed = FromInputFile.table_metadata(LocalInput(table.metadata_location))
    assert table.metadata.model_dump() == parsed.model_dump()


def test_a_held_table_stays_as_it_was(catalog: IcebergCatalog, duck: Any) -> None:
    made(catalog)
    append(catalog, duck, 1)
    held = catalog.load(T)
    before = held.metadata.model_dump_json()
    append(catalog, duck, 2)
    keep_short(catalog, T, slack=0)
    assert held.metadata.model_dump_json() == before


def test_histories_of_appends_are_cut_without_a_trace(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    made(catalog)
    for at in range(30):
        append(catalog, duck, at)
        keep_short(catalog, T, slack=3)
    assert rows(T) == sorted([(at,) for at in range(30)], key=repr)
    assert 5 <= len(catalog.load(T).metadata.snapshots) <= 8
    assert remove_orphans(catalog, T, ALL_TIME) == []
    place = Path(catalog.load(T).location().removeprefix("file://"))
    assert len(list(place.rglob("snap-*.avro"))) <= 8


def test_histories_with_removals_lose_their_files(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    made(catalog)
    for at in range(12):
        append(catalog, duck, at)
        delete(catalog, T, duck, f"id = {at - 1}")
        keep_short(catalog, T, slack=1)
    assert rows(T) == [(11,)]
    place = Path(catalog.load(T).location().removeprefix("file://"))
    assert len(list(place.rglob("*.parquet"))) <= 5
    assert remove_orphans(catalog, T, ALL_TIME) == []
