"""The response log: a cut stream is resumed from any response, memory stays bounded, one reader at a time."""

import threading
import time
from weakref import WeakSet

import pytest
from waiting import until

from twinspark.errors import SparkError
from twinspark.operations import reattach_buffer
from twinspark.operations.reattach_buffer import Cancelled, ReattachBuffer
from twinspark.wire.connect.response_frames import ResponseFrame


def frame(number: int, size: int = 1) -> ResponseFrame:
    return ResponseFrame(f"r{number}", bytes([number % 256]) * size)


def filled(count: int, size: int = 1) -> ReattachBuffer:
    log = ReattachBuffer(reattachable=True)
    for number in range(1, count + 1):
        log.put(frame(number, size))
    log.finish()
    return log


def read(log: ReattachBuffer, after: str | None = None) -> list[int]:
    return [data[0] for data in log.read(after, lambda: None)]


def test_a_reader_may_start_after_any_response() -> None:
    log = filled(5)
    assert read(log) == [1, 2, 3, 4, 5]
    assert read(log, after="r3") == [4, 5]
    assert read(log, after="r5") == []


def test_what_was_released_is_gone() -> None:
    log = filled(5)
    assert read(log) == [1, 2, 3, 4, 5]
    log.release_until("r2")
    assert read(log, after="r2") == [3, 4, 5]
    with pytest.raises(SparkError) as caught:
        read(log, after="r1")
    assert caught.value.condition == "INVALID_CURSOR.POSITION_NOT_AVAILABLE"
    assert caught.value.parameters == {"index": "2", "responseId": "r2"}


def test_an_unknown_response_is_refused() -> None:
    with pytest.raises(SparkError) as caught:
        read(filled(1), after="other")
    assert caught.value.condition == "INVALID_CURSOR.POSITION_NOT_FOUND"


def test_the_error_comes_after_the_responses_and_again_for_who_reattaches() -> None:
    log = ReattachBuffer(reattachable=True)
    log.put(frame(1))
    log.finish(SparkError("DIVIDE_BY_ZERO", config="x"))
    seen = []
    with pytest.raises(SparkError):
        seen.extend(iter(log.read(None, lambda: None)))
    assert read_first(log) == b"\x01"
    with pytest.raises(SparkError) as caught:
        read(log, after="r1")
    assert caught.value.condition == "DIVIDE_BY_ZERO"


def read_first(log: ReattachBuffer) -> bytes:
    return next(log.read(None, lambda: None))


def test_the_producer_waits_for_a_slow_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reattach_buffer, "AHEAD_BYTES", 10)
    log = ReattachBuffer(reattachable=True)
    produced = []

    def produce() -> None:
        for number in range(1, 9):
            log.put(frame(number, size=5))
            produced.append(number)
        log.finish()

    thread = threading.Thread(target=produce)
    thread.start()
    until(lambda: len(produced) == 2)
    time.sleep(0.2)  # time enough to go on, were it not held back
    assert produced == [1, 2]
    assert read(log) == [1, 2, 3, 4, 5, 6, 7, 8]
    thread.join(60)
    assert len(produced) == 8


def test_what_was_sent_is_kept_only_up_to_the_retry_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reattach_buffer, "RETRY_BYTES", 20)
    log = filled(10, size=10)
    assert read(log) == list(range(1, 11))
    assert read(log, after="r8") == [9, 10]
    with pytest.raises(SparkError, match="POSITION_NOT_AVAILABLE"):
        read(log, after="r2")


def test_all_buffers_together_are_bounded_and_each_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReattachBuffer, "all", WeakSet())  # without those of other tests
    monkeypatch.setattr(reattach_buffer, "TOGETHER_BYTES", 100)
    monkeypatch.setattr(reattach_buffer, "FLOWING_BYTES", 10)
    monkeypatch.setattr(reattach_buffer, "SPARK_RETRY_BYTES", 10)
    unread = filled(11, size=10)
    log = ReattachBuffer(reattachable=True)
    producer = threading.Thread(
        target=lambda: ([log.put(frame(number, size=10)) for number in (1, 2, 3)], log.finish())
    )
    producer.start()
    until(lambda: log.held_bytes == 10)
    time.sleep(0.2)  # time enough to run ahead, were it not held back
    assert log.held_bytes == 10
    assert read(log) == [1, 2, 3]
    producer.join(60)
    assert log.held_bytes == 10  # what was sent is not held longer than Spark would
    assert read(unread, after="r9") == [10, 11]


def test_a_new_reader_sends_the_old_one_away() -> None:
    log = ReattachBuffer(reattachable=True)
    log.put(frame(1))
    first = log.read(None, lambda: None)
    assert next(first) == b"\x01"
    second = log.read("r1", lambda: None)
    log.put(frame(2))
    assert next(second) == b"\x02"
    with pytest.raises(SparkError) as caught:
        next(first)
    assert caught.value.condition == "INVALID_CURSOR.DISCONNECTED"


def test_progress_is_reported_while_nothing_else_comes() -> None:
    log = ReattachBuffer(reattachable=True)
    reader = log.read(None, lambda: ResponseFrame("p", b"progress"), every=0.01)
    assert next(reader) == b"progress"
    assert not log.has_sent_rows
    log.put(frame(1))
    while (data := next(reader)) == b"progress":
        pass
    assert data == b"\x01" and log.has_sent_rows


def test_a_cancelled_producer_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reattach_buffer, "AHEAD_BYTES", 1)
    log = ReattachBuffer(reattachable=True)
    log.put(frame(1))
    threading.Timer(0.05, log.cancel).start()
    with pytest.raises(Cancelled):
        log.put(frame(2))


def test_the_client_of_a_cancelled_execution_is_free_while_the_engine_is_not() -> None:
    log = ReattachBuffer(reattachable=True)
    log.put(ResponseFrame("r1", b"1"))
    reading = log.read(None, lambda: None)
    assert next(reading) == b"1"
    log.cancel()
    with pytest.raises(SparkError, match="OPERATION_CANCELED"):
        next(reading)
    assert not log.is_finished
