"""Computes an aggregation once where a plan contains it several times, as a DataFrame that is used twice does.

Spark reuses the shuffle of equal subplans (ReuseExchangeAndSubquery). A WITH query is shared already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.scope.outer_references import reach
from twinspark.plan.relations import Aggregate, CachedRelation, Recursion, Relation, Scan, SharedRelation, relations_in

REUSED = (SharedRelation, CachedRelation, Recursion)  # written once already


def share_common_aggregates(plan: Relation) -> Relation:
    """The same plan if no aggregation over tables occurs twice. Equal subplans become one shared relation."""
    shared = {id(each): f"common_{number}" for number, group in enumerate(common_groups(plan)) for each in group}
    return with_shared(plan, shared) if shared else plan


def common_groups(plan: Relation) -> Iterator[list[Relation]]:
    """The largest aggregations that are equal to others, in groups."""
    by_shape: dict[Any, list[Relation]] = defaultdict(list)
    for each in aggregates_in(plan):
        by_shape[each.fields].append(each)
    inside: set[int] = set()
    for alike in (group for group in by_shape.values() if len(group) > 1):
        first = alike[0]
        equal = [each for each in alike if each == first and id(each) not in inside]
        if len(equal) > 1 and is_shareable(first):
            inside.update(id(below) for each in equal for below in relations_in(each) if below is not each)
            yield equal


def aggregates_in(relation: Relation) -> Iterator[Relation]:
    """Aggregations from the top down, not those inside of relations that are shared already."""
    if isinstance(relation, Aggregate):
        yield relation
    for below in () if isinstance(relation, REUSED) else relation.inputs:
        yield from aggregates_in(below)


def is_shareable(relation: Relation) -> bool:
    """Whether it reads tables, and no row of an outer query."""
    return reach(relation) == 0 and any(isinstance(each, Scan) for each in relations_in(relation))


def with_shared(relation: Relation, shared: dict[int, str]) -> Relation:
    key = shared.get(id(relation))
    if key is not None:
        return SharedRelation(input=relation, key=key, fields=relation.fields)
    if isinstance(relation, REUSED):
        return relation
    parts = {f.name: value for f in fields(relation) if isinstance(value := getattr(relation, f.name), Relation)}
    changed: dict[str, Any] = {
        name: made for name, part in parts.items() if (made := with_shared(part, shared)) is not part
    }
    return replace(relation, **changed) if changed else relation
