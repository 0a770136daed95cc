"""Servers that tests share: starting a JVM is dear, so all tests of a run use one."""

import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.client import SparkConnectClient

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings


@pytest.fixture(scope="session", autouse=True)
def clients_that_are_left() -> Iterator[None]:
    """At exit PySpark's clients ask servers that are gone by then, each again and again for ten minutes."""
    yield
    for client in [found for found in gc.get_objects() if type(found) is SparkConnectClient]:
        client.close()


@pytest.fixture(scope="session")
def auto_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """engine=auto with a small Spark of its own behind it, started by the first plan that needs it."""
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    server = ConnectServer(
        Settings(
            spark_master="local[2]",
            spark_memory="2g",
            warehouse=warehouse,
            spark_config=(("spark.sql.shuffle.partitions", "2"), ("spark.sql.session.timeZone", "UTC")),
        )
    )
    yield server
    server.stop()


@pytest.fixture
def spark(auto_server: ConnectServer) -> Iterator[Any]:
    """A PySpark session of its own on the shared server."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(auto_server.url).create()
    type(session)._active_session.session = session  # PySpark gives a checkpoint to the active session, whoever asked
    yield session
    session.stop()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four mebibytes, where this process may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    if not done:
        pytest.skip("this process may not mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
