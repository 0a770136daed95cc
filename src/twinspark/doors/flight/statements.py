"""Statements between the calls of a client: their handles contain them, so that the server stores nothing."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.connect.expressions import LiteralExpression
from pyspark.sql.connect.proto import expressions_pb2, relations_pb2
from pyspark.sql.pandas.types import from_arrow_type

from twinspark.doors.flight.session import FlightSession, Literal, sql_relation
from twinspark.doors.flight.status import invalid
from twinspark.doors.http2 import CallRejected
from twinspark.errors import SparkError
from twinspark.read.sql import parameter_markers, parse_statement, tree
from twinspark.wire.flight.messages import own, serialize

AFFECTED = ("num_affected_rows", "num_inserted_rows")
UNKNOWN_COUNT = -1


@dataclass(frozen=True)
class Prepared:
    """A prepared statement with the arguments of its last binding, if it has parameters."""

    query: str
    arguments: tuple[Literal, ...] = ()
    names: tuple[str, ...] = ()  # of the columns that the arguments came in

    @staticmethod
    def of(handle: bytes) -> "Prepared":
        found = own.Prepared.FromString(handle)
        arguments = tuple(expressions_pb2.Expression.FromString(each) for each in found.arguments)
        return Prepared(found.query, arguments, tuple(found.names))

    @property
    def handle(self) -> bytes:
        arguments = [each.SerializeToString() for each in self.arguments]
        return serialize(own.Prepared(query=self.query, arguments=arguments, names=self.names))

    def bind(self, row: dict[str, Literal]) -> "Prepared":
        return Prepared(self.query, tuple(row.values()), tuple(row))

    def run(self, session: FlightSession) -> relations_pb2.Relation:
        markers = markers_of(self.query)
        if not self.arguments or not any(markers):
            return session.run_sql(self.query, self.arguments)
        return session.run_sql(self.query, named=self.named_arguments(markers))

    def named_arguments(self, markers: list[str]) -> dict[str, Literal]:
        """By the names of the columns, or by their order if these are not the markers' names."""
        if set(markers) <= set(self.names):
            return dict(zip(self.names, self.arguments, strict=True))
        return dict(zip(dict.fromkeys(markers), self.arguments, strict=False))


def markers_of(query: str) -> list[str]:
    """The names of a statement's parameter markers in order, empty for `?`; none if it cannot be parsed."""
    try:
        return [name for _, _, name in parameter_markers(query)]
    except SparkError:
        return []


def parameter_schema(query: str) -> pa.Schema:
    """Markers have no types before they are bound; a name that occurs twice is one parameter."""
    markers = markers_of(query)
    names = markers if not all(markers) else dict.fromkeys(markers)
    return pa.schema([pa.field(name or f"parameter_{at}", pa.null()) for at, name in enumerate(names, 1)])


def query_schema(query: str, session: FlightSession) -> pa.Schema | None:
    """The columns of a query, with null for its parameters; None for a command, which is not run for that."""
    try:
        if not isinstance(parse_statement(query), tree.Query):
            return None
    except SparkError:
        return None  # reported when the statement runs
    markers = markers_of(query)
    named = {name: null_literal() for name in markers if name}
    positional = [null_literal() for name in markers if not name]
    try:
        return session.arrow_schema(sql_relation(query, positional, named))
    except CallRejected:
        if markers:  # a parameter of type void is not allowed there
            return None
        raise


def null_literal() -> Literal:
    return LiteralExpression(None, t.NullType()).to_plan(None)


# ---- arguments


def bound_rows(table: pa.Table) -> Iterator[dict[str, Literal]]:
    kinds = [from_arrow_type(each) for each in table.schema.types]
    names = unique_names(table.schema.names)
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield {name: literal(*pair) for name, pair in zip(names, zip(row, kinds, strict=True), strict=True)}


def unique_names(names: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        found[name if name and name not in found else f"{name}#{len(found)}"] = None
    return list(found)


def literal(value: object, kind: t.DataType) -> Literal:
    return LiteralExpression(value, kind if value is not None else t.NullType()).to_plan(None)


# ---- tickets


@dataclass(frozen=True)
class Statement:
    """A statement that is ready to be read: the relation of its rows, their schema, and the tag to interrupt it by."""

    tag: str
    relation: relations_pb2.Relation
    schema: pa.Schema

    @staticmethod
    def from_relation(relation: relations_pb2.Relation, session: FlightSession) -> "Statement":
        return Statement(f"flight-{uuid.uuid4()}", relation, session.arrow_schema(relation))

    @staticmethod
    def of(handle: bytes) -> "Statement":
        found = own.Statement.FromString(handle)
        relation = relations_pb2.Relation.FromString(found.relation)
        return Statement(found.tag, relation, pa.ipc.read_schema(pa.py_buffer(found.schema)))

    @property
    def handle(self) -> bytes:
        schema = self.schema.serialize().to_pybytes()
        return serialize(own.Statement(tag=self.tag, relation=self.relation.SerializeToString(), schema=schema))


def run_update(prepared: Prepared, session: FlightSession) -> int:
    """The number of affected rows, as far as the table reports it."""
    relation = prepared.run(session)
    streams = [each for each in session.streams(relation) if each]
    if relation.WhichOneof("rel_type") != "local_relation" or not streams:
        return UNKNOWN_COUNT
    rows = pa.ipc.open_stream(streams[0]).read_all()
    counted = next((name for name in AFFECTED if name in rows.column_names), None)
    return int(rows.column(counted)[0].as_py()) if counted and rows.num_rows == 1 else UNKNOWN_COUNT


def only_row(table: pa.Table) -> dict[str, Literal]:
    if table.num_rows != 1:
        raise invalid(f"a query takes one row of parameters, not {table.num_rows}")
    return next(bound_rows(table))
