"""A standalone cluster of real processes behind twinspark: the demo on it, a worker killed, the master gone."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

from tests.attack.standalone_cluster import StandaloneCluster
from tests.waiting import until
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

pytestmark = [pytest.mark.attack, pytest.mark.spark, pytest.mark.timeout(900)]
DEMO = Path(__file__).resolve().parents[2] / "demo"
SMALL = (
    ("spark.executor.memory", "512m"),
    ("spark.driver.host", "127.0.0.1"),
    ("spark.driver.bindAddress", "127.0.0.1"),
    ("spark.sql.shuffle.partitions", "4"),
    ("spark.sql.session.timeZone", "UTC"),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[StandaloneCluster]:
    with StandaloneCluster(workers=2) as started:
        yield started


@contextmanager
def served(master: str, *config: tuple[str, str], engine: str = "spark", memory: str = "1g") -> Iterator[ConnectServer]:
    settings = Settings(engine=engine, spark_master=master, spark_memory=memory, spark_config=(*SMALL, *config))
    server = ConnectServer(settings)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def connected(server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(server.url).create()
    try:
        yield session
    finally:
        session.stop()


def pipeline(remote: str, source: Path, target: Path) -> str:
    environment = {**os.environ, "SPARK_REMOTE": remote}
    words = [sys.executable, str(DEMO / "pipeline.py"), str(source), str(target)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_demo_pipeline_on_the_cluster(cluster: StandaloneCluster, tmp_path: Path) -> None:
    sys.path.insert(0, str(DEMO))
    from outcome import first_difference
    from shop import generate

    generate(tmp_path / "input")
    with served("local[1]", engine="duckdb") as native:
        ours = pipeline(native.url, tmp_path / "input", tmp_path / "native")
    with served(cluster.url) as server:
        theirs = pipeline(server.url, tmp_path / "input", tmp_path / "cluster")
        assert server.spark.state.value == "ready"
    assert first_difference(ours, theirs, tmp_path / "native", tmp_path / "cluster") is None


def slow_shuffle(session: Any) -> Any:
    """Some seconds of work on both sides of a shuffle."""
    pause = F.udf(lambda number: __import__("time").sleep(0.01) or number, LongType())
    rows = session.range(0, 800, 1, 8).select(pause("id").alias("id"))
    groups = rows.groupBy((F.col("id") % 7).alias("k")).agg(F.count("*").alias("n"), F.sum("id").alias("s"))
    return sorted(tuple(row) for row in groups.collect())


EXPECTED = [(k, len(range(k, 800, 7)), sum(range(k, 800, 7))) for k in range(7)]


def test_a_worker_killed_in_a_shuffle(cluster: StandaloneCluster) -> None:
    with served(cluster.url) as server, connected(server) as session:
        assert slow_shuffle(session) == EXPECTED
        answers: list[Any] = []
        running = threading.Event()
        session.registerProgressHandler(
            lambda stages, inflight_tasks, operation_id, done: running.set() if inflight_tasks else None
        )
        query = threading.Thread(target=lambda: answers.append(slow_shuffle(session)))
        query.start()
        assert running.wait(60)
        cluster.workers.pop().kill()
        query.join(300)
        assert answers == [EXPECTED]
        assert server.spark.losses == 0  # Spark itself runs the lost tasks again
        cluster.start_worker()
        cluster.wait_for_workers(3)


def test_the_master_gone_and_back(cluster: StandaloneCluster) -> None:
    """Executors serve on without a master; a new one does not know the application, which then is started anew."""
    config = (("twinspark.spark.silenceTimeout", "3s"), ("twinspark.spark.startTimeout", "30s"))
    with served(cluster.url, *config) as server, connected(server) as session:
        session.range(9).createOrReplaceTempView("nine")
        assert session.table("nine").count() == 9
        cluster.kill_master()
        assert session.table("nine").count() == 9
        cluster.start_master()
        cluster.wait_for_workers(2)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:  # at first on the old executors, until the new master ends them
            assert session.table("nine").count() == 9
            time.sleep(2)


def test_workers_that_cannot_start_executors_are_an_error_with_its_cause() -> None:
    """The reproduction of the issue: six starts in six minutes while the client heard nothing."""
    limits = (("twinspark.spark.startTimeout", "40s"), ("twinspark.spark.circuitFailures", "1"))
    with (
        StandaloneCluster(1, {"SPARK_SCALA_VERSION": ""}) as cluster,
        served(cluster.url, *limits, engine="auto") as server,
        connected(server) as session,
    ):
        began = time.monotonic()
        with pytest.raises(PySparkException) as caught:
            session.range(1).select(F.java_method(F.lit("java.lang.Math"), F.lit("abs"), -F.col("id"))).collect()
        assert time.monotonic() - began < 60
        assert caught.value.getCondition() == "TWINSPARK_SPARK_UNAVAILABLE"
        assert "is now FAILED" in str(caught.value)
        assert server.spark.starts == 1 and server.spark.state.value == "open"
        assert session.range(3).count() == 3
        until(lambda: server.spark.pid is None, 10)
