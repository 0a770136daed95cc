"""Flight SQL servers over the run's shared server and over the embedded engine alone, and ADBC's driver to connect."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.flight import FlightServer
from twinspark.doors.thrift import ConnectBackend
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.settings import Settings

flightsql = pytest.importorskip("adbc_driver_flightsql.dbapi")


@pytest.fixture(scope="session")
def native_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    settings = Settings(engine="duckdb", port=0, warehouse=str(tmp_path_factory.mktemp("native")))
    server = ConnectServer(settings)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def native_door(native_server: ConnectServer) -> Iterator[FlightServer]:
    with FlightServer("127.0.0.1", 0, native_server.sessions, native_server.tokens, Limits()) as door:
        yield door


@pytest.fixture(scope="session")
def door(auto_server: ConnectServer) -> Iterator[FlightServer]:
    with FlightServer("127.0.0.1", 0, auto_server.sessions, auto_server.tokens, Limits()) as opened:
        yield opened


@pytest.fixture
def connect(native_door: FlightServer) -> Iterator[Callable[..., Any]]:
    opened: list[Any] = []

    def opener(url: str = native_door.url, **options: str) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Cannot disable autocommit")
            opened.append(flightsql.connect(url, options))
        return opened[-1]

    yield opener
    for connection in opened:
        connection.close()


@pytest.fixture
def cursor(connect: Callable[..., Any]) -> Iterator[Any]:
    with connect().cursor() as opened:
        yield opened


@pytest.fixture(scope="session")
def reference(auto_server: ConnectServer) -> Iterator[Callable[[str], pa.Table]]:
    """The record batches that Spark Connect sends for the same query."""
    session = ConnectBackend(auto_server.url).open("reference", {"spark.sql.session.timeZone": "UTC"})
    yield lambda sql: pa.Table.from_batches(session.execute(session.prepare(), sql).batches)
    session.close()
