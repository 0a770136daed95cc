"""kill -9 in the middle of statements: of the server, of a worker, of the JVM. What was acknowledged is there."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from attacked import Attacked, Serve
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from waiting import until

ROUNDS = 4
Count = Callable[[str, int], None]


def inserting(server: Attacked, acknowledged: list[int], begun: list[int], stop: threading.Event) -> None:
    """One row after another, until the server is gone."""
    session = server.session()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    while not stop.is_set():
        begun.append(len(begun))
        try:
            session.sql(f"insert into kept values ({begun[-1]})").collect()
        except (PySparkException, grpc.RpcError):
            return
        acknowledged.append(begun[-1])


@pytest.mark.attack
def test_a_killed_server_loses_no_acknowledged_row(serve: Serve, tmp_path: Path, count: Count) -> None:
    options = ["--engine", "duckdb", "--warehouse", str(tmp_path / "warehouse")]
    server, chance = serve(*options), random.Random(18)
    server.session().sql("create table kept (a int)").collect()
    acknowledged: list[int] = []
    begun: list[int] = []
    for _ in range(ROUNDS):
        stop = threading.Event()
        thread = threading.Thread(target=inserting, args=(server, acknowledged, begun, stop), daemon=True)
        already = len(acknowledged)
        thread.start()
        until(lambda already=already: len(acknowledged) > already + 2)  # type: ignore[misc]
        time.sleep(chance.random())
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        stop.set()  # its client tries again for minutes; the thread is left to that
        server = serve(*options)
        rows = [row.a for row in server.session().sql("select a from kept").collect()]
        assert len(rows) == len(set(rows)), "a row was written twice"
        assert set(acknowledged) <= set(rows) <= set(begun)
    count("kills: of the server", ROUNDS)
    count("kills: statements around them, none lost", len(begun))


@pytest.mark.attack
def test_a_killed_worker_is_an_error_and_no_more(serve: Serve, tmp_path: Path, count: Count) -> None:
    server = serve("--engine", "duckdb", "--conf", "twinspark.python.user=server")
    session = server.session()
    type(session)._active_session.session = session
    told = str(tmp_path / "worker")

    def slow(x: int) -> int:
        Path(told).write_text(str(os.getpid()))
        time.sleep(600)
        return x

    for _ in range(ROUNDS):
        Path(told).unlink(missing_ok=True)
        raised = asked_aside(session, slow)
        process = until(lambda: Path(told).exists() and Path(told).read_text())
        os.kill(int(process), signal.SIGKILL)
        assert "Python worker exited unexpectedly (crashed)" in str(until(lambda r=raised: r and r[0]))  # type: ignore[misc]
        assert session.range(1).select(F.udf(lambda x: x + 1, "long")("id")).first()[0] == 1
    count("kills: of a Python worker", ROUNDS)


def asked_aside(session: Any, function: Callable[[int], int]) -> list[Exception]:
    raised: list[Exception] = []
    frame = session.range(1).select(F.udf(function, "long")("id"))

    def ask() -> None:
        try:
            frame.collect()
        except PySparkException as error:
            raised.append(error)

    threading.Thread(target=ask, daemon=True).start()
    return raised


@pytest.mark.attack
@pytest.mark.spark
def test_a_killed_jvm_is_started_again_and_tables_stay(serve: Serve, tmp_path: Path, count: Count) -> None:
    options = ["--spark-master", "local[2]", "--spark-memory", "1g", "--warehouse", str(tmp_path / "warehouse")]
    server = serve(*options)
    session = server.session()
    session.sql("create table kept (a int)").collect()
    on_spark = "select java_method('java.lang.Integer', 'toString', a) as a from kept"
    for number in range(3):
        session.sql(f"insert into kept values ({number})").collect()
        assert len(session.sql(on_spark).collect()) == number + 1
        (jvm,) = jvms_of(server)
        os.kill(jvm, signal.SIGKILL)
        until(lambda jvm=jvm: not Path(f"/proc/{jvm}/cmdline").exists() or jvm not in jvms_of(server))  # type: ignore[misc]
        assert session.sql("select count(*) from kept").first()[0] == number + 1  # the native half did not notice
    assert len(session.sql(on_spark).collect()) == 3
    count("kills: of the JVM", 3)


def jvms_of(server: Attacked) -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    found = [int(each) for path in children for each in path.read_text().split()]
    return [each for each in found if b"java" in Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0")[0]]
