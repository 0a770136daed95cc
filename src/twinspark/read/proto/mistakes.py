"""Whether a DataFrame's mistake is the one that Spark tells: calls that cannot be resolved come before it.

Names that are not found and types that do not fit are told when the whole plan has been resolved as far as it goes;
a function with another number of arguments, or one that nobody knows, is told before, wherever in the plan it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.functions import overloads
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.read.sql import ParseError, parse_expression, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.text import parser_config

IN_THE_END = ("UNRESOLVED_COLUMN.", "DATATYPE_MISMATCH.", "TABLE_OR_VIEW_NOT_FOUND", "CANNOT_RESOLVE_DATAFRAME_COLUMN")


def check_told_first(plan: Any, error: SparkError, context: Context) -> None:
    if not error.condition.startswith(IN_THE_END):
        return
    found = list(messages_in(plan))
    calls = [call for message in found for call in calls_of(message, context)]
    if any(may_fail(name, count) for name, count in calls) or any(map(filters_by_window, found)):
        raise NotNative("which of several mistakes is told first", nearest=error) from error


def filters_by_window(message: Any) -> bool:
    if message.DESCRIPTOR.name != "Filter":
        return False
    return any(inner.DESCRIPTOR.name == "Window" for inner in messages_in(message.condition))


def messages_in(message: Any) -> Iterator[Any]:
    yield message
    for _, value in message.ListFields():
        if isinstance(value, Message):
            yield from messages_in(value)
        elif not isinstance(value, str | bytes | int | float):
            parts = value.values() if hasattr(value, "values") else value
            yield from (inner for part in parts if isinstance(part, Message) for inner in messages_in(part))


def calls_of(message: Any, context: Context) -> Iterator[tuple[str, int]]:
    """The names of called functions, and with how many arguments."""
    match message.DESCRIPTOR.name:
        case "UnresolvedFunction" if not message.is_user_defined_function:
            yield message.function_name.lower(), len(message.arguments)
        case "CallFunction":
            yield message.function_name.lower(), len(message.arguments)
        case "ExpressionString":
            yield from calls_in_text(message.expression, context)


def calls_in_text(text: str, context: Context) -> Iterator[tuple[str, int]]:
    try:
        node = parse_expression(text, parser_config(context))
    except ParseError:  # told as such, before anything else
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
