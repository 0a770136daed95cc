"""A server without a Spark, and a session on it."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="session")
def commands_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    warehouse = tmp_path_factory.mktemp("commands") / "spark-warehouse"
    config = (("spark.sql.session.timeZone", "UTC"), ("spark.sql.shuffle.partitions", "4"))
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(warehouse), spark_config=config))
    yield server
    server.stop()


@pytest.fixture
def alone(commands_server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(commands_server.url).create()
    SparkSession._active_session.session = session  # PySpark gives a checkpoint to the active session, whoever asked
    yield session
    session.stop()
