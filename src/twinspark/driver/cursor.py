"""The DB-API cursor: runs statements and reads their results as rows, Arrow tables or streams of record batches."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa

from twinspark.driver.errors import InterfaceError, ProgrammingError, QueryCanceled, QueryTimeout, error_of
from twinspark.driver.parameters import Parameters
from twinspark.driver.python_values import python_values
from twinspark.driver.result_types import ResultTypes, decide
from twinspark.driver.row_sets import batches_of
from twinspark.driver.service import Service
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import TERMINAL, OperationState

Description = tuple[str, str, None, None, int | None, int | None, bool]
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.25
Progress = Callable[[dict[str, Any]], None]


class Session(Protocol):
    """The part of Connection that a cursor uses."""

    service: Service
    handle: Message
    closed: bool

    def time_zone(self) -> str: ...
    def execute_request(self, operation: str, parameters: Parameters | None, timeout: float | None) -> Message: ...
    def cancel(self, operation: Message) -> None: ...
    def note(self, statement: str) -> None: ...
    def describe(self, statement: str) -> Any: ...


class Cursor:
    """Runs one statement at a time; `timeout` is in seconds, `progress` is called with each status while it runs."""

    def __init__(self, connection: Session, fetch_rows: int, progress: Progress | None) -> None:
        self.connection = connection
        self.arraysize = 1
        self.fetch_rows = fetch_rows
        self.progress = progress
        self.closed = False
        self.rowcount = -1
        self.rownumber: int | None = None
        self.forget()

    def forget(self) -> None:
        self.operation: Message | None = None
        self.types: ResultTypes | None = None
        self.unwanted = False
        self.stream: Iterator[pa.RecordBatch] = iter(())
        self.rows: Iterator[tuple[Any, ...]] = iter(())

    # Running a statement

    def execute(
        self, operation: str, parameters: Parameters | None = None, *, timeout: float | None = None
    ) -> "Cursor":
        self.check_open()
        self.close_operation()
        request = self.connection.execute_request(operation, parameters, timeout)
        self.start(request, timeout, request["statement"])
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Parameters]) -> "Cursor":
        for parameters in seq_of_parameters:
            self.execute(operation, parameters)
        return self

    def start(self, request: Message, timeout: float | None, statement: str) -> None:
        reply = self.connection.service.call("ExecuteStatement", request)
        self.follow(reply, timeout, statement)

    def list_metadata(self, method: str, **request: Any) -> "Cursor":
        """Calls a metadata method of TCLIService: `cursor.list_metadata("GetTables", schemaName="default")`."""
        self.check_open()
        self.close_operation()
        given = {name: value for name, value in request.items() if value is not None}
        reply = self.connection.service.call(method, {"sessionHandle": self.connection.handle, **given})
        self.follow(reply, None, "")
        return self

    def follow(self, reply: Message, timeout: float | None, statement: str) -> None:
        """Waits until the statement has a result, and decides the types of its columns before any row is read."""
        self.operation = reply.get("operationHandle")
        direct: Message = reply.get("directResults", {})
        if self.unwanted and self.operation is not None:
            self.connection.cancel(self.operation)  # cancel() was called before the operation handle was known
        self.wait(direct.get("operationStatus"), timeout)
        self.connection.note(statement)
        metadata = direct.get("resultSetMetadata") or self.call_operation("GetResultSetMetadata")
        described = self.connection.describe(statement) if not metadata.get("arrowSchema") else {}
        self.types = decide(metadata, described, self.connection.time_zone)
        self.rownumber = 0
        if direct.get("closeOperation"):
            self.operation = None  # the reply has the whole result, and the server has closed the operation
        self.stream = self.fetch_all(self.types, direct.get("resultSet"))
        self.rows = rows_of(self.stream)

    def wait(self, status: Message | None, timeout: float | None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = FIRST_PAUSE
        while status is None or status.get("operationState") not in TERMINAL:
            if status is not None:
                self.report(status)
                time.sleep(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE)
            if deadline is not None and time.monotonic() > deadline:
                self.cancel()
                raise QueryTimeout(f"the statement ran longer than {timeout} s", "HYT00")
            status = self.call_operation("GetOperationStatus", getProgressUpdate=self.progress is not None)
        raise_for_state(status)

    def report(self, status: Message) -> None:
        if self.progress is not None:
            self.progress({"state": OperationState(status["operationState"]).name, **status})

    def call_operation(self, method: str, **request: Any) -> Message:
        return self.connection.service.call(method, {"operationHandle": self.operation, **request})

    # Fetching

    def fetch_all(self, types: ResultTypes, first: Message | None) -> Iterator[pa.RecordBatch]:
        """Yields batches as they arrive. Spark's Thrift server sends hasMoreRows = false beside columns although there
        may be more rows, so it is ignored there."""
        reply = first if first is not None else self.fetch_next()
        while True:
            came = 0
            for batch in batches_of(reply.get("results", {}), types):
                came += batch.num_rows
                yield batch
            arrow = "arrowBatches" in reply.get("results", {})
            if self.operation is None or (not reply.get("hasMoreRows") and (arrow or not came)):
                return
            reply = self.fetch_next()

    def fetch_next(self) -> Message:
        return self.call_operation("FetchResults", orientation=0, maxRows=self.fetch_rows, fetchType=0)

    def results(self) -> ResultTypes:
        self.check_open()
        if self.types is None:
            raise ProgrammingError("there is no result: execute a statement first", "24000")
        return self.types

    @property
    def description(self) -> list[Description] | None:
        if self.types is None:
            return None
        return [describe_column(column.field, column.kind) for column in self.types.columns]

    @property
    def schema(self) -> pa.Schema:
        return self.results().schema

    def fetchone(self) -> tuple[Any, ...] | None:
        self.results()
        row = next(self.rows, None)
        if row is not None and self.rownumber is not None:
            self.rownumber += 1
        return row

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        found = []
        for _ in range(self.arraysize if size is None else size):
            if (row := self.fetchone()) is None:
                break
            found.append(row)
        return found

    def fetchall(self) -> list[tuple[Any, ...]]:
        self.results()
        return list(self.rows)

    def fetch_record_batch(self) -> pa.RecordBatchReader:
        """A stream: only the current batch is in memory."""
        return pa.RecordBatchReader.from_batches(self.results().schema, self.stream)

    def fetch_arrow_table(self) -> pa.Table:
        types = self.results()
        return pa.Table.from_batches(list(self.stream), types.schema)

    fetchallarrow = fetch_arrow_table

    def fetch_arrow(self) -> pa.RecordBatchReader:
        return self.fetch_record_batch()

    def fetch_df(self) -> Any:
        return self.fetch_arrow_table().to_pandas()

    # The rest of DB-API

    def cancel(self) -> None:
        """May be called from another thread; the thread that waits for the statement then gets QueryCanceled."""
        self.unwanted = True
        if self.operation is not None:
            self.connection.cancel(self.operation)

    adbc_cancel = cancel

    def close_operation(self) -> None:
        if self.operation is not None:
            self.call_operation("CloseOperation")
        self.forget()

    def close(self) -> None:
        if not self.closed and not self.connection.closed and self.connection.service.is_usable():
            self.close_operation()
        self.closed = True

    def check_open(self) -> None:
        if self.closed or self.connection.closed:
            raise InterfaceError("the cursor is closed", "24000")

    def setinputsizes(self, sizes: Any) -> None:
        """Required by DB-API; does nothing."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Required by DB-API; does nothing."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while (row := self.fetchone()) is not None:
            yield row

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def raise_for_state(status: Message) -> None:
    state, message = status.get("operationState"), status.get("errorMessage") or status.get("displayMessage")
    if state == OperationState.CANCELED:
        raise QueryCanceled(message or "the statement was cancelled", status.get("sqlState") or "HY008")
    if state == OperationState.TIMEDOUT:
        raise QueryTimeout(message or "the statement ran longer than its timeout", status.get("sqlState") or "HYT00")
    if state != OperationState.FINISHED:
        raise error_of(message or "the statement failed and the server gave no reason", status.get("sqlState"))


def rows_of(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        yield from zip(*map(python_values, batch.columns), strict=True)


def describe_column(field: pa.Field, kind: Any) -> Description:
    precision, scale = (kind.precision, kind.scale) if pa.types.is_decimal(field.type) else (None, None)
    return field.name, kind.simpleString(), None, None, precision, scale, field.nullable
