"""An execution on DuckDB: a producer writes to the response buffer, from which streams read one after another."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum
from math import inf
from typing import Any

import duckdb
from pyspark.sql.connect.proto import base_pb2

from twinspark.compile.pipeline import CompiledPlan
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.duck.native import Cancellation
from twinspark.duck.python.runs import release
from twinspark.duck.results.month_intervals import empty_batch
from twinspark.errors import Cause, NotNative, OutOfMemory, SparkError
from twinspark.operations.memory_watch import WATCH
from twinspark.operations.planned_operation import working_for
from twinspark.operations.reattach_buffer import ReattachBuffer
from twinspark.plan.relations import Aggregate, Distinct, LocalData, Relation, Repartition
from twinspark.sessions.history.describe import error_columns
from twinspark.sessions.operation import Activity, Operation, OperationResult, PlanRequest, State
from twinspark.sessions.threads import DaemonThreads
from twinspark.wire.connect.response_buffer import Part
from twinspark.wire.connect.response_frames import (
    BatchWriter,
    Framer,
    ResponseFrame,
    metrics_field,
    progress_done_field,
    schema_field,
)

PROGRESS_SECONDS = 2.0  # spark.connect.progress.reportInterval
MAX_CHUNK = 64 * 1024 * 1024
LEAST_CHUNK = 1024
READER_BYTES = 1024 * 1024  # a reader that produces responses itself sends them after this many
INTERRUPT_SECONDS = 0.05
PROFILE_TAG = "twinspark.profile"  # operations with this tag are profiled, which costs 2 to 4 % of their time
PROFILE = "SET enable_profiling = 'no_output'"
_producers = DaemonThreads("native")
Work = Callable[["NativeOperation"], Iterator[tuple[Part, ...]]]


class Producer(Enum):
    """Which thread does an operation's work: for a small one, two thread switches cost more than the work itself."""

    CALLER = "the caller of start(), at once: its work only changes state"
    READER = "the first stream that reads it, up to READER_BYTES: it has few rows"
    THREAD = "a separate thread: it may take long"


class NativeOperation:
    """Runs its work once; `instead` creates an operation on Spark if DuckDB fails before anything was sent."""

    def __init__(
        self,
        plan_request: PlanRequest,
        framer: Framer,
        cursor: Cursor,
        work: Work,
        cause: Cause,
        instead: Callable[[NotNative], Operation],
        ended: Callable[["NativeOperation"], None],
        producer: Producer = Producer.THREAD,
        compiled: Sequence[CompiledPlan] = (),
        notes: dict[str, Any] | None = None,
    ) -> None:
        self.plan_request = plan_request
        self.cause = cause
        self.cursor = cursor
        self._framer = framer
        self._work = work
        self._instead = instead
        self._ended = ended
        self._producer = producer
        self._unproduced = threading.Lock()  # whichever thread acquires it does the work
        self._state = State.RUNNING
        self._passing_on = threading.Lock()  # decides between a successor on Spark and an interrupt
        self._successor: Operation | None = None
        self._log = ReattachBuffer(plan_request.reattachable)
        self._cancelled = threading.Event()
        self._stopped: OutOfMemory | None = None
        self._cancellation = Cancellation()
        self._left = threading.Event()
        self._done = threading.Event()
        self.started = time.monotonic()
        self.seconds = 0.0
        self.rows = 0
        self.sent_bytes = 0
        self.operators: Sequence[str] = ()
        self._compiled = compiled
        self._notes = notes
        self._profile = ""
        self._failure: BaseException | None = None

    @property
    def engine(self) -> str:
        return "duckdb" if self._successor is None else self._successor.engine

    @property
    def state(self) -> State:
        return self._state if self._successor is None else self._successor.state

    def activity(self) -> Activity:
        if self._successor is not None:
            return self._successor.activity()
        return Activity(self.started, self.rows, self.sent_bytes, self._fraction_done())

    def result(self) -> OperationResult:
        condition, error = ("", "") if self._failure is None else error_columns(self._failure)
        return OperationResult(self.rows, self.sent_bytes, condition, error, self._compiled, self._notes, self._profile)

    def start(self) -> None:
        if self._producer is Producer.CALLER:
            self._work_off()
        elif self._producer is Producer.THREAD:
            _producers.submit(self._work_off)

    def responses(self) -> Iterator[bytes]:
        yield from self._read(None)

    def reattach(self, request: base_pb2.ReattachExecuteRequest, data: bytes) -> Iterator[bytes]:
        if not self.plan_request.reattachable:
            raise SparkError("INVALID_CURSOR.NOT_REATTACHABLE")
        if self._successor is not None:
            yield from self._follow_successor(request, data)
            return
        yield from self._read(request.last_response_id if request.HasField("last_response_id") else None)

    def release(self, request: base_pb2.ReleaseExecuteRequest, data: bytes) -> None:
        if not self.plan_request.reattachable:
            raise SparkError("INVALID_CURSOR.NOT_REATTACHABLE")
        if self._successor is not None:
            self._successor.release(request, data)
        elif request.HasField("release_until"):
            self._log.release_until(request.release_until.response_id)
        else:
            self._log.release_all()
            self.interrupt()

    def interrupt(self) -> bool:
        with self._passing_on:
            if self._successor is None and not self._is_interruptible:
                return False
            if self._successor is None:
                self._cancelled.set()
        if self._successor is not None:
            return self._successor.interrupt()
        if self._gives_way:
            self._settle(State.CANCELLED)
        self._stop_engine()
        return True

    @property
    def is_interrupted(self) -> bool:
        return self._cancelled.is_set()

    @property
    def _is_interruptible(self) -> bool:
        return not self._cancelled.is_set() and (self._gives_way or not self._log.is_finished)

    @property
    def _gives_way(self) -> bool:
        """Whether DuckDB gave up before anything was sent: the plan runs on Spark when its client reads again."""
        return isinstance(self._log.failure, NotNative) and not self._log.has_sent_rows

    def _stop_engine(self) -> None:
        self._cancellation.cancel()
        self._log.cancel()
        with suppress(duckdb.ConnectionException):  # it ended at this moment, and its cursor is closed
            self.cursor.interrupt()
        release(self.cursor)
        _producers.submit(self._interrupt_until_done)

    def _interrupt_until_done(self) -> None:
        """Repeats the interrupt, since DuckDB ignores one that comes before its query runs or while it is planned.

        Work that no thread has begun ends here."""
        self._work_off()
        while not self._done.wait(INTERRUPT_SECONDS):
            with suppress(duckdb.ConnectionException):
                self.cursor.interrupt()

    def stop(self, failure: OutOfMemory) -> bool:
        """Ends it like an interrupt, but with this failure: it may still succeed on Spark."""
        if self._log.is_finished or self._cancelled.is_set() or self._stopped is not None:
            return False
        self._stopped = failure
        with suppress(duckdb.ConnectionException):
            self.cursor.interrupt()
        release(self.cursor)
        return True

    def hang_up(self) -> None:
        """The client's stream has ended. A reattachable operation continues; another one is interrupted."""
        self._left.set()
        if not self.plan_request.reattachable:
            self.interrupt()
        if self._successor is not None:
            self._successor.hang_up()

    @property
    def detached_seconds(self) -> float:
        if self._successor is not None:
            return self._successor.detached_seconds
        return time.monotonic() - self._log.last_read if self._left.is_set() else 0.0

    @property
    def is_lost(self) -> bool:
        return self._successor is not None and self._successor.is_lost

    @property
    def chunk_bytes(self) -> int | None:
        """The client's preference for Arrow batches in chunks: none, any size, or a preferred size."""
        for option in self.plan_request.request.request_options:
            if option.HasField("result_chunking_options") and option.result_chunking_options.allow_arrow_batch_chunking:
                preferred = option.result_chunking_options.preferred_arrow_chunk_size
                return preferred if LEAST_CHUNK <= preferred <= MAX_CHUNK else MAX_CHUNK
        return None

    def _read(self, after: str | None) -> Iterator[bytes]:
        self._left.clear()
        if self._producer is Producer.READER:
            self._work_off(READER_BYTES)
        try:
            yield from self._log.read(after, self._progress, PROGRESS_SECONDS, self._left.is_set, pauses=True)
            return
        except NotNative as error:
            if self._log.has_sent_rows:
                raise
            successor = self._successor_for(error)
        yield from self._start_successor(successor).responses()

    def _successor_for(self, error: NotNative) -> Operation:
        """An operation on Spark; if the session allows none, this one fails for the reason of the error."""
        try:
            return self._instead(error)
        except NotNative as rejected:
            self.cause, self._failure = rejected.cause, rejected
            self._settle(State.FAILED)
            raise

    def _start_successor(self, successor: Operation) -> Operation:
        with self._passing_on:
            if self._cancelled.is_set():
                raise SparkError("OPERATION_CANCELED")
            self._successor = self._successor or successor
            return self._successor

    def _follow_successor(self, request: base_pb2.ReattachExecuteRequest, data: bytes) -> Iterator[bytes]:
        """The client has only received progress reports from us; Spark does not know their ids and starts from its
        first."""
        assert self._successor is not None
        if self._log.knows(request.last_response_id):
            request.ClearField("last_response_id")
            data = request.SerializeToString()
        yield from self._successor.reattach(request, data)

    def _fraction_done(self) -> float | None:
        """DuckDB reports a negative number while it does not know."""
        with suppress(duckdb.ConnectionException):
            percent = self.cursor.query_progress()
            return percent / 100 if percent >= 0 else None
        return None

    def _progress(self) -> ResponseFrame | None:
        with suppress(duckdb.ConnectionException):
            return self._framer.progress(max(0.0, self.cursor.query_progress()) / 100)
        return None

    def _work_off(self, most_bytes: float = inf) -> None:
        """Produces all responses. With `most_bytes` another thread continues after so many, since the buffer does not
        take more than some before this thread reads it."""
        if not self._unproduced.acquire(blocking=False):
            return
        WATCH.enter(self)
        done: Future[None] = Future()
        done.add_done_callback(self._finish_production)
        self._continue_with(self._frames(), done, most_bytes)

    def _continue_with(self, frames: Iterator[ResponseFrame], done: "Future[None]", most_bytes: float) -> None:
        try:
            if self._put_frames(frames, most_bytes):
                done.set_result(None)
            else:
                _producers.submit(self._continue_with, frames, done, inf)
        except BaseException as failure:  # noqa: BLE001  the future passes it on to the client
            done.set_exception(failure)

    def _put_frames(self, frames: Iterator[ResponseFrame], most_bytes: float) -> bool:
        """Whether these are all."""
        with working_for(self._cancelled), self._cancellation.covers_this_thread():
            for frame in frames:
                self._log.put(frame)
                if self.sent_bytes > most_bytes:
                    return False
        return True

    def _frames(self) -> Iterator[ResponseFrame]:
        if self._cancelled.is_set():
            raise SparkError("OPERATION_CANCELED")
        if self.is_profiled:
            self.cursor.execute(PROFILE)
        for parts in self._work(self):
            frame = self._framer.frame(*parts)
            self.sent_bytes += len(frame.data)
            yield frame
        self._profile = self._read_profile()
        self._settle(State.SUCCEEDED)  # before the client receives it: its next request must find the final state
        if self.plan_request.reattachable:
            yield self._framer.result_complete(metrics_field(self.rows, self.seconds, self.operators))

    def _read_profile(self) -> str:
        """Rows and time of each operator, if the client requested them with a tag."""
        return str(self.cursor.get_profiling_information("json")) if self.is_profiled else ""

    @property
    def is_profiled(self) -> bool:
        return PROFILE_TAG in self.plan_request.tags

    def _finish_production(self, done: "Future[None]") -> None:
        WATCH.leave(self)
        self._cancellation.release()
        self._done.set()
        failure = done.exception()
        release(self.cursor)
        self.cursor.close()
        if failure is not None and self._cancelled.is_set():
            failure = SparkError("OPERATION_CANCELED")
        elif failure is not None and self._stopped is not None:
            failure = self._stopped
        elif isinstance(failure, MemoryError):
            failure = OutOfMemory()
        if isinstance(failure, OutOfMemory):
            WATCH.relieve()
        self._failure = failure
        if failure is not None and not isinstance(failure, NotNative):  # NotNative means that it continues on Spark
            self._settle(State.CANCELLED if self._cancelled.is_set() else State.FAILED)
        self._log.finish(failure)

    def _settle(self, state: State) -> None:
        if self._state is State.RUNNING:
            self._state = state
            self.seconds = time.monotonic() - self.started
            self._ended(self)


def rows_of(query: CompiledQuery, operation: NativeOperation) -> Iterator[tuple[Part, ...]]:
    """Schema and first batch in one response, then one response per batch; at least one batch, even if empty."""
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
    for metrics in query.observations():
        yield (metrics,)
    operation.operators, tasks = query.note("operators", lambda: operators_of(query.plan))
    if tasks:  # only then, since a report costs one more response
        yield (progress_done_field(tasks),)


def operators_of(plan: Relation) -> tuple[list[str], int]:
    """The names of the plan's operators, and the number of tasks that were requested."""
    relations = list(relations_of(plan))
    return list(map(operator_name, relations)), sum(map(requested_tasks, relations))


def relations_of(plan: Relation) -> Iterator[Relation]:
    """Relations from the root down to the first leaf."""
    yield plan
    if plan.inputs:
        yield from relations_of(plan.inputs[0])


def operator_name(relation: Relation) -> str:
    """Spark's name for the operator that DuckDB runs in the same way."""
    return OPERATORS.get(type(relation), type(relation).__name__)


OPERATORS: dict[type[Relation], str] = {
    Aggregate: "HashAggregate",
    Distinct: "HashAggregate",
    LocalData: "LocalTableScan",
}


def requested_tasks(relation: Relation) -> int:
    return relation.count if isinstance(relation, Repartition) else 0
