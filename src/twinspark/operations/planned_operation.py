"""An execution whose plan is still being read: registered by its id, so that it can be interrupted and reattached
to."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import duckdb
from pyspark.sql.connect.proto import base_pb2

from twinspark.cancellation import CANCELLED, Cancelled
from twinspark.errors import Cause, SparkError, nested_too_deeply, reasons
from twinspark.sessions.operation import NO_RESULT, Activity, Operation, OperationResult, PlanRequest, State

T = TypeVar("T")


@contextmanager
def working_for(cancelled: threading.Event) -> Iterator[None]:
    """Work of this thread inside the context is cancelled once the event is set; it ends here since threads are
    reused."""
    before = CANCELLED.set(cancelled)
    try:
        yield
    except Cancelled:
        raise SparkError("OPERATION_CANCELED") from None
    except RecursionError:
        raise nested_too_deeply() from None
    finally:
        CANCELLED.reset(before)


def limit_recursion(read: Callable[[], T]) -> T:
    """Plans are read recursively; one that exceeds Python's recursion limit falls back to Spark."""
    try:
        return read()
    except RecursionError:
        raise nested_too_deeply() from None


@dataclass(frozen=True)
class Client:
    """The stream that waits for an operation: ended at once by an interrupt, and its disconnection is noticed."""

    free: Callable[[], None] = lambda: None
    add_callback: Callable[[Callable[[], None]], object] = lambda callback: None


class PlannedOperation:
    """Represents an operation until its plan has been read.

    An interrupt ends the client's stream at once; the thread that reads the plan stops at the next node it visits.
    """

    engine = "duckdb"
    cause = Cause(reasons.PLANNING)
    detached_seconds = 0.0

    def __init__(self, plan_request: PlanRequest, client: Client) -> None:
        self.plan_request = plan_request
        self._client = client
        self._cancelled = threading.Event()
        self._read = threading.Event()
        self._decided = threading.Event()  # its plan has been read, or it was cancelled
        self._lock = threading.Lock()
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._made: Operation | None = None
        self._started = time.monotonic()

    def become(self, make: Callable[[], Operation]) -> Operation:
        """Reads the plan in this thread and returns its operation, unless it was interrupted meanwhile."""
        self._client.add_callback(self.hang_up)
        try:
            with working_for(self._cancelled):
                return self._set_operation(make())
        except Exception:
            self._check_cancelled()
            raise
        finally:
            self._read.set()
            self._decided.set()

    def start(self) -> None:
        """The operation that replaces it is started instead."""

    def uses(self, cursor: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """Reading may run queries: for schemas of files, or for the values of a PIVOT."""
        self._cursor = cursor
        return cursor

    def _set_operation(self, made: Operation) -> Operation:
        with self._lock:
            self._check_cancelled()
            self._made = made
            return made

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise SparkError("OPERATION_CANCELED") from None

    @property
    def state(self) -> State:
        if self._made is not None:
            return self._made.state
        return State.CANCELLED if self._cancelled.is_set() else State.RUNNING

    def activity(self) -> Activity:
        return Activity(self._started) if self._made is None else self._made.activity()

    def result(self) -> OperationResult:
        return NO_RESULT if self._made is None else self._made.result()

    @property
    def is_lost(self) -> bool:
        return self._read.is_set() and self._made is None  # reading failed: a client that reattaches has to start again

    def interrupt(self) -> bool:
        with self._lock:
            if self._made is None and self._cancelled.is_set():
                return False
            if self._made is None:
                self._cancelled.set()
        if self._made is not None:
            return self._made.interrupt()
        self._decided.set()
        self._client.free()
        if self._cursor is not None:
            with suppress(duckdb.ConnectionException):
                self._cursor.interrupt()
        return True

    def hang_up(self) -> None:
        """A reattachable operation continues: its plan is read to the end."""
        if not self.plan_request.reattachable:
            self.interrupt()

    def responses(self) -> Iterator[bytes]:
        yield from self._wait_for_operation().responses()

    def reattach(self, request: base_pb2.ReattachExecuteRequest, data: bytes) -> Iterator[bytes]:
        yield from self._wait_for_operation().reattach(request, data)

    def release(self, request: base_pb2.ReleaseExecuteRequest, data: bytes) -> None:
        if request.HasField("release_all"):
            self.interrupt()

    def _wait_for_operation(self) -> Operation:
        """For a stream that attached while another stream's thread reads the plan."""
        self._decided.wait()
        self._check_cancelled()
        if self._made is None:
            raise SparkError("INVALID_HANDLE.OPERATION_NOT_FOUND", handle=self.plan_request.operation_id)
        return self._made
