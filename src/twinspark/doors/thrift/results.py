"""The rows of a result as clients fetch them: sliced to the requested size, with recent rows buffered for seeking
back."""

import contextlib
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.doors.thrift.backend import Statement
from twinspark.types.arrow import arrow_type
from twinspark.wire.thrift.protocol import Orientation

BATCH_BYTES = 8 << 20  # Apache Thrift's Python library rejects strings over 16,384,000 bytes
KEPT_BYTES = 32 << 20  # how much of a result is buffered for seeking back
COMMAND_RESULT = t.StructType([t.StructField("Result", t.StringType())])  # what Spark's server returns for DDL


class HandleError(Exception):
    """A handle that is unknown, or an operation in the wrong state."""

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class FetchedRows(NamedTuple):
    """The result of one fetch: the number of its first row, its batches, and whether more follow."""

    offset: int
    batches: list[pa.RecordBatch]
    more: bool


class Rows:
    """A result's batches, sliced for each fetch."""

    def __init__(self, schema: t.StructType, arrow: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.schema, self.arrow, self.batches = schema, arrow, batches
        self.waiting: list[pa.RecordBatch] = []
        self.kept: list[pa.RecordBatch] | None = []
        self.kept_bytes, self.position = 0, 0
        self.last = FetchedRows(0, [], False)
        self.lock = threading.Lock()

    def take(self, orientation: int, rows: int, size: int, start: int | None = None) -> FetchedRows:
        """The rows after the last fetch, or at the requested position."""
        with self.lock:
            self.seek(self.destination(orientation, rows, start))
            offset, found, room = self.position, [], size
            while rows > 0 and room > 0 and (batch := self.piece(rows, min(room, BATCH_BYTES))) is not None:
                found.append(batch)
                rows -= batch.num_rows
                room -= max(batch.nbytes, 1)
                self.position += batch.num_rows
            self.last = FetchedRows(offset, found, self.has_more())
            return self.last

    def destination(self, orientation: int, rows: int, start: int | None) -> int:
        """Like Spark's server, supports the next rows, the prior rows by the requested number, and the first row."""
        if orientation == Orientation.FIRST:
            return 0
        if orientation == Orientation.PRIOR:
            return max(self.last.offset - rows, 0)
        if orientation == Orientation.NEXT:
            return self.position if start is None else start
        known = f"FETCH_{Orientation(orientation).name}" if orientation in list(Orientation) else orientation
        raise HandleError(f"The fetch type {known} is not supported for this resultset", "HY106")

    def seek(self, position: int) -> None:
        """Seeks back over buffered rows; a client whose response was lost requests the same row again."""
        if position == self.position:
            return
        if self.kept is None and position == self.last.offset:
            self.waiting, self.position = [*self.last.batches, *self.waiting], position
            return
        if self.kept is None or position > self.position:
            raise HandleError(f"Row {position} of the result is out of reach: it stands at {self.position}", "HY107")
        self.waiting, self.kept, self.kept_bytes, self.position = [*self.kept, *self.waiting], [], 0, 0
        while self.position < position and (batch := self.piece(position - self.position, 1 << 62)) is not None:
            self.position += batch.num_rows

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
        """Also ends the result stream, so that a statement that is no longer read stops running."""
        self.batches, self.waiting, self.kept, unread = iter(()), [], None, self.batches
        self.last = FetchedRows(0, [], False)
        if isinstance(unread, Generator):
            with contextlib.suppress(ValueError):  # another thread is reading it right now, and will end with it
                unread.close()


def one_batch(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    arrays = [pa.concat_arrays([b.column(i) for b in batches]) if batches else pa.array([], field.type)
              for i, field in enumerate(schema)]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def statement_rows(statement: Statement, limit: int | None = None) -> Rows:
    """A command without columns returns one column and no rows, like Spark's server."""
    schema = statement.schema
    if not schema.fields:
        empty: list[pa.RecordBatch] = []
        return Rows(COMMAND_RESULT, pa.schema([("Result", pa.string())]), iter(empty))
    batches = statement.batches
    first = next(batches, None)
    arrow = first.schema if first is not None else backend_schema(schema)
    whole = chain_first(first, batches)
    return Rows(schema, arrow, whole if limit is None else limit_rows(whole, limit))


def backend_schema(schema: t.StructType) -> pa.Schema:
    """The schema that batches would have had."""
    fields = []
    for field in schema.fields:
        kind = pa.int32() if isinstance(field.dataType, t.YearMonthIntervalType) else arrow_type(field.dataType)
        fields.append(pa.field(field.name, kind, field.nullable))
    return pa.schema(fields)


def chain_first(first: pa.RecordBatch | None, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    if first is not None:
        yield first
    yield from rest


def limit_rows(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The client's resultRowLimit: further rows are neither sent nor computed."""
    for batch in batches:
        yield batch.slice(0, rows)
        rows -= batch.num_rows
        if rows <= 0:
            return
