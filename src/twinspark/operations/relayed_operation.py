"""An execution on Spark: relays its responses, reports progress while Spark starts, and retries after Spark's death."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import Cause, SparkError
from twinspark.relay.engine import SparkUnavailable
from twinspark.relay.grpc_calls import Closed, until_cancelled
from twinspark.relay.session import SparkCall, SparkSide
from twinspark.sessions.history.describe import error_columns
from twinspark.sessions.operation import Activity, OperationResult, PlanRequest, State
from twinspark.sessions.plan_effects import may_run_twice
from twinspark.sessions.threads import DaemonThreads
from twinspark.wire.connect.response_fields import METRICS, Fields, fields_of, rows_in_response
from twinspark.wire.connect.response_frames import Framer

Answer = TypeVar("Answer")
REPORT_SECONDS = 2.0  # spark.connect.progress.reportInterval
RELEASE_SECONDS = 1.0
SPARK_INTERRUPTS_SECONDS = 0.1
SMALL_BYTES = 1000  # only small responses are decoded: ResultComplete and progress reports are tiny
IDS = {"session_id", "operation_id", "response_id", "server_side_session_id"}
REPEATABLE = IDS | {"schema", "execution_progress"}
_workers = DaemonThreads("relay")


class ClientLeft(Exception):
    """The client of a stream disconnected while we waited for Spark."""


@dataclass
class RelayedOperation:
    """An execution on Spark: its responses are relayed, and Spark buffers them for a client that reattaches.

    Everything slow before the first response runs in a separate thread, so that the client receives progress reports,
    and
    an interrupt ends the operation for its client whatever Spark does."""

    plan_request: PlanRequest
    spark: SparkSide
    cause: Cause
    ended: Callable[["RelayedOperation"], None]
    framer: Framer
    state: State = State.RUNNING
    started: float = field(default_factory=time.monotonic)
    rows: int = 0
    sent_bytes: int = 0
    _progress: float | None = None
    _metrics: bytes = b""  # that Spark sent after the rows
    _failure: BaseException | None = None
    _generation: int = 0
    _call: SparkCall | None = None
    _left: float | None = None
    _interrupted: bool = False
    _passed_on: bool = False  # whether any response of Spark has reached the client
    _reports: set[str] = field(default_factory=set)  # the ids of our own progress reports, which Spark does not know
    _reports_of_spark: set[str] = field(default_factory=set)  # the ids of responses without any rows of the result
    _opening: "Future[OpenedCall] | None" = None
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def engine(self) -> str:
        return "spark"

    def activity(self) -> Activity:
        return Activity(self.started, self.rows, self.sent_bytes, self._progress)

    def result(self) -> OperationResult:
        condition, error = ("", "") if self._failure is None else error_columns(self._failure)
        return OperationResult(self.rows, self.sent_bytes, condition, error, spark_metrics=self._metrics)

    def start(self) -> None:
        """Does nothing: Spark receives the plan when the client reads."""

    def responses(self) -> Iterator[bytes]:
        self._left = None
        try:
            yield from self._run()
        except SparkLost as loss:
            if self._passed_on or not may_run_twice(self.plan_request):
                raise self._over(loss.error, State.FAILED) from loss
            yield from self._run_again()
        except ClientLeft as left:
            if not self.plan_request.reattachable:
                self._over(left, State.CANCELLED)

    def reattach(self, request: base_pb2.ReattachExecuteRequest, data: bytes) -> Iterator[bytes]:
        if self._generation == 0:  # the connection was cut while Spark was still starting
            yield from self.responses()
            return
        if request.last_response_id in self._reports:
            request.ClearField("last_response_id")
            data = request.SerializeToString()
        try:
            call = self.spark.reattach(data)
            yield from self._follow(call, until_cancelled(call))
        except SparkLost as loss:
            raise self._over(loss.error, State.FAILED) from loss
        except ClientLeft:
            return

    def release(self, request: base_pb2.ReleaseExecuteRequest, data: bytes) -> None:
        if self.known_to_spark and request.release_until.response_id not in self._reports:
            self.spark.inform("ReleaseExecute", data, RELEASE_SECONDS)

    def interrupt(self) -> bool:
        """Spark, which is sent the interrupt too, has a moment to end it; then it ends at least for the client."""
        with self._changed:
            if self.state is not State.RUNNING or self._interrupted:
                return False
            self._interrupted = True
            self._changed.notify_all()
            if self._call is not None:
                start_timer(SPARK_INTERRUPTS_SECONDS, self._call.cancel)
        return True

    def hang_up(self) -> None:
        """The client has disconnected: stops reading from Spark, which buffers the operation's responses for a
        while."""
        with self._changed:
            self._left = time.monotonic()
            self._changed.notify_all()
            if self._call is not None:
                self._call.cancel()

    @property
    def detached_seconds(self) -> float:
        """Spark abandons its own operations; only operations that ended long ago are removed here."""
        return 0.0 if self._left is None else time.monotonic() - self._left

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def known_to_spark(self) -> bool:
        return self.spark.open and self._generation == self.spark.generation

    @property
    def is_lost(self) -> bool:
        """An attached stream detects the loss itself, and may send the plan again."""
        return self._generation != 0 and self._left is not None and not self.known_to_spark

    # ---- before Spark has received the plan

    def _run(self) -> Iterator[bytes]:
        """Until Spark's first response everything runs in a separate thread."""
        if self._opening is None or has_failed(self._opening):
            self._opening = _workers.submit(self._open)
        opened = yield from self._waiting(self._opening, reports_at_once=self.spark.starting)
        yield from self._follow(opened.call, opened.responses())

    def _open(self) -> "OpenedCall":
        send = self.spark.prepare_stream("ExecutePlan", self.plan_request.data)
        with self._changed:
            if self._interrupted or (self._left is not None and not self.plan_request.reattachable):
                raise ClientLeft
            self._generation = self.spark.generation
            self._call = self._send(send)
        return OpenedCall.of(self._call)

    def _send(self, send: Callable[[], SparkCall]) -> SparkCall:
        try:
            return send()
        except Closed as replaced:
            raise SparkLost(SparkUnavailable("Spark was replaced at this moment")) from replaced

    def _run_again(self) -> Iterator[bytes]:
        """Sends the plan to a new Spark, since no rows of the result were sent and none can have been written."""
        self._generation, self._opening, self._call = 0, None, None
        self._reports |= self._reports_of_spark  # the next Spark does not know them
        try:
            yield from self._run()
        except SparkLost as loss:
            raise self._over(loss.error, State.FAILED) from loss
        except ClientLeft:
            return

    def _waiting(self, work: "Future[Answer]", reports_at_once: bool = False) -> Generator[bytes, None, Answer]:
        """Yields progress reports until the work ends; the first one at once if it is known to take long."""
        work.add_done_callback(lambda _: self._wake())
        pause = 0.0 if reports_at_once else REPORT_SECONDS
        while not self._done_within(pause, work):
            report = self.framer.starting()
            self._reports.add(report.response_id)
            yield report.data
            yield b""
            pause = REPORT_SECONDS
        try:
            return work.result()
        except (SparkUnavailable, grpc.RpcError) as error:
            self._over(error, State.FAILED)
            raise

    def _done_within(self, seconds: float, work: "Future[Answer]") -> bool:
        with self._changed:
            self._changed.wait_for(lambda: work.done() or self._interrupted or self._left is not None, seconds)
        if self._interrupted:
            raise self._over(SparkError("OPERATION_CANCELED"), State.CANCELLED)
        if self._left is not None:
            raise ClientLeft
        return work.done()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # ---- after Spark has received the plan

    def _follow(self, call: SparkCall, responses: Iterator[bytes]) -> Iterator[bytes]:
        complete = False
        self._keep(call)
        try:
            for response in responses:
                if self._note(response):
                    complete = True
                    self._finish()  # before the client receives it: its next request must find the final state
                yield response + call.suffix
                yield b""  # Spark's responses are flushed at once
        except grpc.RpcError as failure:
            self._fail(failure)
            yield from self._raise_failure(failure, call)
        if not complete and not self.plan_request.reattachable:
            self._finish()

    def _note(self, response: bytes) -> bool:
        """Whether it is the last response; responses without rows may come again from another Spark."""
        self.sent_bytes += len(response)
        if len(response) >= SMALL_BYTES:
            self._passed_on = True
            self._note_fields(fields_of(response))
            return False
        read = base_pb2.ExecutePlanResponse.FromString(response)
        if {field.name for field, _ in read.ListFields()} <= REPEATABLE:
            self._reports_of_spark.add(read.response_id)
        else:
            self._passed_on = True
        self._note_numbers(read)
        return bool(read.HasField("result_complete"))

    def _note_fields(self, fields: Fields) -> None:
        self.rows += rows_in_response(fields)
        if isinstance(metrics := fields.get(METRICS), memoryview):
            self._metrics = bytes(metrics)

    def _note_numbers(self, read: base_pb2.ExecutePlanResponse) -> None:
        if read.HasField("arrow_batch") and not read.arrow_batch.chunk_index:
            self.rows += read.arrow_batch.row_count
        if read.HasField("metrics"):
            self._metrics = read.metrics.SerializeToString()
        if tasks := sum(each.num_tasks for each in read.execution_progress.stages):
            self._progress = sum(each.num_completed_tasks for each in read.execution_progress.stages) / tasks

    def _keep(self, call: SparkCall) -> None:
        with self._changed:
            self._call, self._left = call, None
            if self._interrupted:
                call.cancel()

    def _raise_failure(self, failure: grpc.RpcError, call: SparkCall) -> Iterator[bytes]:
        """Distinguishes the client's own interrupt, Spark's death, and an error that Spark returned."""
        if self._interrupted and failure.code() == grpc.StatusCode.CANCELLED:
            raise self._over(SparkError("OPERATION_CANCELED"), State.CANCELLED) from failure
        dead = yield from self._waiting(_workers.submit(self.spark.consider, failure, call.relay))
        if dead:
            raise SparkLost(self.spark.lost_error(call.relay)) from failure
        raise failure

    def _fail(self, failure: grpc.RpcError) -> None:
        """An error that Spark returned ends the operation; a broken connection does not: the client may reattach."""
        if failure.code() == grpc.StatusCode.INTERNAL and self.state is State.RUNNING:
            self._failure = failure
            canceled = "OPERATION_CANCELED" in (failure.details() or "")
            self.state = State.CANCELLED if canceled else State.FAILED
            self.ended(self)

    def _over(self, error: Exception, state: State) -> Exception:
        if self.state is State.RUNNING:
            self.state, self._failure = state, error
            self.ended(self)
        return error

    def _finish(self) -> None:
        if self.state is State.RUNNING:
            self.state = State.SUCCEEDED
            self.ended(self)


@dataclass(frozen=True)
class OpenedCall:
    """A call to Spark after its first response, or after its failure."""

    call: SparkCall
    first: bytes | None
    failure: grpc.RpcError | None = None

    @classmethod
    def of(cls, call: SparkCall) -> "OpenedCall":
        try:
            return cls(call, next(iter(call), None))
        except grpc.RpcError as failure:
            return cls(call, None, failure)

    def responses(self) -> Iterator[bytes]:
        if self.failure is not None:
            raise self.failure
        if self.first is not None:
            yield self.first
        yield from until_cancelled(self.call)


class SparkLost(Exception):
    """Spark died, or was replaced, during a call; holds the error for the client if a retry is impossible."""

    def __init__(self, error: SparkUnavailable) -> None:
        super().__init__(str(error))
        self.error = error


def has_failed(work: "Future[Any]") -> bool:
    return work.done() and work.exception() is not None


def start_timer(seconds: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
