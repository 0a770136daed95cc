"""One operation of a Thrift session: its execution, its state, and its rows as they are fetched."""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence

import pyarrow as pa

from twinspark.doors.thrift.backend import BackendError, BackendSession
from twinspark.doors.thrift.results import HandleError, Rows, one_batch
from twinspark.doors.thrift.row_sets import (
    Form,
    arrow_row_set,
    column_row_set,
    row_row_set,
    table_schema,
    wire_schema,
)
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import TERMINAL, OperationState, OperationType, ResultFormat

# hive-jdbc rejects messages over 100 MB, and as text or rows a result is several times larger than in Arrow.
RESPONSE_BYTES = {ResultFormat.ARROW: 32 << 20, ResultFormat.COLUMN: 16 << 20, ResultFormat.ROW: 4 << 20}
RESPONSE_ROWS = 1 << 20  # a column of booleans would have very many rows in so many bytes
CANCEL_PAUSE, GONE_PAUSE = 0.5, 1.0
LOG = logging.getLogger(__name__)


class Identifier:
    """A handle: two random numbers, and the key made of both."""

    def __init__(self) -> None:
        self.guid, self.secret = uuid.uuid4().bytes, uuid.uuid4().bytes
        self.key = self.guid + self.secret

    def message(self) -> Message:
        return {"guid": self.guid, "secret": self.secret}


class Operation:
    """States change in one direction; the first terminal state is final."""

    def __init__(self, kind: OperationType, form: Form, run: Callable[[str], Rows], session: BackendSession) -> None:
        self.identifier = Identifier()
        self.kind, self.form, self.run, self.session = kind, form, run, session
        self.name = session.prepare()
        self.state, self.rows = OperationState.PENDING, None  # type: OperationState, Rows | None
        self.wire: pa.Schema | None = None
        self.error, self.sqlstate = "", ""
        self.started, self.completed = now(), 0
        self.lock, self.done, self.worked = threading.Lock(), threading.Event(), threading.Event()
        self.timer: threading.Timer | None = None

    @property
    def handle(self) -> Message:
        return {
            "operationId": self.identifier.message(),
            "operationType": self.kind,
            "hasResultSet": True,
        }

    def start(self, timeout: float = 0) -> None:
        """Runs in a separate thread, at most `timeout` seconds if that is not 0."""
        if timeout > 0:
            self.timer = threading.Timer(timeout, self.time_out)
            self.timer.daemon = True
            self.timer.start()
        threading.Thread(target=self.work, name=self.name, daemon=True).start()

    def attend(self, is_gone: Callable[[], bool]) -> None:
        """Waits until it is done; cancels it if its client disconnects, since no one could fetch its rows."""
        while not self.done.wait(GONE_PAUSE):
            if is_gone():
                LOG.info("%s: its client disconnected", self.name)
                self.cancel()

    def work(self) -> None:
        """The top of its thread: an internal error is logged and becomes the operation's error."""
        self.enter(OperationState.RUNNING)
        try:
            self.answer()
        except BackendError as error:
            self.fail(f"Error running query: {error}", error.sqlstate or "")
        except Exception as error:
            if self.state not in TERMINAL:  # otherwise it was cancelled, and its session closed
                LOG.exception("%s failed", self.name)
            self.fail(f"Error running query: {type(error).__name__}: {error}", "XX000")
        finally:
            self.worked.set()
            if self.state != OperationState.FINISHED and self.rows is not None:
                self.rows.close()

    def answer(self) -> None:
        rows = self.run(self.name)
        if self.form.arrow:
            self.wire = wire_schema(rows.schema, rows.arrow, self.form)
        self.rows = rows
        self.enter(OperationState.FINISHED)

    def fail(self, message: str, sqlstate: str) -> None:
        with self.lock:
            if self.state not in TERMINAL:
                self.error, self.sqlstate = message, sqlstate
        self.enter(OperationState.ERROR)

    def enter(self, state: OperationState) -> bool:
        with self.lock:
            if self.state in TERMINAL:
                return False
            self.state = state
        if state in TERMINAL:
            self.completed = now()
            self.done.set()
            if self.timer is not None:
                self.timer.cancel()
        return True

    def time_out(self) -> None:
        if self.enter(OperationState.TIMEDOUT):
            self.interrupt()

    def cancel(self) -> None:
        if self.enter(OperationState.CANCELED):
            threading.Thread(target=self.interrupt, name=f"cancel-{self.name}", daemon=True).start()

    def interrupt(self) -> None:
        """Repeats the cancellation until the work has ended: a statement that is not running yet would not notice
        it."""
        while not self.worked.is_set():
            try:
                self.session.cancel(self.name)
            except BackendError as error:
                LOG.warning("%s could not be cancelled: %s", self.name, error)
                return
            self.worked.wait(CANCEL_PAUSE)

    def close(self) -> None:
        self.cancel()
        if self.rows is not None:
            self.rows.close()

    # Responses of the service

    def status(self) -> Message:
        answer: Message = {
            "operationState": self.state,
            "taskStatus": "[]",
            "operationStarted": self.started,
            "hasResultSet": True,
        }
        if self.state == OperationState.RUNNING:
            answer["progressUpdateResponse"] = self.progress()
        if self.completed:
            answer["operationCompleted"] = self.completed
        if self.state == OperationState.ERROR:
            answer |= {"sqlState": self.sqlstate, "errorCode": 0, "errorMessage": self.error}
        if self.state == OperationState.TIMEDOUT:
            answer |= {"sqlState": "HYT00", "errorMessage": "Query timed out"}
        return answer

    def progress(self) -> Message:
        done = self.session.progress(self.name)
        return {
            "headerNames": ["PROGRESS"],
            "rows": [[f"{done:.0%}"]],
            "progressedPercentage": done,
            "status": 0,
            "footerSummary": "",
            "startTime": self.started,
        }

    def finished_rows(self) -> Rows:
        if self.state != OperationState.FINISHED or self.rows is None:
            raise HandleError(f"Expected state FINISHED, but found {self.state.name}")
        return self.rows

    def metadata(self) -> Message:
        rows = self.finished_rows()
        answer: Message = {"schema": table_schema(rows.schema, self.form), "resultFormat": self.form.format}
        if self.wire is not None:
            answer |= {"arrowSchema": memoryview(self.wire.serialize()), "lz4Compressed": self.form.lz4}
        return answer

    def fetch(self, orientation: int, max_rows: int, max_bytes: int, start: int | None = None) -> Message:
        rows = self.finished_rows()
        largest = RESPONSE_BYTES[self.form.format]
        most = min(max_rows, RESPONSE_ROWS) if max_rows > 0 else RESPONSE_ROWS
        taken = rows.take(orientation, most, min(max_bytes, largest) if max_bytes > 0 else largest, start)
        return {
            "hasMoreRows": taken.more,
            "results": {"startRowOffset": taken.offset, **self.row_set(rows, taken.batches)},
        }

    def row_set(self, rows: Rows, batches: Sequence[pa.RecordBatch]) -> Message:
        if self.wire is not None:
            return arrow_row_set(batches, rows.schema, self.wire, self.form)
        whole = one_batch(batches, rows.arrow)
        make = row_row_set if self.form.format == ResultFormat.ROW else column_row_set
        return make(whole, rows.schema)


def now() -> int:
    return int(time.time() * 1000)
