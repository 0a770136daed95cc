"""Sorts that Spark removes because the operator above does not keep their order (EliminateSorts): below another sort,
below joins, and below aggregates that do not depend on an order. The rows then come as if they were never sorted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.expressions.determinism import is_deterministic
from twinspark.analysis.scope.outer_references import reach
from twinspark.plan.expressions import AggregateCall, Expression, PythonCall, Subquery
from twinspark.plan.relations import (
    Aggregate,
    CachedRelation,
    Distinct,
    Filter,
    Join,
    Limit,
    OneRow,
    Project,
    Recursion,
    Relation,
    Repartition,
    SetOperation,
    SharedRelation,
    Sort,
    own_expressions,
    relations_in,
)
from twinspark.plan.rewrite import walk
from twinspark.spark_order.sorts.radix_sort import most_rows
from twinspark.spark_order.unobserved_order import ORDER_FREE
from twinspark.spark_order.window_order import windows_in
from twinspark.types import DoubleType, FloatType

REUSED = (SharedRelation, CachedRelation, Recursion)  # other queries read the same rows
SUMS = frozenset({"sum", "try_sum", "avg", "mean", "try_avg"})
COUNTS = ORDER_FREE - SUMS | {"regr_count"}
Change = Callable[[Relation], Relation]


def eliminate_sorts(relation: Relation) -> Relation:
    if not any(isinstance(each, Sort) for each in relations_in(relation)):
        return relation
    return Elimination().of(relation)


class Elimination:
    """From the leaves up. A relation that is referenced several times is rewritten once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Relation, Relation]] = {}

    def of(self, relation: Relation) -> Relation:
        if isinstance(relation, REUSED):
            return relation
        if id(relation) not in self._known:
            self._known[id(relation)] = (relation, drop_below(with_inputs(relation, self.of)))
        return self._known[id(relation)][1]


def with_inputs(relation: Relation, change: Change) -> Relation:
    inputs = {f.name: v for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
    changed: dict[str, Any] = {name: made for name, each in inputs.items() if (made := change(each)) is not each}
    return replace(relation, **changed) if changed else relation


def drop_below(relation: Relation) -> Relation:
    """The relation over inputs without the sorts that have no effect on it."""
    match relation:
        case Limit(limit=int(count), offset=0) if most_rows(relation.input) <= count:
            return relation.input  # EliminateLimits, before sorts are removed
        case Sort(is_global=is_global):
            return with_inputs(relation, without_sorts if is_global else without_local_sorts)
        case Join(lateral=False, condition=condition) if condition is None or is_deterministic(condition):
            return drop_below_join(relation)
        case Aggregate(grouping_sets=None) if is_order_irrelevant(relation):
            return with_inputs(relation, without_sorts)
        case Distinct(keys=keys) if keys is None or len(keys) == len(relation.fields):
            return with_inputs(relation, without_sorts)
        case SetOperation(kind="intersect" | "except", all=False):
            return with_inputs(relation, without_sorts)
        case Project() | Filter() if any(map(becomes_join, own_expressions(relation))):
            return with_inputs(relation, without_sorts)
    return relation


def drop_below_join(relation: Join) -> Relation:
    """A semi or anti join moves below the sort of its left side first (PushDownLeftSemiAntiJoin)."""
    if relation.kind in ("semi", "anti"):
        return replace(relation, right=without_sorts(relation.right))
    return with_inputs(relation, without_sorts)


def becomes_join(expression: Expression) -> bool:
    """Whether it contains a scalar subquery that Spark rewrites to an outer join (RewriteCorrelatedScalarSubquery)."""
    scalars = [node for node in walk(expression) if isinstance(node, Subquery) and node.kind == "scalar"]
    return any(reach(each.relation) > 0 and not is_one_row(each.relation) for each in scalars)


def is_one_row(relation: Relation) -> bool:
    """A subquery without tables becomes an expression (OptimizeOneRowRelationSubquery)."""
    return all(isinstance(each, Project | OneRow) for each in relations_in(relation))


def is_order_irrelevant(relation: Aggregate) -> bool:
    nodes = [node for each in relation.aggregates for node in walk(each)]
    if any(isinstance(node, PythonCall) for node in nodes):
        return False
    return all(is_order_irrelevant_call(node) for node in nodes if isinstance(node, AggregateCall))


def is_order_irrelevant_call(call: AggregateCall) -> bool:
    if call.name in SUMS:
        return not isinstance(call.arguments[0].type, FloatType | DoubleType)
    return call.name in COUNTS


def without_sorts(relation: Relation) -> Relation:
    """EliminateSorts.recursiveRemoveSort below an operator that needs no order at all."""
    if isinstance(relation, Sort):
        return without_sorts(relation.input)
    if isinstance(relation, Repartition) or passes_order(relation):
        return with_inputs(relation, without_sorts)
    if isinstance(relation, Join) and relation.kind in ("semi", "anti") and not relation.lateral:
        return replace(relation, left=without_sorts(relation.left))
    return relation


def without_local_sorts(relation: Relation) -> Relation:
    """Below SORT BY a global sort still decides which partition a row is in."""
    if isinstance(relation, Sort) and not relation.is_global:
        return without_local_sorts(relation.input)
    if isinstance(relation, Repartition):
        return with_inputs(relation, without_sorts)
    return with_inputs(relation, without_local_sorts) if passes_order(relation) else relation


def passes_order(relation: Relation) -> bool:
    if not isinstance(relation, Project | Filter) or not all(map(is_deterministic, own_expressions(relation))):
        return False
    return isinstance(relation, Filter) or not windows_in(relation.expressions)
