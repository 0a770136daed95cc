"""The results of commands: rows under Spark's schema, as a local relation that the client reads."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

from twinspark.wire.connect.proto_fields import bytes_field
from twinspark.wire.connect.response_buffer import join_parts
from twinspark.wire.connect.response_frames import SQL_RESULT, BatchWriter, schema_field

Answer = tuple[bytes, ...]  # the fields of one response, or none
Row = Sequence[Any]
NOTHING = StructType([])


def text(name: str, nullable: bool = False, comment: str | None = None) -> StructField:
    return StructField(name, StringType(), nullable, {} if comment is None else {"comment": comment})


def flag(name: str) -> StructField:
    return StructField(name, BooleanType(), False)


def answer(schema: StructType = NOTHING, rows: Iterable[Row] = ()) -> Answer:
    """The response of spark.sql for a command: a local relation with the command's rows."""
    return table_relation(schema, arrow_table(schema, rows))


def table_relation(schema: StructType, table: pa.Table) -> Answer:
    """The same for rows that are an Arrow table."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    result = base_pb2.ExecutePlanResponse.SqlCommandResult()
    result.relation.local_relation.data = sink.getvalue().to_pybytes()
    result.relation.local_relation.schema = schema.json()
    return (bytes_field(SQL_RESULT, result.SerializeToString()),)


def relation_rows(schema: StructType, rows: Iterable[Row]) -> Answer:
    """The same rows as the result of a relation: schema and one batch."""
    return table_answer(schema, arrow_table(schema, rows))


def table_answer(schema: StructType, table: pa.Table) -> Answer:
    """All rows in one response, for small results."""
    batch = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
    (parts,) = BatchWriter(table.schema, None).fields(batch[0])
    return (schema_field(schema), join_parts(parts))


def arrow_table(schema: StructType, rows: Iterable[Row]) -> pa.Table:
    kinds = to_arrow_schema(schema)
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip(columns, kinds, strict=True)], schema=kinds)
