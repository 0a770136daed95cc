"""Rows that Spark computes while it plans: of local data every column is made before any is left out, and may fail."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.duck.lazy_errors import FAILING, may_fail
from twinspark.plan.asked import Places, together, used
from twinspark.plan.expressions import Call, Cast, Column, Expression, OuterColumn, PythonCall, Subquery
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
    relations_in,
)
from twinspark.plan.rewrite import walk

READING = "to_date to_timestamp to_timestamp_ntz to_timestamp_ltz to_unix_timestamp unix_timestamp to_number to_binary"
MAPPING = "map map_from_entries map_from_arrays map_concat transform_keys str_to_map"
MAKING = "make_date make_timestamp make_timestamp_ntz parse_json parse_url url_decode next_day array_insert elt"
ALWAYS = {"raise_error", "assert_true", *MAPPING.split(" ")}
NAMES = FAILING | {*READING.split(" "), *MAKING.split(" ")}


def early(plan: Relation) -> list[Relation]:
    """The projections of local data to be computed whatever is asked of them (ConvertToLocalRelation comes first)."""
    local = {id(each) for each in relations_in(plan) if isinstance(each, LocalData | Values)}
    if not local:
        return []
    for each in reversed(list(relations_in(plan))):
        if isinstance(each, LOCAL) and id(each.input) in local and not needs_others(each):
            local.add(id(each))
    return list(found(plan, None, False, local))


LOCAL = Project | Filter | Limit  # as long as what is below is


def found(relation: Relation, asked: Places, skips: bool, local: set[int]) -> Iterator[Relation]:
    """`skips`: whether something above may leave rows out before they are computed."""
    if isinstance(relation, Project):
        if id(relation.input) in local and fails_unseen(relation, asked, skips):
            yield relation
        shown = (each for place, each in enumerate(relation.expressions) if asked is None or place in asked)
        yield from found(relation.input, used(shown), skips, local)
    elif isinstance(relation, Aggregate):
        yield from found(relation.input, used(own_expressions(relation)), skips, local)
    elif isinstance(relation, Filter | Sort | Limit | Tail):
        asked = together(asked, used(own_expressions(relation)))
        yield from found(relation.input, asked, skips or not isinstance(relation, Sort), local)
    else:
        for below in relation.inputs:
            yield from found(below, None, True, local)


def needs_others(relation: Relation) -> bool:
    """A Python process, another query's rows, or the row of the query around."""
    nodes = (node for each in own_expressions(relation) if each.__class__ is not Column for node in walk(each))
    return any(isinstance(node, PythonCall | Subquery | OuterColumn) for node in nodes)


def fails_unseen(relation: Project, asked: Places, skips: bool) -> bool:
    unseen = [each for place, each in enumerate(relation.expressions) if skips or not (asked is None or place in asked)]
    return not needs_others(relation) and any(may_raise(node) for each in unseen for node in walk(each))


def may_raise(node: Expression) -> bool:
    if isinstance(node, Cast):
        return may_fail(node)
    return isinstance(node, Call) and (node.name in ALWAYS or (node.settings.ansi and node.name in NAMES))
