"""Filters where Spark's optimizer puts them: below joins and explosions. Local rows are filtered before they are shared
out among tasks, so which task has which depends on it (PushDownPredicates, InferFiltersFromConstraints)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import reduce
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.determinism import is_certain
from twinspark.analysis.dropped_joins import without_join
from twinspark.analysis.join_order import conjuncts
from twinspark.analysis.window_order import windows_in
from twinspark.functions.settings import Settings
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
    Filter,
    Generate,
    Join,
    Keep,
    Project,
    Recursion,
    Relation,
    Shared,
    Sort,
    relations_in,
)
from twinspark.plan.rewrite import replace_columns, shifted, walk

Conjuncts = Sequence[Expression]
# On which side of a join a condition of one side is asked before it, by where it stands: in WHERE, or in ON.
WHERE_LEFT, WHERE_RIGHT = frozenset({"inner", "left", "semi", "anti", "cross"}), frozenset({"inner", "right", "cross"})
ON_LEFT, ON_RIGHT = frozenset({"inner", "right", "semi"}), frozenset({"inner", "left", "semi", "anti"})
MOST_PARTS, MOST_NODES = 60, 200  # of a plan, and of conditions: beyond, the order is not worth the time
# What is null as soon as one of its arguments is.
STRICT = frozenset({"==", "<", "<=", ">", ">=", "!=", "not", "+", "-", "*", "/", "%", "negative", "pmod", "abs"})


def pushed(relation: Relation, settings: Settings) -> Relation:
    """The same rows by another plan."""
    parts = list(relations_in(relation))
    if len(parts) > MOST_PARTS or not any(isinstance(part, Join | Generate) for part in parts):
        return relation
    match relation:
        case Filter(condition=condition) if all(map(is_plain, walk(condition))):
            return sifted(conjuncts(condition), pushed(relation.input, settings), settings)
        case Shared() | Keep() | Recursion():  # parts that are used in several places have to stay what they are
            return relation
    inner = with_inputs(without_join(relation) if isinstance(relation, Aggregate) else relation, settings)
    return joined(inner, (), settings) if isinstance(inner, Join) and not inner.lateral else inner


def with_inputs(relation: Relation, settings: Settings) -> Relation:
    parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
    made: dict[str, Any] = {n: pushed(part, settings) for n, part in parts.items() if isinstance(part, Relation)}
    changed = {name: part for name, part in made.items() if part is not parts[name]}
    return replace(relation, **changed) if changed else relation


def is_plain(node: Expression) -> bool:
    if isinstance(node, Subquery | PythonCall | OuterColumn):
        return False
    return not isinstance(node, Call) or node.signature.deterministic


def sifted(conditions: Conjuncts, relation: Relation, settings: Settings) -> Relation:
    """The relation without the rows that do not meet the conditions, asked as far below as may be."""
    match relation:
        case _ if not conditions:
            return relation
        case Project(expressions=expressions) if passes(relation, conditions):
            below = [replace_columns(each, lambda column: expressions[column.index]) for each in conditions]
            return replace(relation, input=sifted(below, relation.input, settings))
        case Filter(condition=condition) if all(map(is_plain, walk(condition))):
            return sifted((*conjuncts(condition), *conditions), relation.input, settings)
        case Sort():
            return replace(relation, input=sifted(conditions, relation.input, settings))
        case Generate():
            width = len(relation.input.fields)
            below = [each for each in conditions if within(each, 0, width)]
            above = [each for each in conditions if each not in below]
            made = replace(relation, input=sifted(below, relation.input, settings))
            return filtered(made, above, settings)
        case Join(lateral=False):
            return joined(relation, conditions, settings)
    return filtered(relation, conditions, settings)


def passes(relation: Project, conditions: Conjuncts) -> bool:
    """Whether they may be asked of what the projection is made of; not where they would grow without end."""
    if windows_in(relation.expressions) or not all(map(is_certain, relation.expressions)):
        return False  # a value by chance is drawn for every row, and by its place (PushPredicateThroughNonJoin)
    columns = [node.index for each in conditions for node in walk(each) if isinstance(node, Column)]
    nodes = [node for index in columns for node in walk(relation.expressions[index])]
    return len(nodes) <= MOST_NODES and all(map(is_plain, nodes))


def joined(relation: Join, where: Conjuncts, settings: Settings) -> Relation:
    """The join with conditions of one side asked there; those of the whole that stay are asked above."""
    width, kind = len(relation.left.fields), relation.kind
    on = conjuncts(relation.condition) if relation.condition is not None else []
    if not all(is_plain(node) for each in on for node in walk(each)):
        return filtered(relation, where, settings)
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
        left=sifted(left, relation.left, settings),
        right=sifted([shifted(c, -width) for c in right], relation.right, settings),
        kind="inner" if kind == "cross" and both else kind,
        condition=all_of(both, settings),
    )
    return filtered(made, above, settings)


def without_null_keys(side: Relation, first: int, condition: Expression | None, settings: Settings) -> Relation | None:
    """A side whose columns are those from `first` on, without rows that meet no condition because something is null;
    None where it is not known what Spark infers."""
    parts = conjuncts(condition) if condition is not None else []
    if not all(is_known(part) for part in parts):
        return None
    found = {c.index - first for part in parts for c in strict_columns(part)}
    columns = [column for column in side.columns() if column.index in found and column.nullable]
    return sifted([build.call("isnotnull", [column], settings) for column in columns], side, settings)


def may_end_outer(relation: Filter) -> bool:
    """A condition on columns that are null where an outer join found nothing: it may be an inner one to Spark."""
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
    """Of some of these columns, and of no others."""
    found = [node.index for node in walk(expression) if isinstance(node, Column)]
    return bool(found) and all(first <= index < end for index in found)


def is_right(expression: Expression, width: int) -> bool:
    return within(expression, width, 1 << 30)


def all_of(conditions: Conjuncts, settings: Settings) -> Expression | None:
    return reduce(lambda one, other: build.call("and", [one, other], settings), conditions) if conditions else None


def filtered(relation: Relation, conditions: Conjuncts, settings: Settings) -> Relation:
    condition = all_of(conditions, settings)
    return relation if condition is None else Filter(input=relation, condition=condition, fields=relation.fields)
