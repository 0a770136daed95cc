"""An interrupt reaches an operation wherever it is: in the parser, in analysis, in DuckDB's planner, in AnalyzePlan."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from deep_texts import TEXTS
from pyspark.errors import PySparkException
from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc
from pyspark.sql.connect.session import SparkSession
from waiting import until

from twinspark.cancellation import CANCELLED, Cancelled, check_wanted
from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import SparkError
from twinspark.operations.planned_operation import working_for
from twinspark.sessions.settings import Settings

LONG = TEXTS["in"](400_000)  # seconds to parse, seconds to analyse
SOON = 10.0  # 0.2 on a machine that does other things; measured: docs/decisions/interrupts.md


@pytest.fixture(scope="module")
def server() -> Iterator[ConnectServer]:
    made = ConnectServer(Settings(engine="duckdb"))
    yield made
    made.stop()


@pytest.fixture
def spark(server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


def interrupted(spark: Any, text: str, after: float, interrupt: Callable[[], list[str]]) -> float:
    """Seconds from the interrupt to the client's error."""
    ended: list[tuple[float, str]] = []

    def ask() -> None:
        spark.addTag("long")
        with pytest.raises(PySparkException) as failure:
            spark.sql(text).collect()
        ended.append((time.monotonic(), failure.value.getCondition() or ""))

    client = threading.Thread(target=ask)
    client.start()
    time.sleep(after)
    asked: list[float] = []

    def interrupt_now() -> list[str]:
        asked.append(time.monotonic())
        return interrupt()

    assert len(until(interrupt_now)) == 1
    client.join()
    assert ended[0][1] == "OPERATION_CANCELED"
    return ended[0][0] - asked[-1]


@pytest.mark.parametrize("after", [0.5, 2.5])
def test_while_a_statement_is_read(spark: Any, after: float) -> None:
    assert interrupted(spark, LONG, after, spark.interruptAll) < SOON
    assert spark.sql("select 1").collect()[0][0] == 1


def test_by_its_tag(spark: Any) -> None:
    assert interrupted(spark, LONG, 0.5, lambda: spark.interruptTag("long")) < SOON


def test_by_its_id(server: ConnectServer, spark: Any) -> None:
    def interrupt() -> list[str]:
        (session,) = [each for each in server.sessions.all() if each.session_id == spark.session_id]
        (operation,) = session.operations()
        found: list[str] = spark.interruptOperation(operation.plan_request.operation_id)
        return found

    assert interrupted(spark, LONG, 0.5, interrupt) < SOON


def test_its_thread_stops_too(spark: Any) -> None:
    interrupted(spark, LONG, 0.5, spark.interruptAll)
    assert soon(lambda: not threads_in("/read/"))


def test_a_status_says_that_it_was_cancelled(server: ConnectServer, spark: Any) -> None:
    interrupted(spark, LONG, 0.5, spark.interruptAll)
    (session,) = [each for each in server.sessions.all() if each.session_id == spark.session_id]
    assert soon(lambda: [each.value for each in session.outcomes().values()] == ["CANCELLED"])
    assert session.operations() == []


def test_a_client_that_hangs_up_while_its_plan_is_analysed(server: ConnectServer, spark: Any) -> None:
    request = base_pb2.AnalyzePlanRequest(session_id=spark.session_id)
    request.user_context.user_id = "somebody"
    request.schema.plan.root.sql.query = LONG
    with grpc.insecure_channel(server.url.removeprefix("sc://")) as channel:
        with pytest.raises(grpc.RpcError) as failure:
            base_pb2_grpc.SparkConnectServiceStub(channel).AnalyzePlan(request, timeout=0.7)
        assert failure.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert soon(lambda: not threads_in("/read/"))


def test_work_for_nobody_ends_as_spark_says_and_threads_are_used_again() -> None:
    cancelled = threading.Event()
    with working_for(cancelled):
        check_wanted()
        cancelled.set()
        with pytest.raises(Cancelled):
            check_wanted()
    with pytest.raises(SparkError) as error, working_for(cancelled):
        check_wanted()
    assert error.value.condition == "OPERATION_CANCELED"
    assert CANCELLED.get() is None
    check_wanted()


def threads_in(folder: str) -> list[int]:
    """The threads that run a function of that folder, however deep below."""
    return [number for number, frame in sys._current_frames().items() if is_in(frame, folder)]


def is_in(frame: Any, folder: str) -> bool:
    while frame is not None:
        if folder in frame.f_code.co_filename and "twinspark" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def soon(condition: Callable[[], bool]) -> bool:
    return until(condition, SOON)
