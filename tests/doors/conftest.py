"""Servers on the embedded engine alone: no JVM, ready at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="session")
def duck_server() -> Iterator[ConnectServer]:
    server = ConnectServer(Settings(engine="duckdb", metrics_port=0))
    yield server
    server.stop()


@pytest.fixture
def duck(duck_server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(duck_server.url).create()
    yield session
    session.stop()
