"""Connect's Expression messages as typed expressions, one handler per member."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.extract import extract_value
from twinspark.analysis.generators import is_generator
from twinspark.analysis.names import Scope, outer_star, resolve
from twinspark.analysis.relations import Named, passing, unnamed
from twinspark.analysis.scope import alike, star
from twinspark.analysis.update_fields import Update, update_fields
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Expression, Literal, SortOrder
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.origins import called_from, with_origin
from twinspark.read.proto.route import Routes
from twinspark.read.proto.types import read_type, read_type_text
from twinspark.read.text import is_aliased, read_columns_text, read_expression_text
from twinspark.types import INT, StructType, quote_identifier, quote_if_needed

EXPRESSIONS = Routes("expr_type")


def read_expression(message: Any, scope: Scope) -> Expression:
    """One typed expression; a name it carries shows only in the text of what stands around it."""
    made = read_column(message, scope)
    kind = message.WhichOneof("expr_type")
    named = kind == "alias" or (kind == "expression_string" and is_aliased(message.expression_string.expression, scope))
    return with_alias(made) if named else made.expression


def with_alias(made: Named) -> Expression:
    return replace(made.expression, text=f"{made.expression.text} AS {quote_if_needed(made.name)}")


def read_column(message: Any, scope: Scope) -> Named:
    handler, member = EXPRESSIONS.of(message)
    if not message.common.origin.python_origin.fragment:
        made = handler(member, scope)
        return made if isinstance(made, Named) else unnamed(made)
    with called_from(message) as origin:
        made = handler(member, scope)
    return with_origin(made if isinstance(made, Named) else unnamed(made), origin)


def read_columns(messages: Any, scope: Scope) -> list[Named]:
    """Output columns: stars become many, names given earlier can be used later (lateral column aliases)."""
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
def read_attribute(message: Any, scope: Scope) -> Named:
    if message.is_metadata_column:
        raise NotNative("metadata columns")
    plan_id = message.plan_id if message.HasField("plan_id") else None
    parts = attribute_parts(message.unparsed_identifier)
    if parts[-1] == "*" and len(parts) > 1:
        raise NotNative("a star inside an expression")
    return resolve(scope, parts, plan_id)


def read_star(message: Any, scope: Scope) -> list[Named]:
    if message.HasField("plan_id"):
        return plan_star(message.plan_id, scope)
    target = attribute_parts(message.unparsed_target)[:-1] if message.HasField("unparsed_target") else ()
    found = star(scope.frame, target, scope.settings.case_sensitive)
    if found or not target:
        return [passing(scope.frame, attribute) for attribute in found]
    return outer_star(scope, target) or struct_star(target, scope)


def struct_star(target: tuple[str, ...], scope: Scope) -> list[Named]:
    try:
        child = resolve(scope, target).expression
    except SparkError as error:
        if error.condition == "AMBIGUOUS_REFERENCE":
            raise
        columns = ", ".join(quote_identifier(a.name) for a in scope.frame.attributes)
        shown = ".".join(map(quote_identifier, target))
        refused = SparkError("CANNOT_RESOLVE_STAR_EXPAND", targetString=shown, columns=columns)
        raise NotNative("a star of what is not there: its input's own inputs are told", nearest=refused) from error
    if not isinstance(child.type, StructType):
        raise NotNative("a star of what is no struct")
    return [Named(build.get_field(child, f.name, scope.settings), f.name) for f in child.type.fields]


def plan_star(plan_id: int, scope: Scope) -> list[Named]:
    nodes = scope.frame.plans.get(plan_id)
    if nodes is None:
        raise NotNative("all columns of a DataFrame that is not below")
    if len(nodes) > 1:
        raise NotNative("all columns of a DataFrame that is below twice")
    if scope.context.hides_keys and not scope.frame.hidden:
        raise NotNative("all columns of a DataFrame above a USING join")
    if not nodes[0].whole or any(attribute.id not in scope.frame.slots for attribute in nodes[0].attributes):
        if scope.context.hides_keys:
            raise NotNative("all columns of a DataFrame above a USING join")
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name='"unresolveddataframestar()"')
    return [passing(scope.frame, attribute) for attribute in nodes[0].attributes]


PLAIN_PATTERN = re.compile(r"(?:[\w .*+?|()\[\]-](?<!\(\?))*")  # the same in Java and here


def read_regex(message: Any, scope: Scope) -> list[Named]:
    """DataFrame.colRegex: a pattern in backquotes, after a table's name perhaps; else a plain name."""
    text = message.col_name
    found = re.fullmatch(r"(?:(.+)\.)?`(.+)`", text)
    if found is None:
        return [resolve(scope, attribute_parts(text), message.plan_id if message.HasField("plan_id") else None)]
    table, pattern = found.groups()
    if not PLAIN_PATTERN.fullmatch(pattern):
        raise NotNative("columns by a regular expression that Python may read otherwise")
    flags = re.ASCII if scope.settings.case_sensitive else re.ASCII | re.IGNORECASE
    matches = re.compile(pattern, flags).fullmatch
    same = alike(scope.settings.case_sensitive)
    return [
        passing(scope.frame, a)
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
    named_argument_expression="arguments by name",
    unresolved_star="a star inside an expression",
    unresolved_regex="columns by regular expression under a name",
    sort_order="an order inside an expression",
    lambda_function="a lambda that is no argument",
    merge_action="MERGE",
    typed_aggregate_expression="typed aggregates of the Scala API",
    direct_shuffle_partition_id="a partition id outside repartitionById",
    extension="extensions of the protocol",
)


# ---- constants, aliases, casts


@EXPRESSIONS.handles("literal")
def read_constant(message: Any, scope: Scope) -> Expression:
    return read_literal(message, scope.settings)


@EXPRESSIONS.handles("alias")
def read_alias(message: Any, scope: Scope) -> Named:
    child = read_column(message.expr, scope)
    if len(message.name) != 1:
        return several_names(child, message)
    inherited = child.metadata if child.passes is not None else ()
    metadata = tuple(json.loads(message.metadata).items()) if message.metadata else inherited
    shown = with_alias(child) if message.expr.WhichOneof("expr_type") == "alias" else child.expression
    return Named(shown, message.name[0], metadata)


def several_names(child: Named, message: Any) -> Named:
    if message.HasField("metadata"):
        raise NotNative("several names with metadata")
    if not is_generator(child.expression):
        text, names = quoted(child.expression.text), ", ".join(message.name)
        raise SparkError("MULTI_ALIAS_WITHOUT_GENERATOR", expr=text, names=names)
    return Named(child.expression, child.name, names=tuple(message.name))


MODES = {0: None, 1: "legacy", 2: "ansi", 3: "try"}


@EXPRESSIONS.handles("cast")
def read_cast(message: Any, scope: Scope) -> Expression | Named:
    """A cast of a named column has its name."""
    child = read_expression(message.expr, scope)
    by_text = message.WhichOneof("cast_to_type") == "type_str"
    target = read_type_text(message.type_str) if by_text else read_type(message.type)
    made = build.cast(child, target, scope.settings, MODES[message.eval_mode])
    names = list(message.expr.alias.name)
    return Named(made, names[0]) if len(names) == 1 else made


@EXPRESSIONS.handles("unresolved_extract_value")
def read_extract(message: Any, scope: Scope) -> Expression:
    child, extraction = read_expression(message.child, scope), read_expression(message.extraction, scope)
    return extract_value(child, extraction, scope.settings)


@EXPRESSIONS.handles("expression_string")
def read_text(message: Any, scope: Scope) -> Named:
    return read_expression_text(message.expression, scope)


@EXPRESSIONS.handles("update_fields")
def read_update_fields(message: Any, scope: Scope) -> Expression:
    """A chain of changes, innermost first."""
    updates: list[Update] = []
    while True:
        value = read_expression(message.value_expression, scope) if message.HasField("value_expression") else None
        updates.insert(0, Update(attribute_parts(message.field_name), value))
        if message.struct_expression.WhichOneof("expr_type") != "update_fields":
            return update_fields(read_expression(message.struct_expression, scope), updates, scope.settings)
        message = message.struct_expression.update_fields


# ---- orders


def read_orders(messages: Any, scope: Scope) -> list[SortOrder]:
    return [read_order(message, scope) for message in messages]


def read_order(message: Any, scope: Scope) -> SortOrder:
    """Direction 1 is ascending, null ordering 1 is nulls first; what is not said is the other."""
    child = read_expression(message.child, scope)
    return SortOrder(child=child, ascending=message.direction == 1, nulls_first=message.null_ordering == 1)


def is_position(expression: Expression) -> bool:
    """A constant int, which sorts and groups take as a place (replaceIntegerLiteralWithOrdinal)."""
    return isinstance(expression, Literal) and expression.type == INT and expression.value is not None
