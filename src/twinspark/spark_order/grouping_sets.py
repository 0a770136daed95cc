"""The row order of grouping sets: Spark expands each row into one row per set and groups by the keys and the set's
id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_positions import with_positions_in_task
from twinspark.functions.aggregates.collect import listagg_by_position
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import AggregateCall, Column, Expression, SortOrder
from twinspark.plan.relations import Aggregate, Field
from twinspark.plan.rewrite import map_children, walk
from twinspark.spark_order.window_order import ENDS
from twinspark.types import LONG

Key = TypeVar("Key")
ORDER_DEPENDENT = ENDS | {"first_value", "last_value", "array_agg"}
JOINED = frozenset({"listagg", "string_agg"})
SET = Field("spark_grouping_id", LONG, False)


def cube_sets(parts: Sequence[Key]) -> list[list[Key]]:
    """The grouping sets of CUBE, in the order of BaseGroupingSets.cubeExprs."""
    if not parts:
        return [[]]
    rest = cube_sets(parts[1:])
    return [*([parts[0], *one] for one in rest), *rest]


def with_set_number(relation: Aggregate, settings: Settings) -> Aggregate | None:
    """Adds the grouping id as a column. None if two sets are equal or a key is in no set: DuckDB computes grouping_id
    only of keys that some set contains."""
    sets = relation.grouping_sets or ()
    used = {key for one in sets for key in one}
    if not relation.grouping or used != set(range(len(relation.grouping))):
        return None
    if len(set(map(frozenset, sets))) < len(sets) or not all(map(is_column, relation.grouping)):
        return None
    number = build.call("grouping_id", list(relation.grouping), settings)
    return replace(relation, aggregates=(*relation.aggregates, number), fields=(*relation.fields, SET))


def shows_order(relation: Aggregate) -> bool:
    calls = [node for e in relation.aggregates for node in walk(e) if isinstance(node, AggregateCall)]
    return any(call.name in ORDER_DEPENDENT | JOINED and not call.ordering and not call.distinct for call in calls)


def over_positions(relation: Aggregate) -> Aggregate:
    """Sorts the input of order-dependent aggregates explicitly: DuckDB derives smaller sets from larger ones and
    aggregates large groups in several threads."""
    return (
        with_input_order(replace(relation, input=with_positions_in_task(relation.input, 0)))
        if shows_order(relation)
        else relation
    )


def with_input_order(relation: Aggregate) -> Aggregate:
    """Adds ORDER BY row position to the aggregates that depend on row order. The input's last column is the
    position."""
    order = (SortOrder(child=relation.input.columns()[-1]),)

    def rule(node: Expression) -> Expression:
        if not isinstance(node, AggregateCall) or node.ordering or node.distinct:
            return map_children(node, rule)
        if node.name in JOINED:
            return replace(node, ordering=order, signature=listagg_by_position(node.signature))
        return replace(node, ordering=order) if node.name in ORDER_DEPENDENT else node

    return replace(relation, aggregates=tuple(map(rule, relation.aggregates)))


def is_column(key: Expression) -> bool:
    return isinstance(key, Column)


def set_position(relation: Aggregate, number: Column, settings: Settings) -> Expression:
    """The position of a row's grouping set in the list of sets."""
    ids = [set_number(one, len(relation.grouping)) for one in relation.grouping_sets or ()]
    known = build.call("array", [build.literal(each, LONG) for each in ids], settings)
    # CASE over the 256 sets of a cube would be very slow
    return build.call("array_position", [known, number], settings)


def set_number(one: Sequence[int], width: int) -> int:
    """The grouping id: one bit for each key that is not in the set, the last key in the lowest bit."""
    return sum(1 << (width - 1 - key) for key in range(width) if key not in one)
