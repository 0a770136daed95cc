"""Sketches whose bytes would be shown: where their items stand depends on how Spark splits the rows.

Their estimates, quantiles, ranks and summaries do not; theta sketches and counters are the same whatever the order.
KLL sketches of rows whose tasks are known are made in the order of those (analysis.task_sums)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from twinspark.errors import NotNative
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression, children_of
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Limit,
    Project,
    Relation,
    Shared,
    ShowString,
    Sort,
    Tail,
)
from twinspark.plan.rewrite import walk

SKETCHES = re.compile(r"hll_(sketch|union)_agg|(kll|tuple)_\w*agg_\w+|approx_top_k_(accumulate|combine)")
ANSWERS = re.compile(r"\w+_estimate(_\w+)?|kll_sketch_(get|to)_\w+|tuple_sketch_(theta|summary)_\w+")
KEEPS_COLUMNS = (Filter, Sort, Limit, Tail, Distinct, Shared)


def check_shown_sketches(relation: Relation, in_order: Callable[[], Relation]) -> None:
    """Only what stands in the result itself counts; columns are followed down to the aggregation they come from."""
    if any(map(makes_sketches, relations_of(relation))):
        ordered = in_order()
        shown = ordered.input if isinstance(ordered, ShowString) else ordered
        followed = Followed()
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
    """One that has an order was given its tasks'."""
    return (
        isinstance(node, AggregateCall)
        and SKETCHES.fullmatch(node.signature.function) is not None
        and not node.ordering
    )


class Followed:
    """Columns followed so far, each once."""

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
            raise NotNative(f"the bytes of {expression.signature.function}, which depend on the partitions")
        if isinstance(expression, AggregateCall) or is_answer(expression):
            return
        for child in children_of(expression):
            self.expression(child, source)


def is_answer(expression: Expression) -> bool:
    return isinstance(expression, Call) and ANSWERS.fullmatch(expression.signature.function) is not None
