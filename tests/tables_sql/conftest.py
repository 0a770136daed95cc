"""Servers for tests of tables: the embedded engine alone, a warehouse of its own, ready at once."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parent.parent / "tables"))

from other_reader import check_warehouse

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="session")
def tables_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    warehouse = str(tmp_path_factory.mktemp("tables"))
    server = ConnectServer(Settings(engine="duckdb", warehouse=warehouse))
    yield server
    server.stop()


@pytest.fixture
def tables(tables_server: ConnectServer) -> Iterator[Any]:
    """A session whose database is empty before and after."""
    session = SparkSession.builder.remote(tables_server.url).create()
    session.sql("CREATE DATABASE IF NOT EXISTS mine").collect()
    session.sql("USE mine").collect()
    yield session
    session.sql("USE default").collect()
    try:
        check_warehouse(tables_server, "mine")
    finally:
        session.sql("DROP DATABASE mine CASCADE").collect()
        session.stop()
