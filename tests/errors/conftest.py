"""A server without Spark: whatever reaches the client is the native engine's."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="module")
def session_without_spark() -> Iterator[Any]:
    server = ConnectServer(Settings(engine="duckdb"))
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()
    server.stop()


@pytest.fixture
def duck(session_without_spark: Any) -> Any:
    type(
        session_without_spark
    )._active_session.session = session_without_spark  # PySpark asks it for types of functions
    return session_without_spark
