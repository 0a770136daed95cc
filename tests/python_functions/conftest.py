"""One server in duckdb mode for all tests of Python functions: its workers are started once."""

from collections.abc import Iterator

import pytest

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="session")
def native_functions_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    own_files = (("twinspark.python.user", "server"),)  # functions here write into directories of the tests
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    server = ConnectServer(Settings(engine="duckdb", warehouse=warehouse, spark_config=own_files))
    yield server
    server.stop()
