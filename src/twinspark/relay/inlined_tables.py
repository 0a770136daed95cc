"""Rewrites requests to Spark that name tables Spark cannot find (those of additional catalogs, and earlier versions of
tables): their names are replaced by queries over their files."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import (
    ParseError,
    ParserConfig,
    leading_kinds,
    parse_multipart_identifier,
    parse_statement,
    tree,
)
from twinspark.read.sql.lexer.tokens import tokenize
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.sql_text import parser_config
from twinspark.read.time_travel import VERSIONS
from twinspark.read.views import find_view
from twinspark.read.walk import Walk
from twinspark.relay.table_views import TableViews
from twinspark.sessions.session import Session
from twinspark.sessions.tables import PREFIX, tables_of
from twinspark.tables.names import is_path, not_found
from twinspark.types import TimestampType, quote_identifier
from twinspark.wire.connect.compressed_plans import decompress_plan

HOME = "spark_catalog"
REQUESTS: dict[str, type[base_pb2.ExecutePlanRequest] | type[base_pb2.AnalyzePlanRequest]] = {
    "ExecutePlan": base_pb2.ExecutePlanRequest,
    "AnalyzePlan": base_pb2.AnalyzePlanRequest,
}
TRAVEL_OPTIONS = {*VERSIONS, "timestampasof", "as-of-timestamp"}
REFERENCES = ("branch_", "tag_")  # db.t.branch_x is the branch x of the table db.t
Edit = tuple[int, int, str]


class SentTables(Protocol):
    """Tables whose rows are uploaded with a request (sent_tables.TablesSent)."""

    def along(self, request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest, replayed: bool) -> bool: ...


def inline_tables(
    session: Session, shown: TableViews, sent: SentTables, rpc: str, data: bytes, replayed: bool = False
) -> bytes:
    """The request as Spark can answer it; the original bytes if it names no such table. A replayed request may have
    been
    made in another catalog, and may name tables dropped since: then Spark reports the error."""
    try:
        return with_queries(session, shown, sent, rpc, data, replayed)
    except NotNative as why:
        operation = f"a query that cannot be sent to Spark ({why})"
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="read", operation=operation) from why
    except SparkError:
        if not replayed:
            raise
        return data


def with_queries(session: Session, shown: TableViews, sent: SentTables, rpc: str, data: bytes, replayed: bool) -> bytes:
    shared = session.shared
    if rpc not in REQUESTS or shared.catalogs.is_empty(session.config.snapshot()):
        return data
    has_others = session.current.catalog != HOME or any(key.startswith(PREFIX) for key in session.config.snapshot())
    request = REQUESTS[rpc].FromString(data)
    plan = request.plan if isinstance(request, base_pb2.ExecutePlanRequest) else base_pb2.Plan()
    is_compressed = plan.WhichOneof("op_type") == "compressed_operation"
    sees_files = shown.allowed
    if (
        sees_files
        and not has_others
        and not is_compressed
        and not travels(request, ParserConfig.of(session.config.snapshot()))
    ):
        return data
    if is_compressed:
        plan.CopyFrom(decompress_plan(plan))
    changed = Inlining(session, replayed).change(request) if sees_files else sent.along(request, replayed)
    return bytes(request.SerializeToString()) if changed else data


@dataclass
class Inlining:
    """Rewrites one request; names are looked up as in the session."""

    session: Session
    replayed: bool

    @cached_property
    def context(self) -> Context:
        return self.session.services.surroundings().context(self.session.shared.native.cursor())

    def change(self, message: Message) -> bool:
        """Changes the message in place; returns whether there was anything to change."""
        if isinstance(message, relations_pb2.Relation) and message.WhichOneof("rel_type") == "read":
            return self.read(message)
        done = [self.change(each) for each in messages_in(message)]
        if isinstance(message, relations_pb2.SQL):
            done.append(self.sql(message))
        return any(done)

    # ---- spark.table, spark.read.table

    def read(self, relation: relations_pb2.Relation) -> bool:
        named = relation.read.named_table
        if relation.read.is_streaming or relation.read.WhichOneof("read_type") != "named_table":
            return False
        parts = tuple(parse_multipart_identifier(named.unparsed_identifier, parser_config(self.context)))
        options = {key.lower(): value for key, value in named.options.items()}
        query = self.query(parts, *self.travel(options)) if len(options) < 2 else None
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

    def sql(self, message: relations_pb2.SQL) -> bool:
        """Texts that are no query, or that Spark cannot parse either, are left unchanged."""
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
        replaced: dict[tuple[str, ...], str] = {}
        for node in nodes:
            if isinstance(node, tree.Table) and isinstance(node.name, tree.Name) and not node.changes:
                parts = node.name.parts
                if (query := self.query_at(node, text, ctes)) is None:
                    continue
                replaced[tuple(part.lower() for part in parts)] = parts[-1]
                yield self.edit(node, query, text)
        yield from shorter_columns(nodes, replaced)

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
        if leading_kinds(text[node.start : node.name.start], 1) == ["TABLE"]:  # TABLE t, as a query
            return node.start, stop, f"SELECT * FROM ({query}) AS {name}"
        return node.name.start, stop, f"({query})" if node.alias or node.sample else f"({query}) AS {name}"

    # ---- names

    def query(self, parts: tuple[str, ...], version: str | None, moment: Expression | None) -> str | None:
        """The query over the table's files; None for a table that Spark finds by name, or that no catalog has."""
        is_other = self.session.current.catalog != HOME and parts[0] not in self.session.catalogs.names()
        if is_path(parts) or find_view(parts, self.context) is not None or (is_other and self.replayed):
            return None
        if moment is not None:
            moment = build.cast(moment, TimestampType(), self.context.settings, "ansi")
        found = tables_of(self.context).spark_query(parts, self.context, version, moment)
        if found is None and is_other:
            raise not_found(parts, self.context)  # Spark would look for it in its own catalog
        return found


# ---------------------------------------------------------------- requests with time travel
def travels(message: Message, config: ParserConfig) -> bool:
    """Whether a request reads a table at a version or timestamp, or one of its branches or tags."""
    if isinstance(message, relations_pb2.Read) and message.HasField("named_table"):
        named = message.named_table
        options = {key.lower() for key in named.options}
        return bool(options & TRAVEL_OPTIONS) or is_reference(named.unparsed_identifier.rpartition(".")[2].strip("`"))
    if isinstance(message, relations_pb2.SQL) and statement_travels(message.query, config):
        return True
    return any(travels(each, config) for each in messages_in(message))


def statement_travels(text: str, config: ParserConfig) -> bool:
    """A text that does not parse may still contain AS OF; the rewriting then decides or reports the error."""
    try:
        nodes = tree_nodes(parse_statement(text, config))
    except (ParseError, NotNative):
        return ("AS", "OF") in pairwise(tokenize(text).kinds)
    return any(isinstance(node, tree.Table) and table_travels(node) for node in nodes)


def table_travels(node: tree.Table) -> bool:
    return node.time_travel is not None or (isinstance(node.name, tree.Name) and is_reference(node.name.parts[-1]))


def is_reference(name: str) -> bool:
    return name.lower().startswith(REFERENCES)


def shorter_columns(nodes: list[Any], replaced: dict[tuple[str, ...], str]) -> Iterator[Edit]:
    """Shortens `lake.db.t.id`, since the table is now an alias of its last name."""
    for node in nodes:
        for parts, alias in replaced.items():
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
