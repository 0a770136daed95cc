"""Walks names that are computed: IDENTIFIER of a constant text, for columns, tables and functions."""

from __future__ import annotations

from twinspark.analysis.names import Scope, resolve
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Call, Expression, Literal
from twinspark.plan.relations import OneRow
from twinspark.read.sql import parse_multipart_identifier, tree
from twinspark.read.walk.expressions import Walk, walks


def name_parts(name: tree.Name | tree.IdentifierClause, walk: Walk) -> tuple[str, ...]:
    if isinstance(name, tree.Name):
        return name.parts
    try:
        made = walk.read(name.expression, walk.scope(frame_of(OneRow())))
    except SparkError as error:
        raise NotNative("SQL: IDENTIFIER of what is no constant text") from error
    return parse_multipart_identifier(constant_text(made))


def constant_text(expression: Expression) -> str:
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    if isinstance(expression, Call) and expression.name == "concat":
        return "".join(map(constant_text, expression.arguments))
    raise NotNative("SQL: IDENTIFIER of what is no constant text")


@walks(tree.IdentifierClause)
def walk_identifier(node: tree.IdentifierClause, scope: Scope, walk: Walk) -> Named:
    return resolve(scope, name_parts(node, walk))
