"""Finds all reasons why a query cannot be read as a typed plan; reading itself stops at the first one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.errors import MetadataColumnRequested, NotNative, SparkError
from twinspark.read.proto import read_relation
from twinspark.read.sql import ParseError, parse_statement, tree
from twinspark.read.sql_text import parser_config
from twinspark.read.walk.all_errors import Search, search_query


def reasons_in_text(text: str, context: Context) -> list[NotNative]:
    """Reasons of a query, or of the queries inside a statement; a subquery that falls back hides only what uses it."""
    config = parser_config(context)
    text = config.substitute_variables(text)
    try:
        statement = parse_statement(text, config)
    except (ParseError, NotNative):
        return []
    return [why for query in outermost_queries(statement) for why in reasons_in_query(query, text, context)]


def reasons_in_query(query: tree.Query, text: str, context: Context) -> list[NotNative]:
    search = Search(text, context)
    around, context.views_read = context.views_read, {}
    try:
        search_query(query, search)
    finally:
        context.views_read = around
    found = search.problems.found
    return [each for each in found if isinstance(each, NotNative) and not isinstance(each, MetadataColumnRequested)]


def outermost_queries(node: Any) -> Iterator[tree.Query]:
    if isinstance(node, tree.Query):
        yield node
    elif isinstance(node, tree.Node):
        for name in node.__dataclass_fields__:
            yield from outermost_queries(getattr(node, name))
    elif isinstance(node, tuple):
        for each in node:
            yield from outermost_queries(each)


def reasons_in_message(message: relations_pb2.Relation, context: Context) -> list[NotNative]:
    """Reasons of the innermost relations that cannot be read: the inputs of those above them have unknown types."""
    if message.WhichOneof("rel_type") == "sql":
        return reasons_in_text(message.sql.query, context)
    found = [why for each in inner_relations(message) for why in reasons_in_message(each, context)]
    return found or own_reasons(message, context)


def own_reasons(message: relations_pb2.Relation, context: Context) -> list[NotNative]:
    try:
        read_relation(message, context)
    except NotNative as why:
        why.at(message.WhichOneof("rel_type") or "")
        return [why]
    except SparkError:
        pass  # it uses columns of an outer query, or has an error of its own
    return []


def inner_relations(message: Message) -> Iterator[relations_pb2.Relation]:
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or descriptor.message_type.GetOptions().map_entry:
            continue
        for each in value if descriptor.is_repeated else [value]:
            if isinstance(each, relations_pb2.Relation):
                yield each
            else:
                yield from inner_relations(each)
