"""Walks queries that stand inside expressions: scalar, EXISTS and IN."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.names import Scope
from twinspark.errors import NotNative, SparkError
from twinspark.functions.common_types import wider_type
from twinspark.plan.expressions import Expression, OuterColumn, Subquery
from twinspark.plan.relations import Field, Project, Relation, expressions_in
from twinspark.plan.rewrite import walk as walk_expression
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk, walks
from twinspark.read.walk.queries import read_query
from twinspark.types import BOOLEAN


@walks(tree.Subquery)
def walk_scalar(node: tree.Subquery, scope: Scope, walk: Walk) -> Expression:
    relation = read_query(node.query, walk.inside(scope)).plain()
    if len(relation.fields) != 1:
        raise SparkError(
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
            number=len(relation.fields),
        )
    return Subquery(
        type=relation.fields[0].type,
        nullable=True,
        text=f"scalarsubquery({outer_names(relation)})",
        kind="scalar",
        relation=relation,
    )


def outer_names(relation: Relation) -> str:
    """The columns around that a subquery uses, as Spark lists them in its name."""
    names: dict[str, None] = {}
    for expression in expressions_in(relation):
        for node in walk_expression(expression):
            if isinstance(node, OuterColumn) and node.depth == 1:
                names[node.text.removeprefix("outer(").removesuffix(")")] = None
    return ", ".join(names)


@walks(tree.Exists)
def walk_exists(node: tree.Exists, scope: Scope, walk: Walk) -> Expression:
    relation = read_query(node.query, walk.inside(scope)).plain()
    return Subquery(
        type=BOOLEAN, nullable=False, text=f"exists({outer_names(relation)})", kind="exists", relation=relation
    )


@walks(tree.InSubquery)
def walk_in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    return known_in(node, node.negated, scope, walk)


def known_in(node: tree.InSubquery, negated: bool, scope: Scope, walk: Walk) -> Expression:
    """Anywhere but as a condition of its own Spark takes unknown as false, of IN and of NOT IN alike
    (RewritePredicateSubquery), though it calls the result nullable."""
    raw = in_subquery(node, scope, walk)
    test = build.call("not", [raw], walk.settings) if negated else raw
    known = build.call("coalesce", [test, build.literal(False)], walk.settings, text=test.text)
    return replace(known, nullable=raw.nullable)


def in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    values = in_values(node.child, scope, walk)
    relation = read_query(node.query, walk.inside(scope)).plain()
    if len(values) != len(relation.fields):
        raise NotNative("SQL: IN with another number of columns")
    types = [wider_type(v.type, f.type, walk.settings.ansi) for v, f in zip(values, relation.fields, strict=True)]
    if any(type is None for type in types):
        raise NotNative("SQL: IN between types that do not meet")
    wanted = [type for type in types if type is not None]
    values = [build.implicit_cast(v, t, walk.settings) for v, t in zip(values, wanted, strict=True)]
    shown = ", ".join(v.text for v in values)
    left = shown if len(values) == 1 else f"named_struct({shown})"
    return Subquery(
        type=BOOLEAN,
        nullable=any(v.nullable for v in values) or any(f.nullable for f in relation.fields),
        text=f"({left} IN (listquery()))",
        kind="in",
        relation=cast_columns(relation, wanted, walk),
        values=tuple(values),
    )


def in_values(node: tree.Expression, scope: Scope, walk: Walk) -> list[Expression]:
    return walk.reads(node.fields, scope) if isinstance(node, tree.Row) else [walk.read(node, scope)]


def cast_columns(relation: Relation, types: list[object], walk: Walk) -> Relation:
    expressions = tuple(
        build.implicit_cast(column, type, walk.settings) for column, type in zip(relation.columns(), types, strict=True)
    )
    if all(e is c for e, c in zip(expressions, relation.columns(), strict=True)):
        return relation
    fields = tuple(Field(f.name, e.type, e.nullable) for f, e in zip(relation.fields, expressions, strict=True))
    return Project(input=relation, expressions=expressions, fields=fields)
