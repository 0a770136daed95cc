"""One behaviour over all providers: names, rows in and out, views, functions, several catalogs."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier, TableSpec, Version
from twinspark.tables.catalogs import Catalogs, Name
from twinspark.tables.changes import AddColumn, RemoveProperty, SetProperty
from twinspark.tables.delta.changes import DeltaChanges
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files.scan import ScanContext
from twinspark.tables.files.write import FileWrite, write_files
from twinspark.tables.iceberg.dml import delete
from twinspark.tables.session_catalog import Function, SessionCatalog, View
from twinspark.tables.transforms import Bucket, Day, Identity

T = Identifier.of("default", "t")
SCHEMA = StructType([StructField("id", LongType()), StructField("s", StringType()), StructField("k", IntegerType())])
ROWS = "SELECT * FROM (VALUES (1, 'a', 1), (2, NULL, 2)) v(id, s, k)"
PROVIDERS = ["iceberg", "parquet", "csv", "delta"]


@pytest.fixture()
def home(tmp_path: Path) -> SessionCatalog:
    return SessionCatalog.local("spark_catalog", str(tmp_path / "home"))


def read(home: SessionCatalog, duck: Any, identifier: Identifier = T, version: Version | None = None) -> list[Any]:
    found = home.read(identifier, ScanContext(duck), version=version)
    rows = duck.sql(f"SELECT * FROM {found.sql}")
    assert rows.columns == found.schema.names
    return sorted(rows.fetchall(), key=repr)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("partitions", [(), (Identity(("k",)),)], ids=["whole", "partitioned"])
def test_rows_in_and_out(home: SessionCatalog, duck: Any, provider: str, partitions: Any) -> None:
    home.create_table(T, TableSpec(SCHEMA, partitions, {"note": "n"}, provider=provider))
    assert read(home, duck) == []
    home.append(T, duck, ROWS)
    home.append(T, duck, "SELECT 3 AS id, 'c' AS s, 1 AS k")
    assert read(home, duck) == [(1, "a", 1), (2, None, 2), (3, "c", 1)]
    home.overwrite(T, duck, "SELECT 9 AS id, 'z' AS s, 7 AS k")
    assert read(home, duck) == [(9, "z", 7)]
    table = home.load_table(T)
    assert (table.provider, table.schema, table.partitioning) == (provider, SCHEMA, partitions)
    assert table.properties["note"] == "n"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_names_and_changes(home: SessionCatalog, duck: Any, provider: str) -> None:
    home.create_table(T, TableSpec(SCHEMA, provider=provider))
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        home.create_table(T, TableSpec(SCHEMA))
    other = Identifier.of("default", "u")
    home.append(T, duck, ROWS)
    home.rename_table(T, other)
    assert home.list_tables(["default"]) == [other]
    changed = home.alter_table(other, [SetProperty("a", "1"), SetProperty("b", "2"), RemoveProperty("b")])
    assert changed.properties["a"] == "1" and "b" not in changed.properties
    if provider != "csv":  # Spark reads a CSV table by position: an added column would be another file's last
        home.alter_table(other, [AddColumn((), "more", DateType())])
        assert read(home, duck, other) == [(1, "a", 1, None), (2, None, 2, None)]
        home.append(other, duck, "SELECT 3 AS id, 'c' AS s, 1 AS k, DATE '2020-01-01' AS more")
        assert (3, "c", 1, date(2020, 1, 1)) in read(home, duck, other)
    assert home.drop_table(other)
    assert home.list_tables(["default"]) == []


def test_location_is_not_ours_to_delete(home: SessionCatalog, duck: Any, tmp_path: Path) -> None:
    place = tmp_path / "outside"
    home.create_table(T, TableSpec(SCHEMA, provider="parquet", location=str(place)))
    home.append(T, duck, ROWS)
    home.drop_table(T)
    assert list(place.glob("*.parquet"))
    home.create_table(T, TableSpec(SCHEMA, provider="parquet", location=str(place)))
    assert len(read(home, duck)) == 2


def test_delta_time_travel_and_delete(home: SessionCatalog, duck: Any) -> None:
    home.create_table(T, TableSpec(SCHEMA, provider="delta"))
    home.append(T, duck, ROWS)
    table = home.load_table(T)
    assert isinstance(table, DeltaTable)
    delete(DeltaChanges(table, duck), T, duck, "id = 1")
    assert read(home, duck) == [(2, None, 2)]
    assert read(home, duck, version=Version("1")) == [(1, "a", 1), (2, None, 2)]


def test_file_tables_refuse_what_spark_refuses(home: SessionCatalog, duck: Any) -> None:
    with pytest.raises(SparkError, match="UNSUPPORTED_PARTITION_TRANSFORM"):
        home.create_table(T, TableSpec(SCHEMA, [Day(("id",))], provider="parquet"))
    home.create_table(T, TableSpec(SCHEMA, provider="parquet"))
    with pytest.raises(SparkError, match="TIME_TRAVEL"):
        read(home, duck, version=Version("1"))


def test_rows_left_as_parquet_come_in(home: SessionCatalog, duck: Any, tmp_path: Path) -> None:
    home.create_table(T, TableSpec(SCHEMA, [Bucket(("id",), 2)]))
    rows = f"SELECT id, s, CAST(k AS INTEGER) AS k FROM ({ROWS})"
    write_files(FileWrite(rows, "parquet", str(tmp_path / "left"), SCHEMA), duck)
    home.insert_files(T, ScanContext(duck), str(tmp_path / "left"), "append")
    home.insert_files(T, ScanContext(duck), str(tmp_path / "left"), "append")
    assert len(read(home, duck)) == 4
    home.insert_files(T, ScanContext(duck), str(tmp_path / "left"), "overwrite")
    assert read(home, duck) == [(1, "a", 1), (2, None, 2)]


def test_views_and_functions(home: SessionCatalog, tmp_path: Path) -> None:
    name = Identifier.of("default", "v")
    view = View(name, "SELECT 1 AS a", "a INT NOT NULL", columns=("a",), comments=(None,), properties={"p": "q"})
    home.create_view(view)
    assert home.load_view(name) == view
    assert SessionCatalog.local("spark_catalog", str(tmp_path / "home")).load_view(name) == view
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        home.create_view(view)
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        home.create_table(name, TableSpec(SCHEMA))
    home.create_view(View(name, "SELECT 2 AS a", "a INT NOT NULL"), replace=True)
    assert home.list_views(["default"]) == [name] == home.list_tables(["default"])
    assert home.drop_view(name) and not home.drop_view(name)
    function = Function(Identifier.of("default", "f"), {"body": "x + 1"})
    home.create_function(function)
    with pytest.raises(SparkError, match="ROUTINE_ALREADY_EXISTS"):
        home.create_function(function)
    assert home.load_function(function.identifier) == function
    assert home.drop_function(function.identifier) and home.list_functions(["default"]) == []


def test_namespaces(home: SessionCatalog) -> None:
    home.create_namespace(["db"], {"comment": "c"})
    home.alter_namespace(["db"], [SetProperty("k", "v")])
    assert home.load_namespace(["db"]).properties["k"] == "v"
    home.create_table(Identifier.of("db", "t"), TableSpec(SCHEMA, provider="parquet"))
    with pytest.raises(SparkError, match="SCHEMA_NOT_EMPTY"):
        home.drop_namespace(["db"])
    home.drop_namespace(["db"], cascade=True)
    assert home.list_namespaces() == [("default",)]
    with pytest.raises(SparkError, match="SCHEMA_NOT_FOUND"):
        home.load_namespace(["db"])


def test_several_catalogs(tmp_path: Path) -> None:
    config = {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(tmp_path / "lake-house"),
    }
    catalogs = Catalogs(str(tmp_path), config)
    assert catalogs.names() == ["lake", "spark_catalog"]
    here = ("spark_catalog", ["default"])
    assert catalogs.resolve(["t"], *here) == Name("spark_catalog", T)
    assert catalogs.resolve(["db", "t"], *here) == Name("spark_catalog", Identifier.of("db", "t"))
    assert catalogs.resolve(["lake", "db", "t"], *here).qualifier == ("lake", "db", "t")
    with pytest.raises(SparkError, match="REQUIRES_SINGLE_PART_NAMESPACE"):
        catalogs.resolve(["a", "b", "t"], *here)
    with pytest.raises(SparkError, match="CATALOG_NOT_FOUND"):
        catalogs.get("nowhere")
    catalogs.get("lake").create_table(T, TableSpec(SCHEMA))
    assert catalogs.get("lake").table_exists(T) and not catalogs.get("spark_catalog").table_exists(T)
    assert list((tmp_path / "lake-house").rglob("*.metadata.json"))
