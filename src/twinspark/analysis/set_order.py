"""The order of grouping sets: Spark makes a row for each set of each row, and groups them by their keys and the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from twinspark.analysis import build
from twinspark.analysis.window_order import ENDS
from twinspark.functions.gathering import in_places
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import AggregateCall, Column, Expression, SortOrder
from twinspark.plan.relations import Aggregate, Field
from twinspark.plan.rewrite import map_children
from twinspark.types import LONG

Part = TypeVar("Part")
SHOWING = ENDS | {"first_value", "last_value", "array_agg"}
JOINED = frozenset({"listagg", "string_agg"})
SET = Field("spark_grouping_id", LONG, False)


def cubed(parts: Sequence[Part]) -> list[list[Part]]:
    """The sets of a cube one after the other: BaseGroupingSets.cubeExprs."""
    if not parts:
        return [[]]
    rest = cubed(parts[1:])
    return [*([parts[0], *one] for one in rest), *rest]


def with_sets(relation: Aggregate, settings: Settings) -> Aggregate | None:
    """With a column more, the set's number; None where a set stands twice, or its number cannot be asked for: DuckDB
    tells that only of keys which some set has."""
    sets = relation.grouping_sets or ()
    used = {key for one in sets for key in one}
    if not relation.grouping or used != set(range(len(relation.grouping))):
        return None
    if len(set(map(frozenset, sets))) < len(sets) or not all(map(is_asked, relation.grouping)):
        return None
    number = build.call("grouping_id", list(relation.grouping), settings)
    return replace(relation, aggregates=(*relation.aggregates, number), fields=(*relation.fields, SET))


def in_place(relation: Aggregate) -> Aggregate:
    """DuckDB makes larger sets of smaller ones: what shows the order of rows is told it. The input's last column is
    their place."""
    order = (SortOrder(child=relation.input.columns()[-1]),)

    def rule(node: Expression) -> Expression:
        if not isinstance(node, AggregateCall) or node.ordering or node.distinct:
            return map_children(node, rule)
        if node.name in JOINED:
            return replace(node, ordering=order, signature=in_places(node.signature))
        return replace(node, ordering=order) if node.name in SHOWING else node

    return replace(relation, aggregates=tuple(map(rule, relation.aggregates)))


def is_asked(key: Expression) -> bool:
    return isinstance(key, Column)


def turn_of(relation: Aggregate, number: Column, settings: Settings) -> Expression:
    """At which place among the sets the one of this number stands."""
    ids = [number_of(one, len(relation.grouping)) for one in relation.grouping_sets or ()]
    known = build.call("array", [build.literal(each, LONG) for each in ids], settings)
    return build.call("array_position", [known, number], settings)  # a CASE of a cube's 256 sets would be very slow


def number_of(one: Sequence[int], width: int) -> int:
    """A bit for each key that the set leaves out, the last key's the lowest."""
    return sum(1 << (width - 1 - key) for key in range(width) if key not in one)
