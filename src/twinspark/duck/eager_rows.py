"""Finds projections of local data that Spark evaluates while planning, before unused columns are pruned."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.duck.lazy_errors import FAILING, may_fail
from twinspark.plan.column_pruning import ColumnSet, referenced_columns, union
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


def eager_projections(plan: Relation) -> list[Relation]:
    """The projections of local data whose errors occur even if the columns are not used (ConvertToLocalRelation runs
    before column pruning)."""
    local = {id(each) for each in relations_in(plan) if isinstance(each, LocalData | Values)}
    if not local:
        return []
    for each in reversed(list(relations_in(plan))):
        if isinstance(each, LOCAL) and id(each.input) in local and not needs_others(each):
            local.add(id(each))
    return list(find_projections(plan, None, False, local))


LOCAL = Project | Filter | Limit  # if their input is local


def find_projections(relation: Relation, required: ColumnSet, skips: bool, local: set[int]) -> Iterator[Relation]:
    """`skips`: whether a relation above may drop rows before they are evaluated."""
    if isinstance(relation, Project):
        if id(relation.input) in local and fails_unseen(relation, required, skips):
            yield relation
        shown = (each for place, each in enumerate(relation.expressions) if required is None or place in required)
        yield from find_projections(relation.input, referenced_columns(shown), skips, local)
    elif isinstance(relation, Aggregate):
        yield from find_projections(relation.input, referenced_columns(own_expressions(relation)), skips, local)
    elif isinstance(relation, Filter | Sort | Limit | Tail):
        required = union(required, referenced_columns(own_expressions(relation)))
        yield from find_projections(relation.input, required, skips or not isinstance(relation, Sort), local)
    else:
        for below in relation.inputs:
            yield from find_projections(below, None, True, local)


def needs_others(relation: Relation) -> bool:
    """Whether it needs a Python worker, the rows of another query, or the row of the outer query."""
    nodes = (node for each in own_expressions(relation) if each.__class__ is not Column for node in walk(each))
    return any(isinstance(node, PythonCall | Subquery | OuterColumn) for node in nodes)


def fails_unseen(relation: Project, required: ColumnSet, skips: bool) -> bool:
    unseen = [
        each for place, each in enumerate(relation.expressions) if skips or not (required is None or place in required)
    ]
    return not needs_others(relation) and any(may_raise(node) for each in unseen for node in walk(each))


def may_raise(node: Expression) -> bool:
    if isinstance(node, Cast):
        return may_fail(node)
    return isinstance(node, Call) and (node.name in ALWAYS or (node.settings.ansi and node.name in NAMES))
