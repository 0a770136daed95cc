"""Connect plans that use other plans: WithRelations, and the expressions and joins that refer to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twinspark.analysis import joins, subqueries
from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import passing
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Join, Relation
from twinspark.read.proto.expressions import EXPRESSIONS, read_expression
from twinspark.read.proto.joins import KINDS
from twinspark.read.proto.relations import RELATIONS, read_frame

SCALAR, EXISTS, TABLE_ARGUMENT, IN = 1, 2, 3, 4


@RELATIONS.handles("with_relations")
def read_with_relations(message: Any, context: Context) -> Frame:
    if is_query(message):
        return read_frame(message.root, replace(context, views=with_views(message.references, context)))
    references = {each.common.plan_id: each for each in message.references}
    inner = replace(context, references={**context.references, **references})
    frame = read_frame(message.root, inner)
    return make.project(frame, [passing(frame, a) for a in frame.attributes])


def is_query(message: Any) -> bool:
    """spark.sql with DataFrames among its arguments: they are views under their aliases."""
    kinds = {each.WhichOneof("rel_type") for each in message.references}
    return message.root.WhichOneof("rel_type") == "sql" and kinds == {"subquery_alias"}


def with_views(references: Any, context: Context) -> Any:
    return {**context.views, **{(each.subquery_alias.alias.lower(),): each for each in references}}


def subquery_relation(plan_id: int, scope: Scope) -> Relation:
    message = scope.context.references.get(plan_id)
    if message is None:
        raise NotNative("a subquery that is not among the plan's relations")
    return read_frame(message, replace(scope.context, outer=scope)).plain()


@EXPRESSIONS.handles("subquery_expression")
def read_subquery(message: Any, scope: Scope) -> Expression:
    if message.subquery_type == IN:
        return read_in(message, scope, False)
    if message.subquery_type not in (SCALAR, EXISTS):
        raise NotNative("a table as an argument")
    relation = subquery_relation(message.plan_id, scope)
    is_scalar = message.subquery_type == SCALAR
    return subqueries.scalar_subquery(relation) if is_scalar else subqueries.exists_subquery(relation)


def read_in(message: Any, scope: Scope, negated: bool) -> Expression:
    values = [read_expression(value, scope) for value in message.in_subquery_values]
    return subqueries.in_subquery(values, subquery_relation(message.plan_id, scope), negated, scope.settings)


def is_in(message: Any) -> bool:
    return message.WhichOneof("expr_type") == "subquery_expression" and message.subquery_expression.subquery_type == IN


@RELATIONS.handles("lateral_join")
def read_lateral_join(message: Any, context: Context) -> Frame:
    """The right side sees the left's columns."""
    kind = KINDS[message.join_type or 1]
    if kind not in ("inner", "left", "cross"):
        raise NotNative(f"a lateral join of kind {kind}")
    left = read_frame(message.left, context)
    right = read_frame(message.right, replace(context, outer=Scope(left, context)))
    subqueries.check_lateral(right.relation, kind)

    def condition(sides: Frame) -> Expression | None:
        if not message.HasField("join_condition"):
            return None
        return joins.boolean(read_expression(message.join_condition, Scope(sides, context)))

    frame = joins.join(left, right, kind, condition)
    assert isinstance(frame.relation, Join)
    return replace(frame, relation=subqueries.lateral_join(frame.relation))
