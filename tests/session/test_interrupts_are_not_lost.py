"""Interrupts that come at awkward moments: before the work has begun, while DuckDB gives way to Spark, at the end."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql.connect.proto import base_pb2
from waiting import until

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.operations.memory_watch import WATCH
from twinspark.operations.native_operation import NativeOperation, Producer, Work
from twinspark.operations.planned_operation import Client, PlannedOperation
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.operation import PlanRequest, State
from twinspark.wire.connect.response_frames import Framer

ENDLESS = "select count(*) from range(100000000000) t(id) where id % 7 = id % 11 and id % 13 = id % 17"


@pytest.fixture
def engine() -> Iterator[NativeEngine]:
    opened = NativeEngine()
    yield opened
    opened.close(lambda: False)


def asked() -> PlanRequest:
    request = base_pb2.ExecutePlanRequest(session_id="s", operation_id="o")
    request.request_options.add().reattach_options.reattachable = True
    return PlanRequest(request, request.plan, request.SerializeToString(), "o")


def operation(engine: NativeEngine, work: Work, instead: Callable[[NotNative], Any], by: Producer) -> NativeOperation:
    framer = Framer("s", "server side", "o")
    return NativeOperation(asked(), framer, engine.cursor(), work, "", instead, lambda ended: None, by)


def nothing(running: NativeOperation) -> Iterator[tuple[bytes, ...]]:
    yield from ()


def giving_up(running: NativeOperation) -> Iterator[tuple[bytes, ...]]:
    raise NotNative(reasons.PLANNING, "this is not known before it runs")
    yield ()


def endless(running: NativeOperation) -> Iterator[tuple[bytes, ...]]:
    running.cursor.execute(ENDLESS)
    yield ()


def never(why: NotNative) -> Any:
    raise AssertionError(why)


def test_work_that_nobody_has_begun_is_over_at_once(engine: NativeEngine) -> None:
    unread = operation(engine, nothing, never, Producer.READER)
    assert unread.interrupt()
    assert until(lambda: unread.state is State.CANCELLED)
    with pytest.raises(SparkError, match="OPERATION_CANCELED"):
        list(unread.responses())
    assert not unread.interrupt()


def test_while_the_plan_passes_to_spark(engine: NativeEngine) -> None:
    def instead(why: NotNative) -> Any:
        assert given_up.interrupt()
        return operation(engine, nothing, never, Producer.READER)

    given_up = operation(engine, giving_up, instead, Producer.READER)
    with pytest.raises(SparkError, match="OPERATION_CANCELED"):
        list(given_up.responses())
    assert given_up.state is State.CANCELLED and given_up.engine == "duckdb"


def test_after_duckdb_gave_up_and_before_its_client_came_back(engine: NativeEngine) -> None:
    given_up = operation(engine, giving_up, never, Producer.CALLER)
    given_up.start()
    assert given_up.interrupt()
    assert given_up.state is State.CANCELLED


def test_an_operation_that_went_to_spark_has_its_state_there(engine: NativeEngine) -> None:
    successor = operation(engine, nothing, never, Producer.READER)
    given_up = operation(engine, giving_up, lambda why: successor, Producer.READER)
    list(given_up.responses())
    assert given_up.state is State.SUCCEEDED


def test_a_second_stream_does_not_wait_for_the_plan_to_be_read() -> None:
    planned, is_reading, may_end = PlannedOperation(asked(), Client()), threading.Event(), threading.Event()

    def read() -> Any:
        is_reading.set()
        may_end.wait()
        return None

    def follow() -> None:
        with pytest.raises(SparkError, match="OPERATION_CANCELED"):
            list(planned.responses())
        freed.set()

    def become() -> None:
        with pytest.raises(SparkError, match="OPERATION_CANCELED"):
            planned.become(read)

    freed = threading.Event()
    threads = [threading.Thread(target=each, daemon=True) for each in (become, follow)]
    for each in threads:
        each.start()
    is_reading.wait()
    assert planned.interrupt()
    assert freed.wait(60) and not may_end.is_set()
    may_end.set()
    threads[0].join(60)


def test_a_database_is_not_closed_under_a_query_that_was_interrupted() -> None:
    """Closing closes the cursors, and a query that starts at this moment could not be interrupted any more."""
    engine = NativeEngine()
    running = operation(engine, endless, never, Producer.THREAD)
    running.start()
    running.interrupt()
    engine.close(WATCH.waits_for_interrupted)
    assert until(lambda: running.state is State.CANCELLED)


def test_a_database_that_is_busy_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twinspark.sessions.native_engine.CLOSING_SECONDS", 0.05)
    engine = NativeEngine()
    cursor = engine.cursor()
    engine.close(lambda: True)
    assert cursor.execute("select 1").fetchall() == [(1,)]
