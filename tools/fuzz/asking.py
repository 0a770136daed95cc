"""Calls over rows as one relation, and the answers of a server to it, unit by unit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t
from pyspark.sql.connect.proto import relations_pb2

from tools.cases.connect import Connection, Result, ServerError
from tools.cases.files import Answer, refusal
from tools.cases.render import render_column, without_arrow_form
from tools.cases.typetext import result_text, schema_text

UNIT = {"scalar": "n", "generator": "n", "aggregate": "g", "window": "g", "query": "g"}
TABLE = "fuzzed"
SEVERAL = ("generator", "query")  # more columns than one, any number of rows
FIXED = {"n": t.IntegerType(), "g": t.IntegerType()}


@dataclass(frozen=True)
class Asked:
    """Calls over rows; how they are asked decides what a unit of comparison is."""

    kind: str
    calls: tuple[str, ...]
    kinds: dict[str, t.DataType]
    rows: pa.Table

    @property
    def call(self) -> str:
        return self.calls[0]

    @property
    def unit(self) -> str:
        return UNIT[self.kind]

    @property
    def units(self) -> list[int]:
        return list(dict.fromkeys(self.rows.column(self.unit).to_pylist()))

    def only(self, units: Sequence[int]) -> "Asked":
        wanted = pc.is_in(self.rows.column(self.unit), pa.array(units, pa.int32()))
        return Asked(self.kind, self.calls, self.kinds, self.rows.filter(wanted))

    # ---- many calls in one relation

    @staticmethod
    def together(many: Sequence["Asked"]) -> "Asked":
        """Side by side: the same units, each call with its own columns."""
        first = many[0]
        columns = {name: one.rows.column(name) for one in many for name in one.kinds}
        fixed = {name: first.rows.column(name) for name in FIXED}
        kinds = {name: kind for one in many for name, kind in one.kinds.items()}
        return Asked(first.kind, tuple(one.call for one in many), kinds, pa.table(fixed | columns))

    def places(self, fine: Sequence[int]) -> Iterator[tuple[int, int]]:
        """At which unit each of the given ones stands in `cycled`."""
        if self.unit == "g":
            return ((unit, unit) for unit in fine)
        return enumerate(fine)

    def cycled(self, fine: Sequence[int]) -> "Asked":
        """As many rows, of the given units only: rows repeated; groups that are not given have nulls for values."""
        if self.unit == "g":
            wanted = pc.is_in(self.rows.column("g"), pa.array(fine, pa.int32()))
            columns = {name: pc.if_else(wanted, self.rows.column(name), None) for name in self.kinds}
        else:
            chosen = pa.array([fine[place % len(fine)] for place in range(self.rows.num_rows)])
            columns = {name: self.rows.column(name).take(chosen) for name in self.kinds}
        return Asked(self.kind, self.calls, self.kinds, pa.table({n: self.rows.column(n) for n in FIXED} | columns))

    # ---- as a message

    def relation(self, calls: Sequence[str]) -> relations_pb2.Relation:
        if self.kind == "query":
            return self.query(calls[0])
        relation = relations_pb2.Relation()
        grouped = self.kind == "aggregate"
        source = relation.aggregate.input if grouped else relation.project.input
        source.local_relation.data = stream_of(self.rows)
        source.local_relation.schema = self.schema.json()
        if grouped:
            relation.aggregate.group_type = relations_pb2.Aggregate.GROUP_TYPE_GROUPBY
            relation.aggregate.grouping_expressions.add().unresolved_attribute.unparsed_identifier = "g"
        else:
            calls = [self.unit, *(["n"] if self.kind == "window" else []), *calls]
        expressions = relation.aggregate.aggregate_expressions if grouped else relation.project.expressions
        for text in calls:
            expressions.add().expression_string.expression = text
        return relation

    def query(self, text: str) -> relations_pb2.Relation:
        """A text over the rows as a table; its first column says which group a row is of."""
        relation = relations_pb2.Relation()
        relation.with_relations.root.sql.query = text
        source = relation.with_relations.references.add()
        source.subquery_alias.alias = TABLE
        source.subquery_alias.input.local_relation.data = stream_of(self.rows)
        source.subquery_alias.input.local_relation.schema = self.schema.json()
        return relation

    @property
    def schema(self) -> t.StructType:
        return t.StructType([t.StructField(name, (FIXED | self.kinds)[name]) for name in self.rows.column_names])


def answers(server: Connection, asked: Asked) -> list[dict[int, Answer]] | Answer:
    """For each call one answer for each unit, or the one error of them all."""
    try:
        return told(asked, asked_as_text(server, asked))
    except ServerError as error:
        return refusal(error.condition, error.message)


def asked_as_text(server: Connection, asked: Asked) -> Result:
    """What has no form in PyArrow is asked for as strings."""
    result = server.execute(asked.relation(asked.calls))
    fields = result.schema.fields[-len(asked.calls) :]
    if asked.kind in SEVERAL or not any(without_arrow_form(field.dataType) for field in fields):
        return result
    texts = [
        f"CAST({call} AS STRING)" if without_arrow_form(field.dataType) else call
        for call, field in zip(asked.calls, fields, strict=True)
    ]
    return server.execute(asked.relation(texts))


def told(asked: Asked, result: Result) -> list[dict[int, Answer]]:
    first = 2 if asked.kind == "window" else 1
    fields = result.schema.fields[first:]
    columns = [render_column(result.rows.column(first + place), of.dataType) for place, of in enumerate(fields)]
    units = result.rows.column(0).to_pylist()
    if asked.kind in SEVERAL:
        rows = [", ".join(row) for row in zip(*columns, strict=True)]
        order = range(len(rows)) if asked.kind == "generator" else sorted(range(len(rows)), key=rows.__getitem__)
        schema = schema_text(t.StructType(fields))
        return [by_unit([units[place] for place in order], [rows[place] for place in order], schema, asked.units)]
    order = sorted(range(len(units)), key=result.rows.column(first - 1).to_pylist().__getitem__)
    units = [units[place] for place in order]
    kinds = [result_text(field.dataType, field.nullable) for field in fields]
    return [
        by_unit(units, [column[place] for place in order], kind) for column, kind in zip(columns, kinds, strict=True)
    ]


def by_unit(units: list[int], texts: list[str], kind: str, expected: Sequence[int] = ()) -> dict[int, Answer]:
    rows: dict[int, list[str]] = {unit: [] for unit in expected}
    for unit, text in zip(units, texts, strict=True):
        rows.setdefault(unit, []).append(text)
    return {unit: Answer(kind, " ¦ ".join(of)) for unit, of in rows.items()}


def stream_of(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows.combine_chunks())
    return bytes(sink.getvalue().to_pybytes())


def named(call: str, literals: dict[str, str]) -> str:
    return re.sub(r"\bv\d+_\d+\b", lambda found: literals.get(found[0], found[0]), call)
