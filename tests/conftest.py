"""What all tests share: a server with a real Spark behind it, and a process on which no test leaves its mark."""

import gc
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["TZ"] = "UTC"  # the recorded answers are of a Spark in that zone, whatever the zone of this machine is
# Short queries spend most of their time in the JVM's optimizing compiler: half of a Spark's start, for example.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")

import pyspark.errors.utils
import pytest
from needs import check_needs
from pyspark.sql.connect.client import SparkConnectClient
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

ATTACKED = ("doors", "names", "values", "memory", "workers", "Spark's half", "kills")  # the parts of `make attack`


@pytest.fixture
def count() -> Callable[[str, int], None]:
    """Counts what withstood an attack, as `count("doors: half-open logins", 1500)`; `make attack` keeps the sums."""

    def write(kind: str, number: int = 1) -> None:
        assert kind.partition(":")[0] in ATTACKED, f"{kind!r} begins with none of {ATTACKED}"
        if counted := os.environ.get("TWINSPARK_TEST_ATTACK"):
            with open(counted, "a") as file:
                file.write(json.dumps([kind, number]) + "\n")

    return write


time.tzset()
os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"  # PySpark does so with the first session: its functions are Connect's
pyspark.errors.utils._enable_debugging_cache = True  # once for a process: the recorded errors have their call sites


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from distribution import FilesTogether

    return FilesTogether(config, log)


_running: list[pytest.Item] = []  # the test that runs now


def pytest_runtest_setup(item: pytest.Item) -> None:
    _running[:] = [item]
    check_needs(item)


def only_for_marked(relay: Callable[[], Any]) -> Callable[[], Any]:
    def guarded() -> Any:
        assert _running[0].get_closest_marker("spark"), "a test that asks Spark is marked `spark`: those share one JVM"
        return relay()

    return guarded


@pytest.fixture(scope="session", autouse=True)
def directory_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Servers without a warehouse make one where they are started: in the repository, all processes would share it."""
    os.chdir(tmp_path_factory.mktemp("here"))


@pytest.fixture(autouse=True)
def no_session_of_another_test() -> None:
    """PySpark asks the active session, or the first of the process, for settings: that one's server may be gone."""
    SparkSession._default_session = None
    SparkSession._active_session.session = None
    os.environ.pop("SPARK_REMOTE", None)  # the address of an embedded server


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
            spark_config=(
                ("spark.sql.shuffle.partitions", "2"),
                ("spark.sql.session.timeZone", "UTC"),
                ("twinspark.python.user", "server"),  # functions of tests write into directories of tests
            ),
        )
    )
    server.spark.relay = only_for_marked(server.spark.relay)  # type: ignore[method-assign]
    yield server
    server.stop()


@pytest.fixture
def spark(auto_server: ConnectServer) -> Iterator[Any]:
    """A PySpark session of its own on the shared server."""
    session = SparkSession.builder.remote(auto_server.url).create()
    yield session
    session.stop()


@pytest.fixture
def real_spark(request: pytest.FixtureRequest) -> Any:
    """A session of a real Spark: the one at TWINSPARK_TEST_SPARK, or the one that the shared server starts."""
    address = os.environ.get("TWINSPARK_TEST_SPARK") or request.getfixturevalue("auto_server").url
    session = SparkSession.builder.remote(address).create()
    if "TWINSPARK_TEST_SPARK" not in os.environ:
        session.conf.set("twinspark.engine", "spark")
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
