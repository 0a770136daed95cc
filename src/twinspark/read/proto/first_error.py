"""Falls back when Spark would report another error of a DataFrame first: unresolvable function calls are reported
early.

Unresolved names and type mismatches are reported once the whole plan has been resolved as far as possible; unknown
functions and wrong numbers of arguments are reported before, wherever in the plan they are."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import Message
from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions import overloads
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.read.sql import ParseError, parse_expression, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.sql_text import parser_config

IN_THE_END = ("UNRESOLVED_COLUMN.", "DATATYPE_MISMATCH.", "TABLE_OR_VIEW_NOT_FOUND", "CANNOT_RESOLVE_DATAFRAME_COLUMN")


def check_error_order(plan: relations_pb2.Relation, error: SparkError, context: Context) -> None:
    if not error.condition.startswith(IN_THE_END):
        return
    found = list(messages_in(plan))
    calls = [call for message in found for call in calls_of(message, context)]
    if any(may_fail(name, count) for name, count in calls) or any(map(filters_by_window, found)):
        raise NotNative(reasons.ERROR_ORDER, likely_error=error) from error


def filters_by_window(message: Message) -> bool:
    if not isinstance(message, relations_pb2.Filter):
        return False
    return any(isinstance(inner, expressions_pb2.Expression.Window) for inner in messages_in(message.condition))


def messages_in(message: Message) -> Iterator[Message]:
    yield message
    for _, value in message.ListFields():
        if isinstance(value, Message):
            yield from messages_in(value)
        elif not isinstance(value, str | bytes | int | float):
            parts = value.values() if hasattr(value, "values") else value
            yield from (inner for part in parts if isinstance(part, Message) for inner in messages_in(part))


def calls_of(message: Message, context: Context) -> Iterator[tuple[str, int]]:
    """The names of called functions, with the number of their arguments."""
    match message:
        case expressions_pb2.Expression.UnresolvedFunction() if not message.is_user_defined_function:
            yield message.function_name.lower(), len(message.arguments)
        case expressions_pb2.CallFunction():
            yield message.function_name.lower(), len(message.arguments)
        case expressions_pb2.Expression.ExpressionString():
            yield from calls_in_text(message.expression, context)


def calls_in_text(text: str, context: Context) -> Iterator[tuple[str, int]]:
    try:
        node = parse_expression(text, parser_config(context))
    except ParseError:  # reported before anything else
        return
    for call in tree_nodes(node):
        if isinstance(call, tree.Function) and isinstance(call.name, tree.Name) and not has_star(call):
            yield call.name.parts[-1].lower(), len(call.arguments) + len(call.within_group)


def has_star(call: tree.Function) -> bool:
    return any(isinstance(one, tree.Star) for one in call.arguments)


def may_fail(name: str, count: int) -> bool:
    known = overloads(name)
    if known:
        return not any(signature.accepts(count) for signature in known)
    return name.isidentifier() and name not in SPARK_FUNCTIONS
