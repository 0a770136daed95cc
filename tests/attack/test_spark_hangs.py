"""A JVM stopped by SIGSTOP is replaced and its work done again; a long query is left alone; a crash loop ends."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

from tests.waiting import until
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

pytestmark = [pytest.mark.attack, pytest.mark.spark, pytest.mark.timeout(900)]
IMPATIENT = (
    ("twinspark.spark.silenceTimeout", "2s"),
    ("twinspark.spark.pingTimeout", "2s"),
    ("twinspark.spark.hangTimeout", "8s"),
)


@contextmanager
def served(*config: tuple[str, str], memory: str = "1g", master: str = "local[2]") -> Iterator[tuple[Any, Any]]:
    server = ConnectServer(Settings(engine="spark", spark_master=master, spark_memory=memory, spark_config=config))
    session = SparkSession.builder.remote(server.url).create()
    try:
        yield server, session
    finally:
        session.stop()
        server.stop()


def test_a_stopped_jvm_is_replaced_and_the_query_runs_on_the_next() -> None:
    with served(*IMPATIENT) as (server, session):
        session.range(9).createOrReplaceTempView("nine")
        assert session.table("nine").count() == 9
        first = server.spark.pid
        os.kill(first, signal.SIGSTOP)
        assert session.table("nine").count() == 9  # the view is replayed on the new one
        assert server.spark.pid != first and server.spark.generation == 2
        assert "stopped by a signal" in server.spark.loss and server.spark.losses == 1


def test_a_jvm_stopped_while_it_starts_is_an_error_with_its_cause() -> None:
    config = (*IMPATIENT, ("twinspark.spark.circuitFailures", "1"))
    with served(*config) as (server, session):
        failures: list[str] = []
        query = threading.Thread(target=lambda: failures.append(failure_of(session)))
        query.start()
        os.kill(until(lambda: server.spark.pid), signal.SIGSTOP)
        query.join(60)
        assert "has been stopped by a signal" in failures[0]


def test_a_long_query_is_no_hang() -> None:
    """Silent for longer than every limit, while Spark's server answers the watch."""
    pause = F.udf(lambda number: __import__("time").sleep(25) or number, LongType())
    with served(*IMPATIENT) as (server, session):
        assert [row[0] for row in session.range(0, 1, 1, 1).select(pause("id")).collect()] == [0]
        assert server.spark.losses == 0


def test_a_query_that_kills_spark_is_an_error_and_no_endless_loop() -> None:
    """It takes its JVM along whenever it runs: twice, and then the client is told."""
    with served() as (server, session):
        assert session.range(1).count() == 1
        began = time.monotonic()
        stopped = threading.Event()
        killer = threading.Thread(target=kill_whoever_works, args=(server, stopped))
        killer.start()
        message = failure_of(session, slow=True)
        stopped.set()
        killer.join()
        assert "Spark was lost while it ran this" in message and "SIGKILL" in message
        assert server.spark.losses == 2 and time.monotonic() - began < 300
        assert session.range(3).count() == 3


def kill_whoever_works(server: Any, stopped: threading.Event) -> None:
    """Every Spark that is ready, five seconds later."""
    while not stopped.wait(5):
        if server.spark.state.value == "ready" and server.spark.losses < 2:
            os.kill(server.spark.pid, signal.SIGKILL)


def failure_of(session: Any, slow: bool = False) -> str:
    pause = F.udf(lambda number: __import__("time").sleep(600) or number, LongType())
    with pytest.raises(PySparkException) as caught:
        session.range(1).select(pause("id") if slow else F.col("id")).collect()
    return str(caught.value)
