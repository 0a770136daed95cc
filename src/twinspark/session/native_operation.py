"""An execution on DuckDB: a producer fills the response log, any number of streams read it in turn."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum
from typing import Any

import duckdb

from twinspark.duck.months import empty_batch
from twinspark.duck.python_runs import release
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Aggregate, Distinct, LocalData, Relation, Spread
from twinspark.session.filled import Part
from twinspark.session.frames import BatchWriter, Frame, Framer, all_done, metrics_field, schema_field
from twinspark.session.native import Cursor, Query
from twinspark.session.operation import Asked, Operation, State
from twinspark.session.responses import ResponseLog
from twinspark.session.threads import CANCELLED, DaemonThreads, settle

PROGRESS_SECONDS = 2.0  # spark.connect.progress.reportInterval
MAX_CHUNK = 64 * 1024 * 1024
LEAST_CHUNK = 1024
_producers = DaemonThreads("native")
Work = Callable[["NativeOperation"], Iterator[tuple[Part, ...]]]


class Producer(Enum):
    """Who does an operation's work. Two changes of thread cost more than the work of a small one."""

    CALLER = "whoever starts it, at once: its work only notes something"
    READER = "the first stream that reads it: its rows are few"
    THREAD = "a thread of its own: it takes as long as it takes"


class NativeOperation:
    """Runs its work once; `instead` takes over when DuckDB gives up before anything was sent."""

    def __init__(
        self,
        asked: Asked,
        framer: Framer,
        cursor: Cursor,
        work: Work,
        reason: str,
        instead: Callable[[NotNative], Operation],
        ended: Callable[["NativeOperation"], None],
        producer: Producer = Producer.THREAD,
    ) -> None:
        self.asked = asked
        self.reason = reason
        self.state = State.RUNNING
        self.cursor = cursor
        self._framer = framer
        self._work = work
        self._instead = instead
        self._ended = ended
        self._producer = producer
        self._unproduced = threading.Lock()  # whoever takes it does the work
        self._successor: Operation | None = None
        self._log = ResponseLog(asked.reattachable)
        self._cancelled = threading.Event()
        self._left = threading.Event()
        self.started = time.monotonic()
        self.seconds = 0.0
        self.rows = 0
        self.operators: Sequence[str] = ()

    @property
    def engine(self) -> str:
        return "duckdb" if self._successor is None else self._successor.engine

    def start(self) -> "NativeOperation":
        if self._producer is Producer.CALLER:
            self._work_off()
        elif self._producer is Producer.THREAD:
            _producers.submit(self._work_off)
        return self

    def responses(self) -> Iterator[bytes]:
        yield from self._read(None)

    def reattach(self, request: Any, data: bytes) -> Iterator[bytes]:
        if not self.asked.reattachable:
            raise SparkError("INVALID_CURSOR.NOT_REATTACHABLE")
        if self._successor is not None:
            yield from self._follow_successor(request, data)
            return
        yield from self._read(request.last_response_id if request.HasField("last_response_id") else None)

    def release(self, request: Any, data: bytes) -> None:
        if not self.asked.reattachable:
            raise SparkError("INVALID_CURSOR.NOT_REATTACHABLE")
        if self._successor is not None:
            self._successor.release(request, data)
        elif request.HasField("release_until"):
            self._log.release_until(request.release_until.response_id)
        else:
            self._log.release_all()
            self.interrupt()

    def interrupt(self) -> bool:
        if self._log.finished or self._cancelled.is_set():
            return False
        self._cancelled.set()
        self._log.cancel()
        with suppress(duckdb.ConnectionException):  # it ended at this very moment, and its cursor is closed
            self.cursor.interrupt()
        release(self.cursor)
        return True

    def hang_up(self) -> None:
        """The client's stream has ended. One that can come back may; one that cannot has left for good."""
        self._left.set()
        if not self.asked.reattachable:
            self.interrupt()
        if self._successor is not None:
            self._successor.hang_up()

    @property
    def detached_seconds(self) -> float:
        if self._successor is not None:
            return self._successor.detached_seconds
        return time.monotonic() - self._log.last_read if self._left.is_set() else 0.0

    @property
    def lost(self) -> bool:
        return self._successor is not None and self._successor.lost

    @property
    def chunk_bytes(self) -> int | None:
        """What the client said about Arrow batches in chunks: not at all, any size, or its preferred one."""
        for option in self.asked.request.request_options:
            if option.HasField("result_chunking_options") and option.result_chunking_options.allow_arrow_batch_chunking:
                preferred = option.result_chunking_options.preferred_arrow_chunk_size
                return preferred if LEAST_CHUNK <= preferred <= MAX_CHUNK else MAX_CHUNK
        return None

    def _read(self, after: str | None) -> Iterator[bytes]:
        self._left.clear()
        if self._producer is Producer.READER:
            self._work_off()
        try:
            yield from self._log.read(after, self._progress, PROGRESS_SECONDS, self._left.is_set, pauses=True)
            return
        except NotNative as error:
            if self._log.sent:
                raise
            self._successor = self._instead(error)
        yield from self._successor.responses()

    def _follow_successor(self, request: Any, data: bytes) -> Iterator[bytes]:
        """All that the client has of ours is progress: Spark does not know those ids, and starts from its first."""
        assert self._successor is not None
        if self._log.knows(request.last_response_id):
            request.ClearField("last_response_id")
            data = request.SerializeToString()
        yield from self._successor.reattach(request, data)

    def _progress(self) -> Frame | None:
        with suppress(duckdb.ConnectionException):
            return self._framer.progress(max(0.0, self.cursor.query_progress()) / 100)
        return None

    def _work_off(self) -> None:
        if not self._unproduced.acquire(blocking=False):
            return
        done: Future[None] = Future()
        done.add_done_callback(self._produced)
        settle(done, self._produce, (), {})

    def _produce(self) -> None:
        CANCELLED.set(self._cancelled)
        for parts in self._work(self):
            self._log.put(self._framer.frame(*parts))
        self._settle(State.SUCCEEDED)  # before the client hears of it: its next request must find everything settled
        if self.asked.reattachable:
            self._log.put(self._framer.result_complete(metrics_field(self.rows, self.seconds, self.operators)))

    def _produced(self, done: "Future[None]") -> None:
        failure = done.exception()
        release(self.cursor)
        self.cursor.close()
        if failure is not None and self._cancelled.is_set():
            failure = SparkError("OPERATION_CANCELED")
        if failure is not None and not isinstance(failure, NotNative):  # what is not native ends on Spark
            self._settle(State.CANCELLED if self._cancelled.is_set() else State.FAILED)
        self._log.finish(failure)

    def _settle(self, state: State) -> None:
        if self.state is State.RUNNING:
            self.state = state
            self.seconds = time.monotonic() - self.started
            self._ended(self)


def rows_of(query: Query, operation: NativeOperation) -> Iterator[tuple[Part, ...]]:
    """Schema and first batch in one response, then a response for each batch; at least one batch, however empty."""
    reader = query.stream(months=True)
    writer = BatchWriter(reader.schema, operation.chunk_bytes)
    head: tuple[Part, ...] = (query.note("schema", lambda: schema_field(query.plan.schema)),)
    for batch in reader:
        operation.rows += batch.num_rows
        for parts in writer.fields(batch):
            yield (*head, *parts)
            head = ()
    if head:
        (parts,) = writer.fields(empty_batch(reader.schema))
        yield (*head, *parts)
    for told in query.observations():
        yield (told,)
    operation.operators, tasks = query.note("operators", lambda: operators_of(query.plan))
    if tasks:  # only then: a report costs one more response
        yield (all_done(tasks),)


def operators_of(plan: Relation) -> tuple[list[str], int]:
    """Their names, and the tasks that were asked for."""
    relations = list(relations_of(plan))
    return list(map(operator_name, relations)), sum(map(tasks_asked, relations))


def relations_of(plan: Relation) -> Iterator[Relation]:
    """From the top down to the first leaf."""
    yield plan
    if plan.inputs:
        yield from relations_of(plan.inputs[0])


def operator_name(relation: Relation) -> str:
    """As Spark calls what DuckDB does in the same way."""
    return OPERATORS.get(type(relation), type(relation).__name__)


OPERATORS: dict[type[Relation], str] = {
    Aggregate: "HashAggregate",
    Distinct: "HashAggregate",
    LocalData: "LocalTableScan",
}


def tasks_asked(relation: Relation) -> int:
    return relation.count if isinstance(relation, Spread) else 0
