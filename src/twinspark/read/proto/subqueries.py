"""Reads Connect plans that refer to other plans: WithRelations, subquery expressions and lateral joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import subqueries
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations import joins
from twinspark.analysis.relations.basics import passed_column
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Join, Relation
from twinspark.read.proto.expressions import EXPRESSIONS, read_expression
from twinspark.read.proto.joins import KINDS
from twinspark.read.proto.relations import RELATIONS, read_frame

SCALAR, EXISTS, TABLE_ARGUMENT, IN = 1, 2, 3, 4


@RELATIONS.handles("with_relations")
def read_with_relations(message: relations_pb2.WithRelations, context: Context) -> Frame:
    if is_query(message):
        return read_frame(message.root, replace(context, views=with_views(message.references, context)))
    references = {each.common.plan_id: each for each in message.references}
    inner = replace(context, references={**context.references, **references})
    frame = read_frame(message.root, inner)
    return make.project(frame, [passed_column(frame, a) for a in frame.attributes])


def is_query(message: relations_pb2.WithRelations) -> bool:
    """spark.sql with DataFrames among its arguments, which are views under their aliases."""
    kinds = {each.WhichOneof("rel_type") for each in message.references}
    return message.root.WhichOneof("rel_type") == "sql" and kinds == {"subquery_alias"}


def with_views(references: Sequence[relations_pb2.Relation], context: Context) -> Any:
    return {**context.views, **{(each.subquery_alias.alias.lower(),): each for each in references}}


def subquery_relation(plan_id: int, scope: Scope) -> Relation:
    message = scope.context.references.get(plan_id)
    if message is None:
        raise NotNative(reasons.PROTOCOL, "a subquery that is not among the plan's relations")
    return read_frame(message, replace(scope.context, outer=scope)).plain()


@EXPRESSIONS.handles("subquery_expression")
def read_subquery(message: expressions_pb2.SubqueryExpression, scope: Scope) -> Expression:
    if message.subquery_type == IN:
        return read_in(message, scope, False)
    if message.subquery_type not in (SCALAR, EXISTS):
        raise NotNative(reasons.SUBQUERY_POSITION, "a table as an argument")
    relation = subquery_relation(message.plan_id, scope)
    is_scalar = message.subquery_type == SCALAR
    return subqueries.scalar_subquery(relation) if is_scalar else subqueries.exists_subquery(relation)


def read_in(message: expressions_pb2.SubqueryExpression, scope: Scope, negated: bool) -> Expression:
    values = [read_expression(value, scope) for value in message.in_subquery_values]
    return subqueries.in_subquery(values, subquery_relation(message.plan_id, scope), negated, scope.settings)


def is_in(message: expressions_pb2.Expression) -> bool:
    return message.WhichOneof("expr_type") == "subquery_expression" and message.subquery_expression.subquery_type == IN


@RELATIONS.handles("lateral_join")
def read_lateral_join(message: relations_pb2.LateralJoin, context: Context) -> Frame:
    """The right side can use the left side's columns."""
    kind = KINDS[message.join_type or 1]
    if kind not in ("inner", "left", "cross"):
        raise NotNative(reasons.JOIN_LATERAL, f"the join type {kind}")
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
