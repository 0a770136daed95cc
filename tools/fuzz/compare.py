"""Runs one call over the same rows on both servers and finds the rows answered otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.connect.proto import relations_pb2

from tools.cases.connect import Connection, ServerError
from tools.cases.files import Answer, refusal
from tools.cases.render import render_column, without_arrow_form
from tools.cases.typetext import result_text
from tools.replay.run import NOT_NATIVE

BLOCK = 500
MOST_QUESTIONS = 400


@dataclass(frozen=True)
class Difference:
    """A row for which the two servers disagree."""

    row: int
    spark: Answer
    ours: Answer


class Comparison:
    """Both servers, and how many questions may still be asked: rows that fail must be looked for one by one."""

    def __init__(self, spark: Connection, ours: Connection) -> None:
        self.spark, self.ours = spark, ours
        self.questions = MOST_QUESTIONS
        self.rows_compared = 0
        self.not_native = 0

    def differences(self, call: str, schema: t.StructType, rows: pa.Table) -> Iterator[Difference]:
        for start in range(0, rows.num_rows, BLOCK):
            yield from self.block(call, schema, rows.slice(start, BLOCK), start)

    def block(self, call: str, schema: t.StructType, rows: pa.Table, start: int) -> Iterator[Difference]:
        """Blocks that fail on either side are halved down to single rows, as long as questions are left."""
        if self.questions <= 0:
            return
        self.questions -= 1
        spark, ours = (answers(server, call, schema, rows) for server in (self.spark, self.ours))
        if ours[0].failed and ours[0].value == NOT_NATIVE:
            self.not_native += rows.num_rows
        elif rows.num_rows > 1 and (spark[0].failed or ours[0].failed):
            middle = rows.num_rows // 2
            yield from self.block(call, schema, rows.slice(0, middle), start)
            yield from self.block(call, schema, rows.slice(middle), start + middle)
        else:
            self.rows_compared += rows.num_rows
            for place, (theirs, own) in enumerate(zip(spark, ours, strict=True)):
                if (theirs.kind, theirs.value) != (own.kind, own.value):
                    yield Difference(start + place, theirs, own)


def answers(server: Connection, call: str, schema: t.StructType, rows: pa.Table) -> list[Answer]:
    """One answer for each row, or the one error of them all."""
    try:
        result = server.execute(relation_of(call, schema, rows))
    except ServerError as error:
        return [refusal(error.condition, error.message)] * rows.num_rows
    field = result.schema.fields[0]
    if without_arrow_form(field.dataType):
        return answers(server, f"CAST({call} AS STRING)", schema, rows)
    kind = result_text(field.dataType, field.nullable)
    return [Answer(kind, text) for text in render_column(result.rows.column(0), field.dataType)]


def relation_of(call: str, schema: t.StructType, rows: pa.Table) -> relations_pb2.Relation:
    relation = relations_pb2.Relation()
    relation.project.input.local_relation.data = stream_of(rows)
    relation.project.input.local_relation.schema = schema.json()
    relation.project.expressions.add().expression_string.expression = call
    return relation


def stream_of(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows.combine_chunks())
    return bytes(sink.getvalue().to_pybytes())
