"""Which columns of each relation a query asks for, as Spark's ColumnPruning finds them, and what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from twinspark.errors import NotNative
from twinspark.plan.expressions import Column, Expression, Subquery
from twinspark.plan.pythons import PythonMap
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Keep,
    Limit,
    Numbered,
    Project,
    Records,
    Relation,
    SetOperation,
    ShowString,
    Sort,
    Spread,
    Tail,
    Turned,
    Unary,
    Window,
    own_expressions,
    relations_in,
)
from twinspark.plan.rewrite import walk

Places = frozenset[int] | None  # of the columns that are asked for; None: nobody knows, perhaps all
Unasked = Callable[[Expression], Expression]
SAME_ROWS = Filter | Sort | Limit | Tail | Spread | Generate | Numbered | Turned


def every_place(relation: Relation) -> frozenset[int]:
    return frozenset(range(len(relation.fields)))


def with_records(plan: Relation) -> Relation:
    """The plan with what its records are, by the columns that it asks for."""
    if not any(isinstance(each, Records) for each in relations_in(plan)):
        return plan
    if isinstance(plan, ShowString):
        return replace(plan, input=with_records(plan.input))
    return asked_only(plan, every_place(plan))


def asked_only(relation: Relation, asked: Places, unasked: Unasked = lambda each: each) -> Relation:
    """The same relation under the same columns; `unasked` says what becomes of expressions that nobody asks for."""
    if isinstance(relation, Records):
        return records(relation, asked)
    if isinstance(relation, Project):
        return project(relation, asked, unasked)
    if isinstance(relation, Join):
        return join(relation, together(asked, used(own_expressions(relation))), unasked)
    if isinstance(relation, SetOperation):
        same = asked if relation.kind == "union" and relation.all else every_place(relation)
        left, right = (asked_only(each, same, unasked) for each in relation.inputs)
        return replace(relation, left=left, right=right)
    if isinstance(relation, Unary):
        return replace(relation, input=asked_only(relation.input, asked_below(relation, asked), unasked))
    return relation


def asked_below(relation: Unary, asked: Places) -> Places:
    """The columns of its input that a relation needs, to show those that are asked for."""
    if isinstance(relation, Aggregate):
        return used((*relation.grouping, *shown(relation.aggregates, asked, len(relation.grouping))))
    if isinstance(relation, Window):
        needed = used(shown(relation.windows, asked, len(relation.input.fields)))
        return together(of_input(relation, asked), needed)
    if isinstance(relation, SAME_ROWS):
        return together(of_input(relation, asked), used(own_expressions(relation)))
    if isinstance(relation, Distinct) and relation.keys is not None:
        return together(asked, frozenset(relation.keys))
    if isinstance(relation, Keep | Distinct | PythonMap):
        return every_place(relation.input)
    return None


def of_input(relation: Unary, asked: Places) -> Places:
    return None if asked is None else asked & every_place(relation.input)


def shown(expressions: Iterable[Expression], asked: Places, before: int) -> list[Expression]:
    """Those of the columns behind so many others that are asked for."""
    return [each for place, each in enumerate(expressions, before) if asked is None or place in asked]


def project(relation: Project, asked: Places, unasked: Unasked) -> Relation:
    def is_asked(place: int) -> bool:
        return asked is None or place in asked

    made = tuple(each if is_asked(place) else unasked(each) for place, each in enumerate(relation.expressions))
    needed = used(each for place, each in enumerate(made) if is_asked(place))
    return replace(relation, expressions=made, input=asked_only(relation.input, needed, unasked))


def join(relation: Join, asked: Places, unasked: Unasked) -> Relation:
    width = len(relation.left.fields)
    left: Places = None
    right: Places = None
    if asked is not None and not relation.lateral:
        left = frozenset(place for place in asked if place < width)
        right = frozenset(place - width for place in asked if place >= width)
    return replace(
        relation,
        left=asked_only(relation.left, left, unasked),
        right=asked_only(relation.right, right, unasked),
    )


def records(relation: Records, asked: Places) -> Relation:
    if asked is None:
        raise NotNative("records in files that may be malformed, where it is not certain which columns Spark asks for")
    return relation.narrowed(asked)


def used(expressions: Iterable[Expression]) -> Places:
    nodes = [node for each in expressions for node in walk(each)]
    if any(isinstance(node, Subquery) for node in nodes):
        return None
    return frozenset(node.index for node in nodes if isinstance(node, Column))


def together(first: Places, second: Places) -> Places:
    return None if first is None or second is None else first | second
