"""Falls back where the bytes of a sketch are displayed: the order of its items depends on how Spark partitions the
rows.

Estimates, quantiles, ranks and summaries do not depend on it; theta sketches and counters are equal in any order. KLL
sketches of rows whose tasks are known are built in the order of those tasks (task_sums.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression, children_of
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Limit,
    Project,
    Relation,
    SharedRelation,
    ShowString,
    Sort,
    Tail,
)
from twinspark.plan.rewrite import walk

SKETCHES = re.compile(r"hll_(sketch|union)_agg|(kll|tuple)_\w*agg_\w+|approx_top_k_(accumulate|combine)")
ANSWERS = re.compile(r"\w+_estimate(_\w+)?|kll_sketch_(get|to)_\w+|tuple_sketch_(theta|summary)_\w+")
KEEPS_COLUMNS = (Filter, Sort, Limit, Tail, Distinct, SharedRelation)


def check_displayed_sketches(relation: Relation, in_order: Callable[[], Relation]) -> None:
    """Follows each column of the result down to the aggregation that computes it."""
    if any(map(makes_sketches, relations_of(relation))):
        ordered = in_order()
        shown = ordered.input if isinstance(ordered, ShowString) else ordered
        followed = ColumnTrace()
        for index in range(len(shown.fields)):
            followed.column(shown, index)


def relations_of(relation: Relation) -> Iterator[Relation]:
    waiting = [relation]
    while waiting:
        yield (next := waiting.pop())
        waiting.extend(next.inputs)


def makes_sketches(relation: Relation) -> bool:
    if not isinstance(relation, Aggregate):
        return False
    return any(is_sketch(node) for expression in relation.aggregates for node in walk(expression))


def is_sketch(node: Expression) -> bool:
    """A sketch with an ORDER BY has been given the order of Spark's tasks."""
    return (
        isinstance(node, AggregateCall)
        and SKETCHES.fullmatch(node.signature.function) is not None
        and not node.ordering
    )


class ColumnTrace:
    """Follows columns and expressions to their aggregations, each column once."""

    def __init__(self) -> None:
        self.seen: set[tuple[int, int]] = set()

    def column(self, relation: Relation, index: int) -> None:
        while isinstance(relation, KEEPS_COLUMNS):
            relation = relation.input
        if (id(relation), index) in self.seen:
            return
        self.seen.add((id(relation), index))
        if isinstance(relation, Project):
            self.expression(relation.expressions[index], relation.input)
        elif isinstance(relation, Aggregate) and index >= len(relation.grouping):
            self.expression(relation.aggregates[index - len(relation.grouping)], relation.input)

    def expression(self, expression: Expression, source: Relation) -> None:
        if isinstance(expression, Column):
            self.column(source, expression.index)
        if is_sketch(expression):
            assert isinstance(expression, Call)
            raise NotNative(reasons.PARTITIONS, f"the bytes of {expression.signature.function}")
        if isinstance(expression, AggregateCall) or is_answer(expression):
            return
        for child in children_of(expression):
            self.expression(child, source)


def is_answer(expression: Expression) -> bool:
    return isinstance(expression, Call) and ANSWERS.fullmatch(expression.signature.function) is not None
