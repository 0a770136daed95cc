"""A Spark that is dead, silent, slow or stopped: the client hears the cause in time, and native work goes on."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tests.waiting import until
from twinspark.cli.doctor import examine
from twinspark.doors.connect.server import ConnectServer
from twinspark.relay.launch import free_port
from twinspark.relay.process_state import process_state
from twinspark.sessions import java
from twinspark.sessions.settings import Settings

UNAVAILABLE = "TWINSPARK_SPARK_UNAVAILABLE"
SOON = 15.0  # 0.2 on a quiet machine; minutes, if it waited for a Spark
STARTING = -1  # the stage of our own reports
QUICK = {"silenceTimeout": "1s", "pingTimeout": "1s", "hangTimeout": "2s", "remoteTimeout": "2s"}


@contextmanager
def served(**settings: Any) -> Iterator[tuple[ConnectServer, Any]]:
    server = ConnectServer(Settings(**settings))
    session = SparkSession.builder.remote(server.url).create()
    try:
        yield server, session
    finally:
        session.stop()
        server.stop()


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Connections are accepted by the kernel, and nobody ever says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield listening.getsockname()[1]


def on_spark(session: Any) -> Any:
    """A query that only Spark runs."""
    return session.range(1).select(F.java_method(F.lit("java.lang.Math"), F.lit("abs"), -F.col("id"))).collect()


def failure_of(session: Any) -> tuple[str, str, float]:
    began = time.monotonic()
    with pytest.raises(PySparkException) as caught:
        on_spark(session)
    return caught.value.getCondition() or "", str(caught.value), time.monotonic() - began


class Background:
    """A query in a thread: how it ended and when."""

    def __init__(self, session: Any) -> None:
        self.condition, self.ended = "", 0.0
        self.stages: list[int] = []
        session.registerProgressHandler(self._note)
        self._thread = threading.Thread(target=self._run, args=(session,))
        self._thread.start()

    def _note(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        self.stages.extend(stage.stage_id for stage in stages or ())

    def _run(self, session: Any) -> None:
        try:
            on_spark(session)
        except PySparkException as error:
            self.condition = error.getCondition() or str(error)
        self.ended = time.monotonic()

    def join(self) -> None:
        self._thread.join(120)
        assert not self._thread.is_alive()


def interrupt_while_waiting(session: Any) -> float:
    """Seconds from the interrupt to the end of the query, which has heard from us before."""
    query = Background(session)
    until(lambda: query.stages)
    asked = time.monotonic()
    session.interruptAll()
    query.join()
    assert query.condition == "OPERATION_CANCELED"
    assert set(query.stages) == {STARTING}
    return query.ended - asked


def test_a_dead_remote_is_a_clear_error_and_native_work_goes_on() -> None:
    with served(spark_remote="sc://127.0.0.1:1") as (_, session):
        condition, message, seconds = failure_of(session)
        assert condition == UNAVAILABLE and seconds < SOON
        assert "no Spark answers at sc://127.0.0.1:1" in message and "refused" in message
        assert session.range(3).count() == 3


def test_a_silent_remote_fails_within_its_timeout_and_the_client_hears_of_the_wait(silent_port: int) -> None:
    config = (("twinspark.spark.remoteTimeout", "3s"),)
    with served(spark_remote=f"sc://127.0.0.1:{silent_port}", spark_config=config) as (_, session):
        query = Background(session)
        query.join()
        assert query.condition == UNAVAILABLE and STARTING in query.stages


def test_interrupt_while_a_remote_is_silent(silent_port: int) -> None:
    config = (("twinspark.spark.remoteTimeout", "120s"),)
    with served(spark_remote=f"sc://127.0.0.1:{silent_port}", spark_config=config) as (_, session):
        assert interrupt_while_waiting(session) < SOON


def test_a_remote_that_freezes_is_noticed_and_found_again_when_it_thaws() -> None:
    """A twinspark process on the embedded engine stands in for the remote Spark."""
    words = [sys.executable, "-m", "twinspark", "serve", "--no-ui", "--engine", "duckdb", "--port", "0"]
    config = tuple((f"twinspark.spark.{key}", value) for key, value in QUICK.items())
    remote = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert remote.stderr is not None
        (url,) = re.findall(r"sc://[\d.:]+", remote.stderr.readline())
        with served(engine="spark", spark_remote=url, spark_config=config) as (server, session):
            assert session.range(3).count() == 3
            remote.send_signal(signal.SIGSTOP)
            until(lambda: (state := process_state(remote.pid)) and state.is_stopped)
            with pytest.raises(PySparkException, match="no Spark answers at") as caught:
                session.range(3).count()
            assert caught.value.getCondition() == UNAVAILABLE
            assert "has not answered for" in server.spark.loss
            remote.send_signal(signal.SIGCONT)
            assert session.range(3).count() == 3
    finally:
        remote.kill()
        remote.communicate()


def test_the_circuit_opens_and_closes_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Another twinspark on the embedded engine stands in for the Spark that comes back."""
    port = free_port()
    config = (("twinspark.spark.circuitFailures", "2"), ("twinspark.spark.retryDelay", "600s"))
    with served(spark_remote=f"sc://127.0.0.1:{port}", spark_config=config, metrics_port=0) as (server, session):
        failure_of(session)
        failure_of(session)
        _, message, seconds = failure_of(session)
        assert "the next attempt is in" in message and "refused" in message and seconds < SOON
        assert server.spark.state.value == "open" and server.spark.starts == 2
        assert 'twinspark_spark_state{state="open"} 1.0' in metrics_of(server)
        assert "twinspark_spark_start_failures_total 2.0" in metrics_of(server)
        assert examine(server=server.url) == 1 and "state open" in capsys.readouterr().out
        assert session.range(3).count() == 3
        other = ConnectServer(Settings(engine="duckdb", port=port))
        server.spark.circuit._clock = lambda: time.monotonic() + 600
        session.conf.set("twinspark.engine", "spark")
        assert session.range(5).count() == 5
        assert server.spark.state.value == "ready"
        assert examine(server=server.url) == 0
        session.conf.set("twinspark.engine", "auto")
        other.stop()


def test_a_master_that_is_not_there_is_said_without_starting_a_jvm() -> None:
    config = (("twinspark.spark.circuitFailures", "2"),)
    with served(spark_master="spark://127.0.0.1:1", spark_config=config) as (server, session):
        condition, message, seconds = failure_of(session)
        assert condition == UNAVAILABLE and seconds < SOON
        assert "no Spark master at spark://127.0.0.1:1" in message and "refused" in message
        failure_of(session)
        assert "the next attempt is in" in failure_of(session)[1]
        assert session.range(3).count() == 3
        assert server.spark.pid is None


def test_a_jvm_that_ends_at_once_says_why() -> None:
    with served(spark_master="local[1]", spark_memory="1m") as (_, session):
        assert "Too small maximum heap" in failure_of(session)[1]


def test_no_java_is_said_to_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "candidates", list)
    with served(spark_master="local[1]") as (_, session):
        assert "Spark needs Java 17 or 21" in failure_of(session)[1]


@pytest.mark.spark
def test_interrupt_while_the_jvm_starts() -> None:
    with served(spark_master="local[1]", spark_memory="1g") as (server, session):
        assert interrupt_while_waiting(session) < SOON
        assert server.spark.state.value == "starting"


@pytest.mark.spark
def test_interrupt_while_the_jvm_is_stopped(auto_server: ConnectServer, spark: Any) -> None:
    on_spark(spark)
    pid = auto_server.spark.pid
    assert pid
    os.kill(pid, signal.SIGSTOP)
    try:
        assert interrupt_while_waiting(spark) < SOON
        assert spark.range(3).count() == 3
    finally:
        os.kill(pid, signal.SIGCONT)
    with suppress(PySparkException):  # Spark hears of the interrupt only now, and may end what came after it
        on_spark(spark)
    assert len(on_spark(spark)) == 1


def metrics_of(server: ConnectServer) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.metrics.server_port}/metrics") as answer:
        return str(answer.read().decode())
