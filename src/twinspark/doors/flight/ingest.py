"""Bulk ingestion (CommandStatementIngest): uploaded batches become the rows of a table."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, commands_pb2, relations_pb2
from pyspark.sql.pandas.types import from_arrow_schema

from twinspark.doors.flight.session import FlightSession
from twinspark.doors.flight.status import invalid, not_supported
from twinspark.doors.flight.uploads import frames_of, read_rows
from twinspark.types import quote_identifier
from twinspark.types.arrow import arrow_schema

CREATE, FAIL_IF_MISSING = 1, 2
FAIL, APPEND, REPLACE = 1, 2, 3
CHUNK_BYTES = 32 << 20  # of rows that are written by one plan
Write = commands_pb2.WriteOperationV2


def ingest(command: Any, messages: Iterable[bytes], session: FlightSession) -> int:
    """The number of rows written. Each chunk is a write of its own: rows before an error stay, as there are no
    transactions."""
    if command.temporary:
        raise not_supported("ingestion into temporary tables: Spark has none")
    name, count, mode = table_name(command), 0, first_mode(command, session)
    for rows in chunks(messages):
        write(rows, name, mode, session)
        count, mode = count + rows.num_rows, Write.MODE_APPEND
    return count


def table_name(command: Any) -> str:
    return ".".join(quote_identifier(part) for part in (command.catalog, command.schema, command.table) if part)


def first_mode(command: Any, session: FlightSession) -> Write.Mode.ValueType:
    options = command.table_definition_options
    if not exists(table_name(command), session):
        if options.if_not_exist == FAIL_IF_MISSING:
            return Write.MODE_APPEND  # whose error is Spark's for a missing table
        return Write.MODE_CREATE
    modes = {FAIL: Write.MODE_CREATE, APPEND: Write.MODE_APPEND, REPLACE: Write.MODE_REPLACE}
    return modes.get(options.if_exists, Write.MODE_CREATE)


def exists(name: str, session: FlightSession) -> bool:
    relation = relations_pb2.Relation()
    relation.catalog.table_exists.table_name = name
    rows = [pa.ipc.open_stream(each).read_all() for each in session.streams(relation) if each]
    return bool(rows[0].column(0)[0].as_py())


def chunks(messages: Iterable[bytes]) -> Iterator[pa.Table]:
    """Tables of about CHUNK_BYTES; at least one, which may be empty."""
    frames = frames_of(messages)
    schema = next(frames, None)
    if schema is None:
        raise invalid("there is no data to ingest")
    waiting, is_first = [schema], True
    for each in frames:
        waiting.append(each)
        if sum(len(frame.body) for frame in waiting) > CHUNK_BYTES:
            yield read_rows(waiting)
            waiting, is_first = [schema], False
    if len(waiting) > 1 or is_first:
        yield read_rows(waiting)


def write(rows: pa.Table, name: str, mode: Write.Mode.ValueType, session: FlightSession) -> None:
    operation = Write(table_name=name, mode=mode, input=local_relation(rows))
    for _ in session.execute_plan(base_pb2.Plan(command=commands_pb2.Command(write_operation_v2=operation))):
        pass


def local_relation(rows: pa.Table) -> relations_pb2.Relation:
    """With Spark's Arrow types: a client may send large strings, nanoseconds or unsigned integers."""
    kind = from_arrow_schema(rows.schema)
    sink = pa.BufferOutputStream()
    target = arrow_schema(kind, "UTC")
    with pa.ipc.new_stream(sink, target) as writer:
        writer.write_table(rows.cast(target))
    local = relations_pb2.LocalRelation(data=sink.getvalue().to_pybytes(), schema=kind.json())
    return relations_pb2.Relation(local_relation=local)
