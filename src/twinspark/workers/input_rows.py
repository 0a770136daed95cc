"""Writes input rows to a worker as Arrow streams: in batches of Spark's size, as structs, or group by group."""

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from twinspark.workers import wire

Key = tuple[Any, ...]
Group = tuple[Key, Iterator[pa.RecordBatch]]


def rebatch(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of `rows` rows; only the last is shorter (BatchedPythonArrowInput)."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        while count + batch.num_rows >= rows:
            room = rows - count
            yield concat_batches([*held, batch.slice(0, room)])
            batch, held, count = batch.slice(room), [], 0
        if batch.num_rows:
            held.append(batch)
            count += batch.num_rows
    if held:
        yield concat_batches(held)


def concat_batches(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    full = [batch for batch in batches if batch.num_rows]
    return full[0] if len(full) == 1 else pa.concat_batches(full) if full else batches[0]


def write_stream(output: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    with pa.ipc.new_stream(output, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            output.flush()


def as_struct(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([batch.to_struct_array()], ["struct"])


def struct_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field("struct", pa.struct(list(schema)))])


# ---- partitions


class PartitionedRows:
    """The rows of each partition; the last column is the partition, by which they are sorted. All are read when the
    first partition is: a function may leave rows of its partition unread."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = batches
        self._lock = threading.Lock()
        self._found: dict[int, list[pa.RecordBatch]] | None = None

    def of(self, partition: int) -> list[pa.RecordBatch]:
        with self._lock:
            self._found = self._read() if self._found is None else self._found
        return self._found.get(partition, [])

    def _read(self) -> dict[int, list[pa.RecordBatch]]:
        found: dict[int, list[pa.RecordBatch]] = {}
        for batch in self._batches:
            width = batch.num_columns - 1
            for (partition,), piece in split([batch], [width]):
                found.setdefault(partition, []).append(piece.select(range(width)))
        return found


# ---- groups


def groups(batches: Iterable[pa.RecordBatch], keys: Sequence[int]) -> Iterator[Group]:
    """Consecutive rows with equal keys; each group's batches must be read before the next group."""
    pieces = split(batches, keys)
    piece = next(pieces, None)
    while piece is not None:
        key = piece[0]
        rest: list[tuple[Key, pa.RecordBatch] | None] = [piece]

        def own(rest: list[tuple[Key, pa.RecordBatch] | None] = rest, key: Key = key) -> Iterator[pa.RecordBatch]:
            while rest[0] is not None and rest[0][0] == key:
                yield rest[0][1]
                rest[0] = next(pieces, None)

        yield key, own()
        for _ in own():
            pass
        piece = rest[0]


def split(batches: Iterable[pa.RecordBatch], keys: Sequence[int]) -> Iterator[tuple[Key, pa.RecordBatch]]:
    for batch in batches:
        columns = [each for index in keys for each in comparables(batch.column(index))]
        edges = [0, *boundaries(columns), batch.num_rows]
        for start, stop in pairwise(edges):
            if stop > start:
                yield tuple(column[start].as_py() for column in columns), batch.slice(start, stop - start)


def comparables(column: pa.Array) -> list[pa.Array]:
    """A struct is compared by its fields and by whether it is null."""
    if pa.types.is_struct(column.type):
        return [column.is_null(), *(each for field in column.flatten() for each in comparables(field))]
    return [comparable(column)]


def comparable(column: pa.Array) -> pa.Array:
    """Dates and timestamps as numbers, since Python has fewer years than Spark; doubles by their bits, with one zero
    and one NaN."""
    if pa.types.is_floating(column.type):
        plain = pc.add(column.cast(pa.float64()), 0.0)
        return pc.if_else(pc.is_nan(plain), math.nan, plain).view(pa.int64())
    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    return column.cast(pa.int64()) if pa.types.is_temporal(column.type) else column


def boundaries(columns: Sequence[pa.Array]) -> list[int]:
    """Rows whose key differs from that of the row before; nulls are equal."""
    if not columns or len(columns[0]) < 2:
        return []
    changed = reduce(pc.or_, map(changes, columns))
    return [int(row) + 1 for row in pc.indices_nonzero(changed).to_pylist()]


def changes(column: pa.Array) -> pa.Array:
    here, before = column.slice(1), column.slice(0, len(column) - 1)
    differs = pc.fill_null(pc.not_equal(here, before), pa.scalar(True))
    return pc.and_(differs, pc.invert(pc.and_(here.is_null(), before.is_null())))


def write_groups(output: IO[bytes], found: Iterable[Group], schema: pa.Schema, rows: int) -> None:
    for _, batches in found:
        output.write(wire.integer(1))
        write_stream(output, schema, rebatch(batches, rows))
    output.write(wire.integer(0))


def write_cogroups(
    output: IO[bytes], sides: Sequence[Iterator[Group]], schemas: Sequence[pa.Schema], rows: int
) -> None:
    """Both sides are sorted by their keys, so they are merged while they are read (CoGroupedIterator)."""
    heads: list[Group | None] = [next(side, None) for side in sides]
    while any(head is not None for head in heads):
        least = min(order_of(head[0]) for head in heads if head is not None)
        output.write(wire.integer(2))
        for place, side in enumerate(sides):
            head = heads[place]
            chosen = head is not None and order_of(head[0]) == least
            batches = head[1] if head is not None and chosen else iter(())
            write_stream(output, schemas[place], at_least_one(rebatch(batches, rows), schemas[place]))
            if chosen:
                heads[place] = next(side, None)
    output.write(wire.integer(0))


def at_least_one(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A side without the key sends an empty batch."""
    first = next(batches, None)
    yield pa.RecordBatch.from_pylist([], schema) if first is None else first
    yield from batches


def order_of(key: Key) -> tuple[tuple[bool, Any], ...]:
    """A sort key of a group's key: nulls come first, as in the order of the rows."""
    return tuple((value is not None, value if value is not None else 0) for value in key)
