"""Which plans are so short that whoever reads their rows computes them, and that such a plan can be stopped."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.cancellation import CANCELLED
from twinspark.duck.run import is_short
from twinspark.errors import NotNative, SparkError
from twinspark.operations.native_operation import NativeOperation, Producer
from twinspark.operations.reattach_buffer import AHEAD_BYTES
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.operation import PlanRequest, State
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.plans.session_context import SessionContext
from twinspark.wire.connect.response_frames import Framer

ENGINE = NativeEngine()
MEBIBYTE_OF_ZEROS = bytes(1024 * 1024)
SHORT = [
    "select 1",
    "select id + 1 from range(10) where id > 3",
    "select k, count(*) from values (1), (2) as t(k) group by k",
    "select a.id from range(10) a join range(10) b",
    "select id from range(1000) r where exists (select 1 from range(1000) t where t.id = r.id)",
    "select 1 union all select id from range(9000) union select 3",
]
LONG = [
    "select id from range(100000)",
    "select (select count(*) from range(1000000000))",
    "select a.id from range(10000) a join range(1000) b",
    "select id from range(1000) where id in (select a.id from range(1000) a join range(1000) b)",
    "select explode(sequence(1, 1000000))",
    "select aggregate(sequence(1, 100000000), 0L, (acc, x) -> acc + x)",
    "select length(repeat('ab', 100000000))",
    "select exists(array(1, 2), x -> x > id) from range(3)",
]


def plan_of(text: str) -> Any:
    message = relations_pb2.Relation(sql=relations_pb2.SQL(query=text))
    known = SessionContext(
        {}, {}, {}, lambda name: b"", catalog="spark_catalog", database="default", user="", session_id=""
    )
    query = PlanCache().read(message, known, ENGINE.cursor())
    return query.plan, query.compiled.contents


@pytest.mark.parametrize("text", SHORT)
def test_short(text: str) -> None:
    assert is_short(*plan_of(text))


@pytest.mark.parametrize("text", LONG)
def test_not_short(text: str) -> None:
    assert not is_short(*plan_of(text))


def operation(work: Any) -> NativeOperation:
    request = base_pb2.ExecutePlanRequest(session_id="s", operation_id="o")
    request.request_options.add().reattach_options.reattachable = True
    asked = PlanRequest(request, request.plan, request.SerializeToString(), "o")
    framer = Framer("s", "server side", "o")
    return NativeOperation(asked, framer, ENGINE.cursor(), work, "", never_instead, print, Producer.READER)


def never_instead(why: NotNative) -> Any:
    raise AssertionError(why)


def test_the_first_reader_computes_and_a_second_reads_the_same() -> None:
    computed_by: list[threading.Thread] = []

    def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
        computed_by.append(threading.current_thread())
        yield (b"",)

    started = operation(work)
    assert computed_by == []
    first = list(started.responses())
    assert first == list(started.responses())
    assert len(first) == 2  # what was yielded, and that it is all
    assert computed_by == [threading.current_thread()]


def test_another_thread_computes_what_the_buffer_does_not_take() -> None:
    """The reader would otherwise wait for itself, as it did for a local relation of 80 MB in 9,000 rows."""
    computed_by: list[threading.Thread] = []

    def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
        for _ in range(AHEAD_BYTES // len(MEBIBYTE_OF_ZEROS) + 2):
            computed_by.append(threading.current_thread())
            yield (MEBIBYTE_OF_ZEROS,)

    sent = sum(map(len, operation(work).responses()))
    assert sent > AHEAD_BYTES
    assert computed_by[0] is threading.current_thread()
    assert computed_by[-1] is not threading.current_thread()


def test_a_failure_after_the_first_bytes_reaches_the_reader() -> None:
    def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
        yield (MEBIBYTE_OF_ZEROS,)
        raise SparkError("DIVIDE_BY_ZERO", config="spark.sql.ansi.enabled")

    failing = operation(work)
    responses = failing.responses()
    assert len(next(responses)) > len(MEBIBYTE_OF_ZEROS)
    with pytest.raises(SparkError, match="DIVIDE_BY_ZERO"):
        list(responses)
    assert failing.state is State.FAILED


def test_what_its_reader_computes_is_stopped_by_others() -> None:
    begun = threading.Event()

    def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
        begun.set()
        cancelled = CANCELLED.get()
        assert cancelled is not None
        assert cancelled.wait(60)
        yield (b"",)

    started = operation(work)
    stopping = threading.Thread(target=lambda: begun.wait(60) and started.interrupt())
    stopping.start()
    with pytest.raises(SparkError, match="OPERATION_CANCELED"):
        list(started.responses())
    stopping.join()
    assert started.state is State.CANCELLED
