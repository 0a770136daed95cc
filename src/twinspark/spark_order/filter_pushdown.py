"""Pushes filters below joins and generators as Spark's optimizer does (PushDownPredicates,
InferFiltersFromConstraints). Spark filters local rows before it slices them into tasks, so filters change which task
has which row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import reduce
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.determinism import is_deterministic
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import (
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    OuterColumn,
    PythonCall,
    Subquery,
)
from twinspark.plan.relations import (
    Aggregate,
    CachedRelation,
    Filter,
    Generate,
    Join,
    Project,
    Recursion,
    Relation,
    Repartition,
    SharedRelation,
    Sort,
    relations_in,
)
from twinspark.plan.rewrite import replace_columns, shift_columns, walk
from twinspark.spark_order.joins.dropped_joins import without_join
from twinspark.spark_order.joins.join_order import conjuncts
from twinspark.spark_order.window_order import windows_in

Conjuncts = Sequence[Expression]
# Join types for which a condition on one side's columns is evaluated below the join, for WHERE and for ON.
WHERE_LEFT, WHERE_RIGHT = frozenset({"inner", "left", "semi", "anti", "cross"}), frozenset({"inner", "right", "cross"})
ON_LEFT, ON_RIGHT = frozenset({"inner", "right", "semi"}), frozenset({"inner", "left", "semi", "anti"})
MOST_RELATIONS, MOST_NODES = 60, 200  # larger plans or conditions are not worth the time
# Functions that return null if one of their arguments is null.
STRICT = frozenset({"==", "<", "<=", ">", ">=", "!=", "not", "+", "-", "*", "/", "%", "negative", "pmod", "abs"})


def push_filters(relation: Relation, settings: Settings) -> Relation:
    """An equivalent plan with its filters pushed down."""
    parts = list(relations_in(relation))
    if len(parts) > MOST_RELATIONS or not any(map(is_affected, parts)):
        return relation
    match relation:
        case Filter(condition=condition) if all(map(is_plain, walk(condition))):
            return push_conditions(conjuncts(condition), push_filters(relation.input, settings), settings)
        case (
            SharedRelation() | CachedRelation() | Recursion()
        ):  # relations that are used several times must not be rewritten
            return relation
    inner = with_inputs(without_join(relation) if isinstance(relation, Aggregate) else relation, settings)
    return push_into_join(inner, (), settings) if isinstance(inner, Join) and not inner.lateral else inner


def is_affected(part: Relation) -> bool:
    """Whether filters can be pushed through this relation, or the task of a row can be observed through it."""
    return isinstance(part, Join | Generate | Repartition) or (isinstance(part, Sort) and not part.is_global)


def with_inputs(relation: Relation, settings: Settings) -> Relation:
    parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
    made: dict[str, Any] = {n: push_filters(part, settings) for n, part in parts.items() if isinstance(part, Relation)}
    changed = {name: part for name, part in made.items() if part is not parts[name]}
    return replace(relation, **changed) if changed else relation


def is_plain(node: Expression) -> bool:
    if isinstance(node, Subquery | PythonCall | OuterColumn):
        return False
    return not isinstance(node, Call) or node.signature.deterministic


def push_conditions(conditions: Conjuncts, relation: Relation, settings: Settings) -> Relation:
    """Filters a relation by the conditions, as far below in the plan as possible."""
    match relation:
        case _ if not conditions:
            return relation
        case Project(expressions=expressions) if passes(relation, conditions):
            below = [replace_columns(each, lambda column: expressions[column.index]) for each in conditions]
            return replace(relation, input=push_conditions(below, relation.input, settings))
        case Filter(condition=condition) if all(map(is_plain, walk(condition))):
            return push_conditions((*conjuncts(condition), *conditions), relation.input, settings)
        case Sort() | Repartition():
            return replace(relation, input=push_conditions(conditions, relation.input, settings))
        case Generate():
            width = len(relation.input.fields)
            below = [each for each in conditions if within(each, 0, width)]
            above = [each for each in conditions if each not in below]
            made = replace(relation, input=push_conditions(below, relation.input, settings))
            return add_filter(made, above, settings)
        case Join(lateral=False):
            return push_into_join(relation, conditions, settings)
    return add_filter(relation, conditions, settings)


def passes(relation: Project, conditions: Conjuncts) -> bool:
    """Whether conditions may be pushed through a projection; not if substituting its expressions would make them too
    large."""
    if windows_in(relation.expressions) or not all(map(is_deterministic, relation.expressions)):
        return False  # random values depend on how many rows come before (PushPredicateThroughNonJoin)
    columns = [node.index for each in conditions for node in walk(each) if isinstance(node, Column)]
    nodes = [node for index in columns for node in walk(relation.expressions[index])]
    return len(nodes) <= MOST_NODES and all(map(is_plain, nodes))


def push_into_join(relation: Join, where: Conjuncts, settings: Settings) -> Relation:
    """Pushes conditions on one side's columns into that side; the others stay in the join or above it."""
    width, kind = len(relation.left.fields), relation.kind
    on = conjuncts(relation.condition) if relation.condition is not None else []
    if not all(is_plain(node) for each in on for node in walk(each)):
        return add_filter(relation, where, settings)
    left = [c for c in where if kind in WHERE_LEFT and within(c, 0, width)]
    left += [c for c in on if kind in ON_LEFT and within(c, 0, width)]
    right = [c for c in where if kind in WHERE_RIGHT and is_right(c, width)]
    right += [c for c in on if kind in ON_RIGHT and is_right(c, width)]
    both = [c for c in on if c not in left and c not in right]
    above = [c for c in where if c not in left and c not in right]
    if kind in ("inner", "cross"):
        both, above = [*both, *above], []
    made = replace(
        relation,
        left=push_conditions(left, relation.left, settings),
        right=push_conditions([shift_columns(c, -width) for c in right], relation.right, settings),
        kind="inner" if kind == "cross" and both else kind,
        condition=all_of(both, settings),
    )
    return add_filter(made, above, settings)


def without_null_keys(side: Relation, first: int, condition: Expression | None, settings: Settings) -> Relation | None:
    """A side of a join (its columns start at index `first`) without rows whose null keys cannot match; None if it is
    not known which IS NOT NULL filters Spark infers."""
    parts = conjuncts(condition) if condition is not None else []
    if not all(is_known(part) for part in parts):
        return None
    found = {c.index - first for part in parts for c in strict_columns(part)}
    columns = [column for column in side.columns() if column.index in found and column.nullable]
    return push_conditions([build.call("isnotnull", [column], settings) for column in columns], side, settings)


def may_become_inner(relation: Filter) -> bool:
    """Whether Spark may turn an outer join into an inner one because the condition tests columns of the nullable
    side."""
    join = relation.input
    if not isinstance(join, Join) or join.kind not in ("left", "right", "full"):
        return False
    width, kind = len(join.left.fields), join.kind
    indexes = [node.index for node in walk(relation.condition) if isinstance(node, Column)]
    return kind == "full" or any((index >= width) == (kind == "left") for index in indexes)


def is_known(part: Expression) -> bool:
    return all(isinstance(node, Column | Literal | Cast) or is_strict(node) for node in walk(part))


def is_strict(node: Expression) -> bool:
    return isinstance(node, Call) and node.name in STRICT


def strict_columns(part: Expression) -> Iterator[Column]:
    return (node for node in walk(part) if isinstance(node, Column))


def within(expression: Expression, first: int, end: int) -> bool:
    """Whether the expression uses columns of this range, and no others."""
    found = [node.index for node in walk(expression) if isinstance(node, Column)]
    return bool(found) and all(first <= index < end for index in found)


def is_right(expression: Expression, width: int) -> bool:
    return within(expression, width, 1 << 30)


def all_of(conditions: Conjuncts, settings: Settings) -> Expression | None:
    return reduce(lambda one, other: build.call("and", [one, other], settings), conditions) if conditions else None


def add_filter(relation: Relation, conditions: Conjuncts, settings: Settings) -> Relation:
    condition = all_of(conditions, settings)
    return relation if condition is None else Filter(input=relation, condition=condition, fields=relation.fields)
