"""Reads Connect's Expression messages into typed expressions, one handler per oneof member."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.extract_value import extract_value
from twinspark.analysis.expressions.update_fields import FieldUpdate, update_fields
from twinspark.analysis.relations.basics import Named, passed_column, with_automatic_name
from twinspark.analysis.relations.generators import is_generator
from twinspark.analysis.scope.frames import alike, star
from twinspark.analysis.scope.names import Scope, outer_star, resolve
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import Expression, Literal, SortOrder
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.origins import called_from, with_origin
from twinspark.read.proto.route import Routes
from twinspark.read.proto.types import read_type, read_type_text
from twinspark.read.sql_text import is_aliased, read_columns_text, read_expression_text
from twinspark.types import INT, StructType, quote_identifier, quote_if_needed

EXPRESSIONS = Routes("expr_type")


def read_expression(message: expressions_pb2.Expression, scope: Scope) -> Expression:
    """One typed expression; an alias shows only in the text of the enclosing expression."""
    made = read_column(message, scope)
    kind = message.WhichOneof("expr_type")
    named = kind == "alias" or (kind == "expression_string" and is_aliased(message.expression_string.expression, scope))
    return with_alias(made) if named else made.expression


def with_alias(made: Named) -> Expression:
    return replace(made.expression, text=f"{made.expression.text} AS {quote_if_needed(made.name)}")


def read_column(message: expressions_pb2.Expression, scope: Scope) -> Named:
    handler, member = EXPRESSIONS.of(message)
    if not message.common.origin.python_origin.fragment:
        made = handler(member, scope)
        return made if isinstance(made, Named) else with_automatic_name(made)
    with called_from(message) as origin:
        made = handler(member, scope)
    return with_origin(made if isinstance(made, Named) else with_automatic_name(made), origin)


def read_columns(messages: Sequence[expressions_pb2.Expression], scope: Scope) -> list[Named]:
    """Output columns: expands stars; aliases can be used by later columns (lateral column aliases)."""
    out: list[Named] = []
    for message in messages:
        kind = message.WhichOneof("expr_type")
        if kind == "unresolved_star":
            with called_from(message):
                out += read_star(message.unresolved_star, scope)
        elif kind == "expression_string":
            out += read_columns_text(message.expression_string.expression, scope)
        elif kind == "unresolved_regex":
            out += read_regex(message.unresolved_regex, scope)
        else:
            out.append(read_column(message, scope))
        if kind == "alias":
            name = out[-1].name.lower()
            scope.aliases[name] = (*scope.aliases.get(name, ()), out[-1].expression)
    return out


# ---- names


@EXPRESSIONS.handles("unresolved_attribute")
def read_attribute(message: expressions_pb2.Expression.UnresolvedAttribute, scope: Scope) -> Named:
    if message.is_metadata_column:
        raise NotNative(reasons.FILE_METADATA_COLUMN, "metadataColumn")
    plan_id = message.plan_id if message.HasField("plan_id") else None
    parts = attribute_parts(message.unparsed_identifier)
    if parts[-1] == "*" and len(parts) > 1:
        raise NotNative(reasons.STAR, "a star inside an expression")
    return resolve(scope, parts, plan_id)


def read_star(message: expressions_pb2.Expression.UnresolvedStar, scope: Scope) -> list[Named]:
    if message.HasField("plan_id"):
        return plan_star(message.plan_id, scope)
    target = attribute_parts(message.unparsed_target)[:-1] if message.HasField("unparsed_target") else ()
    found = star(scope.frame, target, scope.settings.case_sensitive)
    if found or not target:
        return [passed_column(scope.frame, attribute) for attribute in found]
    return outer_star(scope, target) or struct_star(target, scope)


def struct_star(target: tuple[str, ...], scope: Scope) -> list[Named]:
    try:
        child = resolve(scope, target).expression
    except SparkError as error:
        if error.condition == "AMBIGUOUS_REFERENCE":
            raise
        columns = ", ".join(quote_identifier(a.name) for a in scope.frame.attributes)
        shown = ".".join(map(quote_identifier, target))
        likely_error = SparkError("CANNOT_RESOLVE_STAR_EXPAND", targetString=shown, columns=columns)
        raise NotNative(
            reasons.ERROR_MESSAGE, "a star of a name that does not exist", likely_error=likely_error
        ) from error
    if not isinstance(child.type, StructType):
        raise NotNative(reasons.STAR, "a star of a value that is not a struct")
    return [Named(build.get_field(child, f.name, scope.settings), f.name) for f in child.type.fields]


def plan_star(plan_id: int, scope: Scope) -> list[Named]:
    nodes = scope.frame.plans.get(plan_id)
    if nodes is None:
        raise NotNative(reasons.STAR, "all columns of a DataFrame that is not an input of this one")
    if len(nodes) > 1:
        raise NotNative(reasons.STAR, "all columns of a DataFrame that is an input twice")
    if scope.context.hides_keys and not scope.frame.hidden:
        raise NotNative(reasons.STAR, "all columns of a DataFrame above a USING join")
    if not nodes[0].is_whole or any(attribute.id not in scope.frame.slots for attribute in nodes[0].attributes):
        if scope.context.hides_keys:
            raise NotNative(reasons.STAR, "all columns of a DataFrame above a USING join")
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name='"unresolveddataframestar()"')
    return [passed_column(scope.frame, attribute) for attribute in nodes[0].attributes]


PLAIN_PATTERN = re.compile(r"(?:[\w .*+?|()\[\]-](?<!\(\?))*")  # means the same in Java and Python


MOST_REPEATS = 3
MOST_NAME = 300


def may_take_long(pattern: str, scope: Scope) -> bool:
    """Whether Python's backtracking over nested repeats may take long, during which no other thread runs."""
    repeats = sum(map(pattern.count, "*+?"))
    long = any(len(attribute.name) > MOST_NAME for attribute in scope.frame.attributes)
    return re.search(r"\)(?:[*+]|\{)", pattern) is not None or repeats > MOST_REPEATS or (repeats > 1 and long)


def read_regex(message: expressions_pb2.Expression.UnresolvedRegex, scope: Scope) -> list[Named]:
    """DataFrame.colRegex: a pattern in backquotes, optionally after a table name; otherwise a plain name."""
    text = message.col_name
    found = re.fullmatch(r"(?:(.+)\.)?`(.+)`", text) if text.endswith("`") else None
    if found is None:
        return [resolve(scope, attribute_parts(text), message.plan_id if message.HasField("plan_id") else None)]
    table, pattern = found.groups()
    if not PLAIN_PATTERN.fullmatch(pattern) or may_take_long(pattern, scope):
        raise NotNative(reasons.REGEX, "colRegex")
    flags = re.ASCII if scope.settings.case_sensitive else re.ASCII | re.IGNORECASE
    matches = re.compile(pattern, flags).fullmatch
    same = alike(scope.settings.case_sensitive)
    return [
        passed_column(scope.frame, a)
        for a in scope.frame.attributes
        if (table is None or (a.qualifier and same(a.qualifier[-1], table))) and matches(a.name)
    ]


EXPRESSIONS.part_of(
    unresolved_star="lists of columns and arguments of functions",
    unresolved_regex="lists of columns and arguments of functions",
    sort_order="orders of sorts, windows and partitions",
    lambda_function="arguments of higher-order functions",
    direct_shuffle_partition_id="repartitionById",
)
EXPRESSIONS.to_spark(
    named_argument_expression=Cause(reasons.FUNCTION_NAMED_ARGUMENTS),
    unresolved_star=Cause(reasons.STAR, "a star inside an expression"),
    unresolved_regex=Cause(reasons.STAR, "colRegex under an alias"),
    sort_order=Cause(reasons.EXPRESSION_POSITION, "a sort order inside an expression"),
    lambda_function=Cause(reasons.LAMBDA, "a lambda that is not an argument"),
    merge_action=Cause(reasons.EXPRESSION_POSITION, "an action of MERGE"),
    typed_aggregate_expression=Cause(reasons.PROTOCOL, "typed aggregates of the Scala API"),
    direct_shuffle_partition_id=Cause(reasons.EXPRESSION_POSITION, "a partition id outside repartitionById"),
    extension=Cause(reasons.PROTOCOL, "extensions of the protocol"),
)


# ---- constants, aliases, casts


@EXPRESSIONS.handles("literal")
def read_constant(message: expressions_pb2.Expression.Literal, scope: Scope) -> Expression:
    return read_literal(message, scope.settings)


@EXPRESSIONS.handles("alias")
def read_alias(message: expressions_pb2.Expression.Alias, scope: Scope) -> Named:
    child = read_column(message.expr, scope)
    if len(message.name) != 1:
        return several_names(child, message)
    inherited = child.metadata if child.passes is not None else ()
    metadata = tuple(json.loads(message.metadata).items()) if message.metadata else inherited
    shown = with_alias(child) if message.expr.WhichOneof("expr_type") == "alias" else child.expression
    return Named(shown, message.name[0], metadata)


def several_names(child: Named, message: expressions_pb2.Expression.Alias) -> Named:
    if message.HasField("metadata"):
        raise NotNative(reasons.COLUMN_NAME_GENERATED, "several aliases with metadata")
    if not is_generator(child.expression):
        text, names = quote_expression(child.expression.text), ", ".join(message.name)
        raise SparkError("MULTI_ALIAS_WITHOUT_GENERATOR", expr=text, names=names)
    return Named(child.expression, child.name, names=tuple(message.name))


MODES = {0: None, 1: "legacy", 2: "ansi", 3: "try"}


@EXPRESSIONS.handles("cast")
def read_cast(message: expressions_pb2.Expression.Cast, scope: Scope) -> Expression | Named:
    """A cast of a named column keeps its name."""
    child = read_expression(message.expr, scope)
    by_text = message.WhichOneof("cast_to_type") == "type_str"
    target = read_type_text(message.type_str) if by_text else read_type(message.type)
    made = build.cast(child, target, scope.settings, MODES[message.eval_mode])
    names = list(message.expr.alias.name)
    return Named(made, names[0]) if len(names) == 1 else made


@EXPRESSIONS.handles("unresolved_extract_value")
def read_extract(message: expressions_pb2.Expression.UnresolvedExtractValue, scope: Scope) -> Expression:
    child, extraction = read_expression(message.child, scope), read_expression(message.extraction, scope)
    return extract_value(child, extraction, scope.settings)


@EXPRESSIONS.handles("expression_string")
def read_text(message: expressions_pb2.Expression.ExpressionString, scope: Scope) -> Named:
    return read_expression_text(message.expression, scope)


@EXPRESSIONS.handles("update_fields")
def read_update_fields(message: expressions_pb2.Expression.UpdateFields, scope: Scope) -> Expression:
    """A chain of updates, innermost first."""
    updates: list[FieldUpdate] = []
    while True:
        value = read_expression(message.value_expression, scope) if message.HasField("value_expression") else None
        updates.insert(0, FieldUpdate(attribute_parts(message.field_name), value))
        if message.struct_expression.WhichOneof("expr_type") != "update_fields":
            return update_fields(read_expression(message.struct_expression, scope), updates, scope.settings)
        message = message.struct_expression.update_fields


# ---- orders


def read_orders(messages: Sequence[expressions_pb2.Expression.SortOrder], scope: Scope) -> list[SortOrder]:
    return [read_order(message, scope) for message in messages]


def read_order(message: expressions_pb2.Expression.SortOrder, scope: Scope) -> SortOrder:
    """Direction 1 is ascending, null ordering 1 is nulls first; unspecified values mean the opposite."""
    child = read_expression(message.child, scope)
    return SortOrder(child=child, ascending=message.direction == 1, nulls_first=message.null_ordering == 1)


def is_position(expression: Expression) -> bool:
    """An integer literal, which sorts and groups treat as an ordinal (replaceIntegerLiteralWithOrdinal)."""
    return isinstance(expression, Literal) and expression.type == INT and expression.value is not None
