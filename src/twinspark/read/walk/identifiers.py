"""Reads IDENTIFIER(...) with a constant text, as the name of a column, table or function."""

from __future__ import annotations

from typing import Any

from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import frame_of
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Call, Cast, Expression, Literal, Subquery
from twinspark.plan.relations import OneRow
from twinspark.read.sql import parse_multipart_identifier, tree
from twinspark.read.walk.expressions import Walk, walks
from twinspark.types import is_integral, is_string


def name_parts(name: tree.Name | tree.IdentifierClause, walk: Walk) -> tuple[str, ...]:
    if isinstance(name, tree.Name):
        return name.parts
    try:
        made = walk.read(name.expression, walk.scope(frame_of(OneRow())))
    except SparkError as error:
        raise NotNative(reasons.IDENTIFIER_CLAUSE, "the argument is not a constant string") from error
    problem = not_constant(made)
    if problem is not None:
        raise walk.with_context(problem, name.expression)
    return parse_multipart_identifier(constant_text(made))


def not_constant(made: Expression) -> SparkError | None:
    facts: dict[str, Any] = {"name": "IDENTIFIER", "expr": made.text}
    if isinstance(made, Subquery):
        return SparkError("NOT_A_CONSTANT_STRING.NOT_CONSTANT", **facts)
    value = made.child if isinstance(made, Cast) else made
    if is_string(made.type) and isinstance(value, Literal) and value.value is None:
        return SparkError("NOT_A_CONSTANT_STRING.NULL", **facts)
    if isinstance(made, Literal) and is_integral(made.type):
        return SparkError("NOT_A_CONSTANT_STRING.WRONG_TYPE", dataType=made.type.simpleString(), **facts)
    return None


def constant_text(expression: Expression) -> str:
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    if isinstance(expression, Call) and expression.name == "concat":
        return "".join(map(constant_text, expression.arguments))
    raise NotNative(reasons.IDENTIFIER_CLAUSE, "the argument is not a constant string")


@walks(tree.IdentifierClause)
def walk_identifier(node: tree.IdentifierClause, scope: Scope, walk: Walk) -> Named | Expression:
    """Only a column brings its own name; a nested field is named by its whole path."""
    found = resolve(scope, name_parts(node, walk))
    if isinstance(found.expression, Literal):
        raise NotNative(reasons.IDENTIFIER_CLAUSE, "the argument is a session variable")
    return found if found.passes is not None else found.expression
