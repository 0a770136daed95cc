"""What table tests share: a catalog in a directory of its own and a DuckDB connection."""

import os
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql.connect.session import SparkSession

from twinspark.tables.catalog import Identifier, Version
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import duck_scan


@pytest.fixture()
def duck() -> Any:
    opened = duckdb.connect()
    opened.execute("SET TimeZone = 'UTC'")
    return opened


@pytest.fixture()
def catalog(tmp_path: Path) -> IcebergCatalog:
    made = IcebergCatalog.local("spark_catalog", str(tmp_path / "catalog"))
    made.create_namespace(["db"])
    return made


class Rows:
    """Reads a table through its scan, natively."""

    def __init__(self, catalog: IcebergCatalog, duck: Any) -> None:
        self.catalog, self.duck = catalog, duck

    def __call__(
        self,
        identifier: Identifier,
        columns: str = "*",
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> list[tuple[Any, ...]]:
        scan = self.catalog.load_table(identifier).scan(predicate, version)
        found = self.duck.execute(f"SELECT {columns} FROM {duck_scan(scan)}").fetchall()
        return sorted(found, key=repr)


@pytest.fixture()
def rows(catalog: IcebergCatalog, duck: Any) -> Rows:
    return Rows(catalog, duck)


@pytest.fixture()
def real_spark(request: pytest.FixtureRequest) -> Any:
    """A session of a real Spark: the one at TWINSPARK_TEST_SPARK, or the one that the shared server starts."""
    address = os.environ.get("TWINSPARK_TEST_SPARK") or request.getfixturevalue("auto_server").url
    session = SparkSession.builder.remote(address).create()
    if "TWINSPARK_TEST_SPARK" not in os.environ:
        session.conf.set("twinspark.engine", "spark")
    yield session
    session.stop()
