"""A Thrift door over the run's shared server, and Spark Connect's own answer to compare with."""

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from spark_thrift_server import SparkThriftServer

import twinspark.driver as driver
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.thrift import ConnectBackend, Server, start
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="session")
def connect_url(request: pytest.FixtureRequest) -> str:
    """TWINSPARK_TEST_CONNECT names a server that runs already; without it the run's shared one is used."""
    return os.environ.get("TWINSPARK_TEST_CONNECT") or str(request.getfixturevalue("auto_server").url)


@pytest.fixture(scope="session")
def door(connect_url: str) -> Iterator[Server]:
    with start("127.0.0.1", 0, ConnectBackend(connect_url)) as server:
        yield server


@pytest.fixture(scope="session")
def native_door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The door over the embedded engine alone: no JVM."""
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("native"))))
    with start("127.0.0.1", 0, ConnectBackend(server.url)) as opened:
        yield opened
    server.stop()


@pytest.fixture
def connect(door: Server) -> Iterator[Callable[..., driver.Connection]]:
    opened: list[driver.Connection] = []

    def opener(**options: Any) -> driver.Connection:
        options.setdefault("configuration", {"spark.sql.session.timeZone": "UTC"})
        opened.append(driver.connect("127.0.0.1", options.pop("port", door.port), **options))
        return opened[-1]

    yield opener
    for connection in opened:
        connection.close()


@pytest.fixture(scope="session")
def reference(connect_url: str) -> Iterator[Callable[..., pa.Table]]:
    """The record batches Spark Connect sends for the same query."""
    session = ConnectBackend(connect_url).open("reference", {})

    @functools.cache
    def ask(sql: str, zone: str = "UTC") -> pa.Table:
        list(session.execute(session.prepare(), f"set time zone '{zone}'").batches)
        return pa.Table.from_batches(session.execute(session.prepare(), sql).batches)

    yield ask
    session.close()


@pytest.fixture(scope="module", params=["binary", "http"])
def spark_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A transport and port of Spark's own Thrift server; only the matrix asks for it."""
    server = SparkThriftServer(request.param, tmp_path_factory.mktemp(f"spark-{request.param}"))
    yield "sasl" if request.param == "binary" else "http", server.port
    server.stop()
