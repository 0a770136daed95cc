"""Falls back where a query selects or lists rows by their order after repartition(n): Spark sorts rows by the hashes of
their bytes before it deals them out round robin."""

from __future__ import annotations

from collections.abc import Callable

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import WindowCall
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Limit,
    Observe,
    Project,
    Relation,
    Repartition,
    ShowString,
    Sort,
    Tail,
    relations_in,
)
from twinspark.spark_order.grouping_sets import shows_order
from twinspark.spark_order.sorts.radix_sort import most_rows
from twinspark.spark_order.window_order import ENDS, POSITIONAL, windows_in

PASSING = Project | Filter | Generate | Observe | Repartition
IsKnown = Callable[[Relation], bool]


def check_repartitions(relation: Relation, is_known: IsKnown) -> None:
    nodes = list(relations_in(relation))
    if not any(isinstance(node, Repartition) and node.how for node in nodes):
        return
    if any(
        depends_on_order(node) and has_unknown_repartition(node.inputs[0], is_known) for node in nodes if node.inputs
    ):
        raise NotNative(reasons.PARTITIONS, "rows chosen by their order after repartition(n)")


def depends_on_order(relation: Relation) -> bool:
    match relation:
        case Limit(limit=int(limit)):
            return limit + relation.offset < most_rows(relation.input)
        case Limit():
            return True
        case Tail(limit=limit):
            return limit < most_rows(relation.input)
        case ShowString(rows=rows):
            return rows < most_rows(relation.input)
        case Distinct(keys=keys):
            return keys is not None
        case Aggregate():
            return shows_order(relation)
        case Project(expressions=expressions):
            return any(map(is_positional, windows_in(expressions)))
    return False


def is_positional(window: WindowCall) -> bool:
    return window.function.name in POSITIONAL | ENDS


def has_unknown_repartition(relation: Relation, is_known: IsKnown) -> bool:
    while isinstance(relation, PASSING) or (isinstance(relation, Sort) and not relation.is_global):
        if isinstance(relation, Repartition) and relation.how and not is_known(relation):
            return True
        relation = relation.input
    return False
