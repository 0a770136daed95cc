"""Rows that Spark computes while it plans: of local data every column is made before any is left out, and may fail."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.duck.lazy_errors import FAILING, may_fail
from twinspark.plan.asked import Places, together, used
from twinspark.plan.expressions import Call, Cast, Expression, OuterColumn, PythonCall, Subquery
from twinspark.plan.relations import (
    Aggregate,
    Filter,
    Limit,
    LocalData,
    Project,
    Relation,
    Sort,
    Tail,
    Values,
    own_expressions,
)
from twinspark.plan.rewrite import walk

READING = "to_date to_timestamp to_timestamp_ntz to_timestamp_ltz to_unix_timestamp unix_timestamp to_number to_binary"
MAKING = "make_date make_timestamp make_timestamp_ntz parse_json parse_url url_decode next_day array_insert elt"
ALWAYS = {"raise_error", "assert_true"}
NAMES = FAILING | {*READING.split(" "), *MAKING.split(" ")}


def early(plan: Relation) -> list[Relation]:
    """The projections of local data to be computed whatever is asked of them (ConvertToLocalRelation comes first)."""
    return list(found(plan, None, False))


def found(relation: Relation, asked: Places, skips: bool) -> Iterator[Relation]:
    """`skips`: whether something above may leave rows out before they are computed."""
    if isinstance(relation, Project):
        if is_local(relation.input) and fails_unseen(relation, asked, skips):
            yield relation
        shown = (each for place, each in enumerate(relation.expressions) if asked is None or place in asked)
        yield from found(relation.input, used(shown), skips)
    elif isinstance(relation, Aggregate):
        yield from found(relation.input, used(own_expressions(relation)), skips)
    elif isinstance(relation, Filter | Sort | Limit | Tail):
        asked = together(asked, used(own_expressions(relation)))
        yield from found(relation.input, asked, skips or not isinstance(relation, Sort))
    else:
        for below in relation.inputs:
            yield from found(below, None, skips=True)


def is_local(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter | Limit) and not needs_others(relation):
        relation = relation.input
    return isinstance(relation, LocalData | Values)


def needs_others(relation: Relation) -> bool:
    """A Python process, another query's rows, or the row of the query around."""
    nodes = (node for each in own_expressions(relation) for node in walk(each))
    return any(isinstance(node, PythonCall | Subquery | OuterColumn) for node in nodes)


def fails_unseen(relation: Project, asked: Places, skips: bool) -> bool:
    unseen = [each for place, each in enumerate(relation.expressions) if skips or not (asked is None or place in asked)]
    return not needs_others(relation) and any(may_raise(node) for each in unseen for node in walk(each))


def may_raise(node: Expression) -> bool:
    if isinstance(node, Cast):
        return may_fail(node)
    return isinstance(node, Call) and (node.name in ALWAYS or (node.settings.ansi and node.name in NAMES))
