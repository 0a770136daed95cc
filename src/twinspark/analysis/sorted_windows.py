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
    parts = list(relations_in(relation))
    if not any(isinstance(part, Sort) for part in parts):
        return relation
    windows = {id(part) for part in parts if isinstance(part, Project) and windows_in(part.expressions)}
    return rewritten(relation, windows)[0] if windows else relation


def rewritten(relation: Relation, windows: set[int]) -> tuple[Relation, bool]:
    """And whether its rows are in the order of a sort."""
    if isinstance(relation, Shared | Keep | Recursion):  # parts that are used in several places stay what they are
        return relation, False
    parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
    inner = {name: rewritten(part, windows) for name, part in parts.items() if isinstance(part, Relation)}
    changed: dict[str, Any] = {name: part for name, (part, _) in inner.items() if part is not parts[name]}
    made = replace(relation, **changed) if changed else relation
    below = isinstance(relation, Project | Filter | Limit) and inner["input"][1]
    if not isinstance(made, Project) or id(relation) not in windows:
        return made, below or (isinstance(relation, Sort) and relation.is_global)
    return (with_places(made) if below else made), False


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
