"""A result's rows as clients fetch them: cut to what they ask for, kept a while for those who go back."""

import contextlib
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.doors.thrift.backend import Statement
from twinspark.driver.arrow_types import arrow_type
from twinspark.driver.protocol import Orientation

BATCH_BYTES = 8 << 20  # Apache Thrift's Python refuses strings over 16,384,000 bytes
KEPT_BYTES = 32 << 20  # how much of a result a client may go back over
COMMAND_RESULT = t.StructType([t.StructField("Result", t.StringType())])  # what Spark's server answers to DDL


class HandleError(Exception):
    """A handle that names nothing here, or an operation that is not in the state for this."""

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Taken(NamedTuple):
    """What one fetch gives: the number of its first row, its batches, and whether more follow."""

    offset: int
    batches: list[pa.RecordBatch]
    more: bool


class Rows:
    """A result's batches, cut to what each fetch asks for."""

    def __init__(self, schema: t.StructType, arrow: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.schema, self.arrow, self.batches = schema, arrow, batches
        self.waiting: list[pa.RecordBatch] = []
        self.kept: list[pa.RecordBatch] | None = []
        self.kept_bytes, self.position = 0, 0
        self.last = Taken(0, [], False)
        self.lock = threading.Lock()

    def take(self, orientation: int, rows: int, size: int, start: int | None = None) -> Taken:
        """What follows the last fetch, or stands where the client wants to go to."""
        with self.lock:
            self.seek(self.destination(orientation, rows, start))
            offset, found, room = self.position, [], size
            while rows > 0 and room > 0 and (batch := self.piece(rows, min(room, BATCH_BYTES))) is not None:
                found.append(batch)
                rows -= batch.num_rows
                room -= max(batch.nbytes, 1)
                self.position += batch.num_rows
            self.last = Taken(offset, found, self.has_more())
            return self.last

    def destination(self, orientation: int, rows: int, start: int | None) -> int:
        """Spark's server goes forwards, back by as many rows as are asked for, and to the first row."""
        if orientation == Orientation.FIRST:
            return 0
        if orientation == Orientation.PRIOR:
            return max(self.last.offset - rows, 0)
        if orientation == Orientation.NEXT:
            return self.position if start is None else start
        known = f"FETCH_{Orientation(orientation).name}" if orientation in list(Orientation) else orientation
        raise HandleError(f"The fetch type {known} is not supported for this resultset", "HY106")

    def seek(self, position: int) -> None:
        """Back over what is kept; a client whose reply was lost names the row it wants once more."""
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
        """Ends the stream behind it too, so that a statement nobody reads any more stops running."""
        self.batches, self.waiting, self.kept, unread = iter(()), [], None, self.batches
        self.last = Taken(0, [], False)
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
