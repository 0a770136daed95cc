"""Catalogs beside the session's: `spark.sql.catalog.NAME` told as Iceberg's own is, over a database, a directory, or a
REST server that other programs use too."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog import load_catalog
from pyspark.errors import PySparkException
from rest_catalog_server import RestServer
from table_helpers import refusal, rows, run

from twinspark.errors import NotNative
from twinspark.tables.catalogs import Catalogs, catalog_options

ICEBERG = "org.apache.iceberg.spark.SparkCatalog"


@pytest.fixture
def rest_server(tmp_path: Path) -> Iterator[RestServer]:
    server = RestServer(f"{tmp_path}/rest.db", f"file://{tmp_path}/lake")
    yield server
    server.stop()


def told(kind: str, tmp_path: Path, server: RestServer) -> dict[str, str]:
    return {
        "sql": {"type": "sql", "uri": f"sqlite:///{tmp_path}/lake.db", "warehouse": f"file://{tmp_path}/lake"},
        "jdbc": {"type": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/lake.db", "warehouse": f"{tmp_path}/lake"},
        "hadoop": {"type": "hadoop", "warehouse": f"{tmp_path}/lake"},
        "rest": {"catalog-impl": "org.apache.iceberg.rest.RESTCatalog", "uri": server.url},
    }[kind]


@pytest.fixture(params=["jdbc", "rest"])
def lake(request: pytest.FixtureRequest, tables: Any, tmp_path: Path, rest_server: RestServer) -> Any:
    """The same catalog by several ways."""
    set_up(tables, told(request.param, tmp_path, rest_server))
    run(tables, "CREATE NAMESPACE lake.db")
    return tables


def set_up(session: Any, options: dict[str, str], name: str = "lake") -> None:
    session.conf.set(f"spark.sql.catalog.{name}", ICEBERG)
    for key, value in options.items():
        session.conf.set(f"spark.sql.catalog.{name}.{key}", value)


@pytest.mark.parametrize("lake", ["sql", "jdbc", "hadoop", "rest"], indirect=True)
def test_tables_of_another_catalog(lake: Any) -> None:
    run(lake, "CREATE TABLE lake.db.t (id BIGINT, s STRING) PARTITIONED BY (bucket(4, id))")
    run(lake, "INSERT INTO lake.db.t SELECT id, concat('s', id) FROM range(10)", "DELETE FROM lake.db.t WHERE id > 7")
    run(lake, "UPDATE lake.db.t SET s = 'u' WHERE id = 0", "ALTER TABLE lake.db.t ADD COLUMN n INT")
    assert rows(lake, "SELECT * FROM lake.db.t WHERE id < 2") == [(0, "u", None), (1, "s1", None)]
    assert rows(lake, "SELECT count(*) FROM lake.db.t.history") == [(3,)]
    run(lake, "CREATE TABLE mine.t AS SELECT id FROM lake.db.t", "CREATE OR REPLACE TABLE lake.db.t AS SELECT 1 AS one")
    assert rows(lake, "SELECT count(*) FROM mine.t JOIN lake.db.t ON id = one") == [(1,)]
    assert refusal(lake, "SELECT * FROM lake.db.nosuch") == "TABLE_OR_VIEW_NOT_FOUND"
    assert refusal(lake, "CREATE TABLE lake.db.t (x INT)") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    assert rows(lake, "SHOW TABLES IN lake.db") == [("db", "t", False)]
    run(lake, "ALTER TABLE lake.db.t RENAME TO db.u", "DROP TABLE lake.db.u PURGE")
    assert rows(lake, "SHOW TABLES IN lake.db") == []


def test_a_merge_and_the_time_before_it(lake: Any) -> None:
    run(lake, "CREATE TABLE lake.db.t AS SELECT id, 'old' AS s FROM range(4)")
    ((before,),) = rows(lake, "SELECT snapshot_id FROM lake.db.t.snapshots")
    run(
        lake,
        "MERGE INTO lake.db.t t USING (SELECT id, 'new' AS s FROM range(3, 6)) n ON t.id = n.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    )
    assert rows(lake, "SELECT s, count(*) FROM lake.db.t GROUP BY s") == [("new", 3), ("old", 3)]
    assert rows(lake, f"SELECT s, count(*) FROM lake.db.t VERSION AS OF {before} GROUP BY s") == [("old", 4)]
    assert rows(lake, f"CALL lake.system.rollback_to_snapshot('db.t', {before})")[0][1] == before
    assert rows(lake, "SELECT count(*) FROM lake.db.t") == [(4,)]


def test_the_current_catalog(lake: Any) -> None:
    assert ("lake",) in rows(lake, "SHOW CATALOGS")
    assert "lake" in [each.name for each in lake.catalog.listCatalogs()]
    run(lake, "USE lake.db", "CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1)")
    assert rows(lake, "SELECT * FROM db.t") == rows(lake, "SELECT * FROM lake.db.t") == [(1,)]
    assert lake.catalog.tableExists("t") and not lake.catalog.tableExists("spark_catalog.mine.t")
    assert [each.catalog for each in lake.catalog.listTables()] == ["lake"]
    lake.catalog.setCurrentCatalog("spark_catalog")
    assert refusal(lake, "SELECT * FROM db.t") == "TABLE_OR_VIEW_NOT_FOUND"
    lake.catalog.setCurrentCatalog("lake")
    assert lake.catalog.currentCatalog() == "lake"
    run(lake, "USE spark_catalog.mine")


def test_namespaces_inside_of_namespaces(lake: Any) -> None:
    assert refusal(lake, "CREATE NAMESPACE lake.a.b") == "SCHEMA_NOT_FOUND"
    run(lake, "CREATE NAMESPACE lake.a", "CREATE NAMESPACE lake.a.b", "CREATE TABLE lake.a.b.t AS SELECT 1 AS x")
    assert {("a",), ("db",)} <= set(rows(lake, "SHOW NAMESPACES IN lake"))
    assert rows(lake, "SHOW NAMESPACES IN lake.a") == [("a.b",)]
    run(lake, "USE lake.a.b", "INSERT INTO t VALUES (2)")
    assert rows(lake, "SELECT * FROM t") == [(1,), (2,)]
    run(lake, "USE spark_catalog.mine", "DROP TABLE lake.a.b.t", "DROP NAMESPACE lake.a.b")
    assert rows(lake, "SHOW NAMESPACES IN lake.a") == []


def test_a_failed_write_leaves_nothing(lake: Any, tmp_path: Path) -> None:
    run(lake, "CREATE TABLE lake.db.t AS SELECT id FROM range(3)")
    files = sorted(tmp_path.glob("lake/**/*.parquet"))
    fails = "SELECT CAST(raise_error('no') AS BIGINT) AS id FROM range(3)"
    assert refusal(lake, f"CREATE TABLE lake.db.u AS {fails}") == "USER_RAISED_EXCEPTION"
    assert refusal(lake, f"INSERT OVERWRITE lake.db.t {fails}") == "USER_RAISED_EXCEPTION"
    assert refusal(lake, f"CREATE OR REPLACE TABLE lake.db.t AS {fails}") == "USER_RAISED_EXCEPTION"
    assert rows(lake, "SHOW TABLES IN lake.db") == [("db", "t", False)]
    assert rows(lake, "SELECT count(*) FROM lake.db.t") == [(3,)]
    assert sorted(tmp_path.glob("lake/**/*.parquet")) == files


@pytest.mark.parametrize("kind", ["sql", "rest"])
def test_another_program_sees_the_same(kind: str, tables: Any, tmp_path: Path, rest_server: RestServer) -> None:
    options = told(kind, tmp_path, rest_server)
    set_up(tables, options)
    run(tables, "CREATE NAMESPACE lake.db", "CREATE TABLE lake.db.t AS SELECT id FROM range(5)")
    other = load_catalog("lake", **{"type": kind, **{k: v for k, v in options.items() if k != "catalog-impl"}})
    table = other.load_table("db.t")
    assert sorted(table.scan().to_arrow().column("id").to_pylist()) == [0, 1, 2, 3, 4]
    table.append(table.scan().to_arrow())
    assert rows(tables, "SELECT count(*), sum(id) FROM lake.db.t") == [(10, 20)]
    run(tables, "DELETE FROM lake.db.t WHERE id = 0")  # what the other wrote is rewritten here
    assert table.refresh().scan().to_arrow().num_rows == 8
    other.drop_table("db.t")
    assert rows(tables, "SHOW TABLES IN lake.db") == []


def test_a_dropped_table_keeps_its_files_unless_purged(tables: Any, tmp_path: Path, rest_server: RestServer) -> None:
    set_up(tables, told("rest", tmp_path, rest_server))
    run(tables, "CREATE NAMESPACE lake.db", "CREATE TABLE lake.db.t AS SELECT 1 AS x", "DROP TABLE lake.db.t")
    assert len(list(tmp_path.glob("lake/**/*.parquet"))) == 1
    run(tables, "CREATE TABLE lake.db.u AS SELECT 1 AS x", "DROP TABLE lake.db.u PURGE")
    assert len(list(tmp_path.glob("lake/**/*.parquet"))) == 1


def test_one_commit_for_each_statement(tables: Any, tmp_path: Path, rest_server: RestServer) -> None:
    set_up(tables, told("rest", tmp_path, rest_server))
    run(tables, "CREATE NAMESPACE lake.db", "CREATE TABLE lake.db.t AS SELECT id FROM range(9)")
    assert rest_server.commits == 1
    run(tables, "MERGE INTO lake.db.t t USING (SELECT 3 AS id) n ON t.id = n.id WHEN MATCHED THEN DELETE")
    run(tables, "CREATE OR REPLACE TABLE lake.db.t AS SELECT 'a' AS s")
    assert rest_server.commits == 3


def test_tables_of_files_are_none_of_icebergs_catalogs(tables: Any, tmp_path: Path, rest_server: RestServer) -> None:
    set_up(tables, told("rest", tmp_path, rest_server))
    run(tables, "CREATE NAMESPACE lake.db", "CREATE TABLE lake.db.t USING parquet AS SELECT 1 AS x")
    assert rows(tables, "SELECT count(*) FROM lake.db.t.snapshots") == [(1,)]  # Iceberg's table, of Parquet files
    with pytest.raises(PySparkException, match="Unsupported format in USING: csv"):
        run(tables, "CREATE TABLE lake.db.u (x INT) USING csv")


def test_settings_as_pyiceberg_takes_them() -> None:
    config = {
        "spark.sql.catalog.g.catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
        "spark.sql.catalog.g.glue.region": "eu-central-1",
        "spark.sql.catalog.h.type": "hive",
        "spark.sql.catalog.h.uri": "thrift://metastore:9083",
        "spark.sql.catalog.p.type": "jdbc",
        "spark.sql.catalog.p.uri": "jdbc:postgresql://db:5432/lake",
        "spark.sql.catalog.p.jdbc.user": "me@home",
        "spark.sql.catalog.p.jdbc.password": "s/cret",
        "spark.sql.catalog.x.catalog-impl": "com.example.Catalog",
    }
    assert catalog_options(config, "g") == {"type": "glue", "glue.region": "eu-central-1"}
    assert catalog_options(config, "h") == {"type": "hive", "uri": "thrift://metastore:9083"}
    assert catalog_options(config, "p")["uri"] == "postgresql://me%40home:s%2Fcret@db:5432/lake"
    with pytest.raises(NotNative, match=r"com\.example\.Catalog"):
        catalog_options(config, "x")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    config = {"spark.sql.catalog.g": ICEBERG, "spark.sql.catalog.g.type": "glue"}
    with pytest.raises(NotNative, match=r"this catalog or this use of it: g: .*pip install 'pyiceberg\[glue\]'"):
        Catalogs(str(tmp_path), config).get("g")


def test_warehouses_of_others_are_theirs(tables: Any, tmp_path: Path) -> None:
    """A directory that Iceberg's Hadoop catalog keeps has tables that a database of ours would not know."""
    (tmp_path / "lake/db/t/metadata").mkdir(parents=True)
    (tmp_path / "lake/db/t/metadata/version-hint.text").write_text("1")
    set_up(tables, {"type": "hadoop", "warehouse": f"{tmp_path}/lake"})
    with pytest.raises(PySparkException, match="Hadoop catalog"):
        rows(tables, "SELECT * FROM lake.db.t")


def test_files_that_are_elsewhere(tables: Any, tmp_path: Path) -> None:
    set_up(tables, {"type": "sql", "uri": f"sqlite:///{tmp_path}/lake.db", "warehouse": "s3://bucket/lake"})
    run(tables, "CREATE NAMESPACE lake.db")
    with pytest.raises(PySparkException, match="this file system: s3"):
        run(tables, "CREATE TABLE lake.db.t (x INT)")
    assert rows(tables, "SHOW TABLES IN lake.db") == []
