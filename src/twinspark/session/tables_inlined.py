"""What a view of Spark's catalog cannot stand for, in a request that goes to Spark: tables of further catalogs, and
tables as they were. The request is given the query over their files in the place of their name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import ParseError, parse_multipart_identifier, parse_statement, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.text import parser_config
from twinspark.read.travel import VERSIONS
from twinspark.read.views import find_view
from twinspark.read.walk import Walk
from twinspark.session.plans import decompressed
from twinspark.session.tables_session import PREFIX, tables_of
from twinspark.tables.names import is_path, not_found
from twinspark.types import TimestampType, quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session

HOME = "spark_catalog"
REQUESTS: dict[str, Any] = {"ExecutePlan": base_pb2.ExecutePlanRequest, "AnalyzePlan": base_pb2.AnalyzePlanRequest}
TRAVELS = re.compile(rb"as\s+of\b|asof|snapshot-id|as-of-timestamp|branch|\btag|_tag", re.IGNORECASE)
TABLE = re.compile(r"TABLE\b", re.IGNORECASE)
Edit = tuple[int, int, str]


def inlined(session: "Session", rpc: str, data: bytes, replayed: bool = False) -> bytes:
    """The request as Spark can answer it; the very bytes where it names nothing of that kind. One that is replayed was
    made when the session was elsewhere, maybe, and may speak of what is no more: then Spark will say so."""
    try:
        return with_queries(session, rpc, data, replayed)
    except NotNative as why:
        operation = f"what no query of Spark's can stand for ({why.reason})"
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="read", operation=operation) from why
    except SparkError:
        if not replayed:
            raise
        return data


def with_queries(session: "Session", rpc: str, data: bytes, replayed: bool) -> bytes:
    shared = session.shared
    if rpc not in REQUESTS or shared.catalogs.is_empty(session.config.snapshot()):
        return data
    elsewhere = session.catalog != HOME or any(key.startswith(PREFIX) for key in session.config.snapshot())
    request = REQUESTS[rpc].FromString(data)
    packed = rpc == "ExecutePlan" and request.plan.WhichOneof("op_type") == "compressed_operation"
    sees_files = shared.tables_on_spark.allowed
    if sees_files and not elsewhere and not packed and not TRAVELS.search(data):
        return data
    if packed:
        request.plan.CopyFrom(decompressed(request.plan))
    changed = Inlining(session, replayed).changed(request) if sees_files else session.sent.along(request, replayed)
    return bytes(request.SerializeToString()) if changed else data


@dataclass
class Inlining:
    """One request's: names are looked up as the session would look them up."""

    session: "Session"
    replayed: bool

    @cached_property
    def context(self) -> Context:
        return self.session.surroundings().context(self.session.shared.native.cursor())

    def changed(self, message: Message) -> bool:
        """Changes the message in place; whether there was anything to change."""
        if isinstance(message, relations_pb2.Relation) and message.WhichOneof("rel_type") == "read":
            return self.read(message)
        done = [self.changed(each) for each in messages_in(message)]
        if isinstance(message, relations_pb2.SQL):
            done.append(self.sql(message))
        return any(done)

    # ---- spark.table, spark.read.table

    def read(self, relation: Any) -> bool:
        named = relation.read.named_table
        if relation.read.is_streaming or relation.read.WhichOneof("read_type") != "named_table":
            return False
        parts = tuple(parse_multipart_identifier(named.unparsed_identifier, parser_config(self.context)))
        told = {key.lower(): value for key, value in named.options.items()}
        query = self.query(parts, *self.travel(told)) if len(told) < 2 else None
        if query is None:
            return False
        relation.sql.query = f"SELECT * FROM ({query}) AS {quote_identifier(parts[-1])}"
        return True

    @staticmethod
    def travel(options: dict[str, str]) -> tuple[str | None, Expression | None]:
        for key, value in options.items():
            if key in VERSIONS:
                return value, None
            if key == "as-of-timestamp":
                return None, build.literal(int(value) * 1000, TimestampType())
            if key == "timestampasof":
                return None, build.literal(value)
        return None, None

    # ---- SQL

    def sql(self, message: Any) -> bool:
        """Texts that are no query, or that Spark will not understand either, stay as they are."""
        try:
            statement = parse_statement(message.query, parser_config(self.context))
        except ParseError:
            return False
        edits = list(self.edits(statement, message.query))
        for start, stop, text in sorted(edits, reverse=True):
            message.query = message.query[:start] + text + message.query[stop:]
        return bool(edits)

    def edits(self, statement: Any, text: str) -> Iterator[Edit]:
        nodes = list(tree_nodes(statement))
        ctes = {each.name.lower() for each in nodes if isinstance(each, tree.NamedQuery)}
        gone: dict[tuple[str, ...], str] = {}
        for node in nodes:
            if isinstance(node, tree.Table) and isinstance(node.name, tree.Name) and not node.changes:
                parts = node.name.parts
                if (query := self.query_at(node, text, ctes)) is None:
                    continue
                gone[tuple(part.lower() for part in parts)] = parts[-1]
                yield self.edit(node, query, text)
        yield from shorter_columns(nodes, gone)

    def query_at(self, node: Any, text: str, ctes: set[str]) -> str | None:
        parts, travel = node.name.parts, node.time_travel
        if len(parts) == 1 and parts[0].lower() in ctes:
            return None
        if travel is None:
            return self.query(parts, None, None)
        if travel.timestamp is None:
            return self.query(parts, travel.version, None)
        walk = Walk(text, self.context)
        return self.query(parts, None, walk.read(travel.timestamp, walk.scope(frame_of(OneRow()))))

    def edit(self, node: Any, query: str, text: str) -> Edit:
        name, stop = quote_identifier(node.name.parts[-1]), (node.time_travel or node.name).stop
        if TABLE.match(text, node.start) and node.start < node.name.start:  # TABLE t, a query of its own
            return node.start, stop, f"SELECT * FROM ({query}) AS {name}"
        return node.name.start, stop, f"({query})" if node.alias or node.sample else f"({query}) AS {name}"

    # ---- names

    def query(self, parts: tuple[str, ...], version: str | None, moment: Expression | None) -> str | None:
        """The query over the table's files; None for what Spark finds by its name, or knows nothing of as we do not."""
        apart = self.session.catalog != HOME and parts[0] not in self.session.catalogs.names()
        if is_path(parts) or find_view(parts, self.context) is not None or (apart and self.replayed):
            return None
        if moment is not None:
            moment = build.cast(moment, TimestampType(), self.context.settings, "ansi")
        found = tables_of(self.context).spark_query(parts, self.context, version, moment)
        if found is None and apart:
            raise not_found(parts, self.context)  # Spark would look for it in its own catalog
        return found


def shorter_columns(nodes: list[Any], gone: dict[tuple[str, ...], str]) -> Iterator[Edit]:
    """`lake.db.t.id`: the table is called by its last name now."""
    for node in nodes:
        for parts, alias in gone.items():
            size = len(parts)
            if size < 2 or not isinstance(node, tree.Column) or len(node.parts) <= size:
                continue
            if tuple(part.lower() for part in node.parts[:size]) == parts:
                yield node.start, node.stop, ".".join(map(quote_identifier, (alias, *node.parts[size:])))


def messages_in(message: Message) -> Iterator[Message]:
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            yield from (each for each in value.values() if isinstance(each, Message))
        else:
            yield from list(value) if field.is_repeated else [value]
