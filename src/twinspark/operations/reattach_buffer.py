"""The reattach buffer: responses of one execution, stored until the client releases them, so that a cut stream can
resume."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import ClassVar
from weakref import WeakSet

from twinspark.errors import SparkError
from twinspark.operations.memory_watch import WATCH
from twinspark.wire.connect.response_frames import ResponseFrame

MEBIBYTE = 1024 * 1024
AHEAD_BYTES = 64 * MEBIBYTE  # how far the engine may run ahead of the client
# Sent, not yet released. Spark buffers 10 MiB, but that much may be in grpc's and the kernel's buffers alone when a
# connection is cut, and is then lost to the client.
RETRY_BYTES = 64 * MEBIBYTE
# All buffers together may take so much, or a part of a small memory; beyond it each has what a stream needs to flow
# and what Spark buffers.
TOGETHER_BYTES = 512 * MEBIBYTE
MEMORY_PART = 4
FLOWING_BYTES = 4 * MEBIBYTE
SPARK_RETRY_BYTES = 10 * MEBIBYTE


NO_MORE_FOR_NOW = ResponseFrame("", b"")  # responses read so far may be flushed to the client: the next takes time


class Cancelled(Exception):
    """The operation was interrupted while it waited for its client."""


class ReattachBuffer:
    """One producer writes; one client at a time reads, from any response it has received."""

    all: ClassVar[WeakSet["ReattachBuffer"]] = WeakSet()

    def __init__(self, reattachable: bool) -> None:
        self._retry_bytes = RETRY_BYTES if reattachable else 0
        self._changed = threading.Condition()
        self._kept: OrderedDict[int, ResponseFrame] = OrderedDict()
        self._index_of: dict[str, int] = {}
        self._produced = 0  # index of the newest response; the first is 1
        self._sent = 0  # highest index ever handed to a reader
        self._reports: set[int] = set()  # indexes of progress reports, which contain no rows
        self._ahead_bytes = 0
        self._behind_bytes = 0
        self._finished = False
        self._cancelled = False
        self._failure: BaseException | None = None
        self._reader = 0
        self.last_read = time.monotonic()
        self.all.add(self)

    def put(self, frame: ResponseFrame) -> None:
        """Waits while the client is far behind, so that memory is bounded for any size of result."""
        with self._changed:
            self._changed.wait_for(lambda: self._may_run_ahead() or self._cancelled)
            if self._cancelled:
                raise Cancelled
            self._append(frame)

    def _may_run_ahead(self) -> bool:
        if self._ahead_bytes < min(FLOWING_BYTES, AHEAD_BYTES):
            return True
        return self._ahead_bytes < AHEAD_BYTES and not are_buffers_full()

    @property
    def held_bytes(self) -> int:
        return self._ahead_bytes + self._behind_bytes

    def finish(self, failure: BaseException | None = None) -> None:
        with self._changed:
            self._finished, self._failure = True, failure
            self._changed.notify_all()

    def cancel(self) -> None:
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    @property
    def is_finished(self) -> bool:
        return self._finished

    @property
    def failure(self) -> BaseException | None:
        return self._failure

    @property
    def has_sent_rows(self) -> bool:
        """Whether any rows of the result have reached a client's stream."""
        return any(index not in self._reports for index in range(1, self._sent + 1))

    def knows(self, response_id: str) -> bool:
        return response_id in self._index_of

    def read(
        self,
        after: str | None,
        progress: Callable[[], ResponseFrame | None],
        every: float = 2.0,
        gone: Callable[[], bool] = bool,
        pauses: bool = False,
    ) -> Iterator[bytes]:
        """Responses after the given id, then new ones as they are produced; progress reports while there are none.

        With `pauses` it yields an empty response before it waits."""
        with self._changed:
            self._reader += 1
            me, index = self._reader, self._position(after)
            self._changed.notify_all()
        is_told = not pauses
        while (frame := self._next(me, index + 1, progress, every, gone, is_told)) is not None:
            is_told = frame is NO_MORE_FOR_NOW or not pauses
            index += frame is not NO_MORE_FOR_NOW
            yield frame.data

    def release_until(self, response_id: str) -> None:
        with self._changed:
            self._drop_until(self._index_of_id(response_id))

    def release_all(self) -> None:
        with self._changed:
            self._drop_until(self._produced)

    def _next(
        self,
        me: int,
        index: int,
        progress: Callable[[], ResponseFrame | None],
        every: float,
        gone: Callable[[], bool],
        is_told: bool,
    ) -> ResponseFrame | None:
        with self._changed:
            while True:
                self._check_reader(me)
                if index <= self._produced:
                    return self._take(index)
                if self._finished:
                    self._end()
                    return None
                if self._cancelled:  # the client is released whatever the engine still does
                    raise SparkError("OPERATION_CANCELED")
                if gone():
                    return None
                if not is_told:
                    return NO_MORE_FOR_NOW
                if not self._changed.wait(every) and (frame := progress()):
                    self._append(frame)
                    self._reports.add(self._produced)

    def _end(self) -> None:
        self.last_read = time.monotonic()
        if self._failure is not None:
            raise self._failure

    def _append(self, frame: ResponseFrame) -> None:
        self._produced += 1
        self._kept[self._produced] = frame
        self._index_of[frame.response_id] = self._produced
        self._ahead_bytes += len(frame.data)
        self._changed.notify_all()

    def _take(self, index: int) -> ResponseFrame:
        frame = self._kept.get(index)
        if frame is None:
            raise SparkError("INVALID_CURSOR.POSITION_NOT_AVAILABLE", index=index, responseId=self._id_of(index))
        if index > self._sent:
            self._sent = index
            self._ahead_bytes -= len(frame.data)
            self._behind_bytes += len(frame.data)
            self._changed.notify_all()
        self.last_read = time.monotonic()
        self._drop_beyond_retry(index)
        return frame

    def _drop_beyond_retry(self, index: int) -> None:
        """Drops responses that were sent long ago even without a release; the newest sent response always stays."""
        most = self._retry_bytes
        if self._behind_bytes > SPARK_RETRY_BYTES and are_buffers_full():
            most = min(most, SPARK_RETRY_BYTES)
        while self._behind_bytes > most and self._kept and next(iter(self._kept)) < index:
            self._drop_until(next(iter(self._kept)))

    def _drop_until(self, index: int) -> None:
        while self._kept and next(iter(self._kept)) <= index:
            dropped, frame = self._kept.popitem(last=False)
            if dropped <= self._sent:
                self._behind_bytes -= len(frame.data)
            else:
                self._ahead_bytes -= len(frame.data)
        self._changed.notify_all()

    def _position(self, after: str | None) -> int:
        return 0 if after is None else self._index_of_id(after)

    def _index_of_id(self, response_id: str) -> int:
        if response_id not in self._index_of:
            raise SparkError("INVALID_CURSOR.POSITION_NOT_FOUND", responseId=response_id)
        return self._index_of[response_id]

    def _id_of(self, index: int) -> str:
        return next((each for each, i in self._index_of.items() if i == index), "<UNKNOWN>")

    def _check_reader(self, me: int) -> None:
        if me != self._reader:  # the same client reattached over a new stream, and the old one ends with an error
            raise SparkError("INVALID_CURSOR.DISCONNECTED")


def are_buffers_full() -> bool:
    """Whether the responses of all operations take their part of the memory: many clients that read nothing."""
    while True:
        with suppress(RuntimeError):  # an operation began or ended meanwhile
            held = sum(each.held_bytes for each in ReattachBuffer.all)
            return held > min(TOGETHER_BYTES, WATCH.resident_limit // MEMORY_PART)
