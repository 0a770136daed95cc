"""One operation of a session: how it runs, what state it is in, and its rows as they are fetched."""

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.doors.thrift.backend import BackendError, BackendSession, Statement
from twinspark.doors.thrift.row_sets import (
    Form,
    arrow_row_set,
    column_row_set,
    row_row_set,
    table_schema,
    wire_schema,
)
from twinspark.driver.arrow_types import arrow_type
from twinspark.driver.messages import Message
from twinspark.driver.protocol import TERMINAL, OperationState, OperationType, Orientation, ResultFormat

# hive-jdbc refuses messages over 100 MB, and as text or rows of values a result is several times what it is in Arrow.
RESPONSE_BYTES = {ResultFormat.ARROW: 32 << 20, ResultFormat.COLUMN: 16 << 20, ResultFormat.ROW: 4 << 20}
RESPONSE_ROWS = 1 << 20  # a column of booleans would hold very many in so many bytes
BATCH_BYTES = 8 << 20  # Apache Thrift's Python refuses strings over 16,384,000 bytes
KEPT_BYTES = 32 << 20  # how much of a result a client may go back over (FETCH_FIRST)
COMMAND_RESULT = t.StructType([t.StructField("Result", t.StringType())])  # what Spark's server answers to DDL

CANCEL_PAUSE, GONE_PAUSE = 0.5, 1.0
LOG = logging.getLogger(__name__)


class HandleError(Exception):
    """A handle that names nothing here, or an operation that is not in the state for this."""


class Identifier:
    """What a handle holds: two numbers nobody can guess, and the key they are together."""

    def __init__(self) -> None:
        self.guid, self.secret = uuid.uuid4().bytes, uuid.uuid4().bytes
        self.key = self.guid + self.secret

    def message(self) -> Message:
        return {"guid": self.guid, "secret": self.secret}


class Rows:
    """A result's batches, cut to what each fetch asks for."""

    def __init__(self, schema: t.StructType, arrow: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.schema, self.arrow, self.batches = schema, arrow, batches
        self.waiting: list[pa.RecordBatch] = []
        self.kept: list[pa.RecordBatch] | None = []
        self.kept_bytes, self.position = 0, 0
        self.lock = threading.Lock()

    def take(self, orientation: int, rows: int, size: int) -> tuple[int, list[pa.RecordBatch], bool]:
        """Offset, batches and whether more follow."""
        with self.lock:
            if orientation == Orientation.FIRST:
                self.rewind()
            elif orientation != Orientation.NEXT:
                raise HandleError(f"The fetch type {orientation_name(orientation)} is not supported for this resultset")
            offset, found, room = self.position, [], size
            while rows > 0 and room > 0 and (batch := self.piece(rows, min(room, BATCH_BYTES))) is not None:
                found.append(batch)
                rows -= batch.num_rows
                room -= max(batch.nbytes, 1)
                self.position += batch.num_rows
            return offset, found, self.has_more()

    def piece(self, rows: int, size: int) -> pa.RecordBatch | None:
        if not self.has_more():
            return None
        batch = self.waiting.pop(0)
        fitting = max(1, min(rows, batch.num_rows * size // max(batch.nbytes, 1)))
        if fitting < batch.num_rows:
            self.waiting.insert(0, batch.slice(fitting))
            batch = batch.slice(0, fitting)
        self.keep(batch)
        return batch

    def has_more(self) -> bool:
        while not self.waiting:
            batch = next(self.batches, None)
            if batch is None:
                return False
            if batch.num_rows:
                self.waiting.append(batch)
        return True

    def keep(self, batch: pa.RecordBatch) -> None:
        if self.kept is None:
            return
        self.kept.append(batch)
        self.kept_bytes += batch.nbytes
        if self.kept_bytes > KEPT_BYTES:
            self.kept = None

    def close(self) -> None:
        """Ends the stream behind it too, so that a statement nobody reads any more stops running."""
        self.batches, self.waiting, self.kept, unread = iter(()), [], None, self.batches
        if isinstance(unread, Generator):
            with contextlib.suppress(ValueError):  # another thread is reading it right now, and will end with it
                unread.close()

    def rewind(self) -> None:
        if self.position == 0:
            return
        if self.kept is None:
            raise HandleError("The result is too large to be read again from its first row")
        self.waiting, self.kept, self.kept_bytes, self.position = [*self.kept, *self.waiting], [], 0, 0


def orientation_name(number: int) -> str:
    return f"FETCH_{Orientation(number).name}" if number in list(Orientation) else str(number)


class Operation:
    """States go one way; whoever sets a terminal one first wins."""

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
        """Runs in a thread of its own, and no longer than `timeout` seconds if there is one."""
        if timeout > 0:
            self.timer = threading.Timer(timeout, self.time_out)
            self.timer.daemon = True
            self.timer.start()
        threading.Thread(target=self.work, name=self.name, daemon=True).start()

    def attend(self, is_gone: Callable[[], bool]) -> None:
        """Until it is done; when whoever waits for it hangs up, nobody is left who could ask for its rows."""
        while not self.done.wait(GONE_PAUSE):
            if is_gone():
                LOG.info("%s: its client went away", self.name)
                self.cancel()

    def work(self) -> None:
        """Nobody stands above this thread: a fault of ours is logged and becomes the operation's error."""
        self.enter(OperationState.RUNNING)
        try:
            self.answer()
        except BackendError as error:
            self.fail(f"Error running query: {error}", error.sqlstate or "")
        except Exception as error:
            if self.state not in TERMINAL:  # else: cancelled, and its session closed under it
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
        """Again and again until the work has ended: what is not running yet when it is cancelled would run on."""
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

    # What the service answers with

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

    def finished(self) -> Rows:
        if self.state != OperationState.FINISHED or self.rows is None:
            raise HandleError(f"Expected state FINISHED, but found {self.state.name}")
        return self.rows

    def metadata(self) -> Message:
        rows = self.finished()
        answer: Message = {"schema": table_schema(rows.schema, self.form), "resultFormat": self.form.format}
        if self.wire is not None:
            answer |= {"arrowSchema": memoryview(self.wire.serialize()), "lz4Compressed": self.form.lz4}
        return answer

    def fetch(self, orientation: int, max_rows: int, max_bytes: int) -> Message:
        rows = self.finished()
        largest = RESPONSE_BYTES[self.form.format]
        most = min(max_rows, RESPONSE_ROWS) if max_rows > 0 else RESPONSE_ROWS
        offset, batches, more = rows.take(orientation, most, min(max_bytes, largest) if max_bytes > 0 else largest)
        return {"hasMoreRows": more, "results": {"startRowOffset": offset, **self.row_set(rows, batches)}}

    def row_set(self, rows: Rows, batches: Sequence[pa.RecordBatch]) -> Message:
        if self.wire is not None:
            return arrow_row_set(batches, rows.schema, self.wire, self.form)
        whole = one_batch(batches, rows.arrow)
        make = row_row_set if self.form.format == ResultFormat.ROW else column_row_set
        return make(whole, rows.schema)


def one_batch(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    arrays = [pa.concat_arrays([b.column(i) for b in batches]) if batches else pa.array([], field.type)
              for i, field in enumerate(schema)]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def now() -> int:
    return int(time.time() * 1000)


def statement_rows(statement: Statement, limit: int | None = None) -> Rows:
    """A command without columns answers as it does at Spark's server: one column and no rows."""
    schema = statement.schema
    if not schema.fields:
        empty: list[pa.RecordBatch] = []
        return Rows(COMMAND_RESULT, pa.schema([("Result", pa.string())]), iter(empty))
    batches = statement.batches
    first = next(batches, None)
    arrow = first.schema if first is not None else backend_schema(schema)
    whole = chain_first(first, batches)
    return Rows(schema, arrow, whole if limit is None else limited(whole, limit))


def backend_schema(schema: t.StructType) -> pa.Schema:
    """What batches would have looked like, had there been any."""
    fields = []
    for field in schema.fields:
        kind = pa.int32() if isinstance(field.dataType, t.YearMonthIntervalType) else arrow_type(field.dataType)
        fields.append(pa.field(field.name, kind, field.nullable))
    return pa.schema(fields)


def chain_first(first: pa.RecordBatch | None, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    if first is not None:
        yield first
    yield from rest


def limited(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The client's resultRowLimit: the rest is neither sent nor run."""
    for batch in batches:
        yield batch.slice(0, rows)
        rows -= batch.num_rows
        if rows <= 0:
            return
