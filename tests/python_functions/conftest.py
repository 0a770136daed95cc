"""One server in duckdb mode for all tests of Python functions: its workers are started once."""

from collections.abc import Iterator

import pytest

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings


@pytest.fixture(scope="session")
def native_functions_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("warehouse"))))
    yield server
    server.stop()
