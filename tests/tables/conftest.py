"""What table tests share: a catalog in a directory of its own and a DuckDB connection."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from other_reader import check_all
from table_rows import Rows

from twinspark.duck.run import connect
from twinspark.tables.iceberg.catalog import IcebergCatalog


@pytest.fixture()
def duck() -> Any:
    opened = connect()
    opened.execute("SET TimeZone = 'UTC'")
    return opened


@pytest.fixture()
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    made = IcebergCatalog.local("spark_catalog", str(tmp_path / "catalog"))
    made.create_namespace(["db"])
    yield made
    check_all(made, "db")


@pytest.fixture()
def rows(catalog: IcebergCatalog, duck: Any) -> Rows:
    return Rows(catalog, duck)
