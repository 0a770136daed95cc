"""ADBC's statement functions: set a query, bind parameters or rows to ingest, execute, read the result as a stream."""

from typing import Any

import pyarrow as pa

from twinspark.driver.adbc.bridge import attach, call, detach, object_of
from twinspark.driver.adbc.database import Session
from twinspark.driver.adbc.ingest import INGEST, Ingest
from twinspark.driver.cursor import Cursor
from twinspark.driver.errors import InterfaceError, NotSupportedError

TIMEOUT = "twinspark.timeout"


class Statement:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.text = ""
        self.options: dict[str, str] = {}
        self.bound: pa.RecordBatchReader | None = None
        self.cursor: Cursor | None = None

    def start(self) -> Cursor:
        self.cursor = self.session.connection.cursor()
        return self.cursor

    def run(self) -> Cursor:
        """Executes once for every bound row; the result is that of the last execution."""
        if not self.text:
            raise InterfaceError("there is no query to execute", "24000")
        cursor, timeout = self.start(), self.timeout()
        if self.bound is None:
            return cursor.execute(self.text, timeout=timeout)
        for batch in self.bound:
            for row in batch.to_pylist():
                cursor.execute(self.text, list(row.values()), timeout=timeout)
        self.bound = None
        return cursor

    def timeout(self) -> float | None:
        return float(self.options[TIMEOUT]) if TIMEOUT in self.options else None


@call("StatementNew")
def statement_new(connection: Any, handle: Any) -> None:
    attach(handle, Statement(object_of(connection)))


@call("StatementRelease")
def statement_release(handle: Any) -> None:
    """The cursor is not closed, since a stream of its results may still be read."""
    detach(handle)


@call("StatementSetSqlQuery")
def statement_set_sql_query(handle: Any, text: str) -> None:
    """A query replaces the target table of an ingest, if one was set."""
    statement: Statement = object_of(handle)
    statement.text, statement.bound = text, None
    statement.options = {key: value for key, value in statement.options.items() if not key.startswith(INGEST)}


@call("StatementSetOption")
def statement_set_option(handle: Any, name: str, value: str) -> None:
    if name != TIMEOUT and not name.startswith(INGEST):
        raise NotSupportedError(f"an unknown option of a statement: {name}", "0A000")
    object_of(handle).options[name] = value


@call("StatementPrepare")
def statement_prepare(handle: Any) -> None:
    """Does nothing: Thrift servers cannot prepare statements, so the SQL is parsed when it runs."""
    if not object_of(handle).text:
        raise InterfaceError("there is no query to prepare", "24000")


@call("StatementBind")
def statement_bind(handle: Any, array: int, schema: int) -> None:
    batch = pa.RecordBatch._import_from_c(array, schema)
    object_of(handle).bound = pa.RecordBatchReader.from_batches(batch.schema, [batch])


@call("StatementBindStream")
def statement_bind_stream(handle: Any, stream: int) -> None:
    object_of(handle).bound = pa.RecordBatchReader._import_from_c(stream)


@call("StatementExecuteQuery")
def statement_execute_query(handle: Any, stream: int, affected: Any) -> None:
    statement: Statement = object_of(handle)
    ingest = Ingest.of(statement.options)
    rows = ingest.run(statement.start(), statement.bound) if ingest is not None else -1
    cursor = statement.run() if ingest is None else None
    if affected:
        affected[0] = rows
    if stream and cursor is not None:
        cursor.fetch_record_batch()._export_to_c(stream)


@call("StatementExecuteSchema")
def statement_execute_schema(handle: Any, address: int) -> None:
    statement: Statement = object_of(handle)
    cursor = statement.start().execute(f"SELECT * FROM ({statement.text}) LIMIT 0")
    cursor.schema._export_to_c(address)


@call("StatementCancel")
def statement_cancel(handle: Any) -> None:
    cursor = object_of(handle).cursor
    if cursor is not None:
        cursor.cancel()
