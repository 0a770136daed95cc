"""Windows over rows that a query sorted below them: Spark's shuffle brings a window's rows in that order, and rows that
are equal to the window stay in it (its sort is stable). DuckDB keeps nothing of a sort below."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.row_places import leaves_of, placed
from twinspark.analysis.window_order import windowed, windows_in, with_place
from twinspark.plan.relations import (
    Filter,
    Keep,
    Limit,
    Project,
    Recursion,
    Relation,
    Scan,
    Shared,
    Sort,
    relations_in,
)

ADVISORY_BYTES = 64 * 1024 * 1024  # spark.sql.adaptive.advisoryPartitionSizeInBytes


def over_sorts(relation: Relation) -> Relation:
    """The same relation where no window stands over a sort."""
    if not any(is_over_sort(part) for part in relations_in(relation)):
        return relation
    return rewritten(relation)


def rewritten(relation: Relation) -> Relation:
    if isinstance(relation, Shared | Keep | Recursion):  # parts that are used in several places stay what they are
        return relation
    parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
    inner: dict[str, Any] = {name: rewritten(part) for name, part in parts.items() if isinstance(part, Relation)}
    made = replace(relation, **inner) if inner else relation
    return with_places(made) if isinstance(made, Project) and is_over_sort(made) else made


def is_over_sort(relation: Relation) -> bool:
    return isinstance(relation, Project) and bool(windows_in(relation.expressions)) and is_sorted(relation.input)


def is_sorted(relation: Relation) -> bool:
    while keeps_order(relation):
        (relation,) = relation.inputs
    return isinstance(relation, Sort) and relation.is_global


def keeps_order(relation: Relation) -> bool:
    if isinstance(relation, Project):
        return not windows_in(relation.expressions)
    return isinstance(relation, Filter | Limit)


def with_places(relation: Project) -> Relation:
    """Rows by the windows' own sort where one partition holds them all, and all windows have the same."""
    numbered = placed(relation.input, 0)
    if is_one_partition(relation):
        found = windowed(relation, windows_in(relation.expressions), numbered)
        if found is not None:
            return found
    place = numbered.columns()[-1]
    return replace(relation, input=numbered, expressions=tuple(with_place(e, place) for e in relation.expressions))


def is_one_partition(relation: Relation) -> bool:
    sizes = [leaf.size_in_bytes for leaf in leaves_of(relation) if isinstance(leaf, Scan)]
    return sum(sizes) <= ADVISORY_BYTES
