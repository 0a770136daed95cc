"""Makes distributed_sequence_id, the number of a row where the order is known (zipWithIndex, pandas on Spark)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.windows import RUNNING_ROWS
from twinspark.errors import NotNative
from twinspark.plan.expressions import Call, Expression, WindowCall
from twinspark.plan.relations import Filter, LocalData, Project, Range, Relation, Values
from twinspark.types import INT, LONG

NAME = "distributed_sequence_id"


def sequence_id(below: Relation, context: Context) -> Expression:
    """Rows are numbered from zero as they come; of rows that came from files or a shuffle Spark alone knows how."""
    settings = context.settings
    if context.shuffles or not in_known_order(below):
        raise NotNative("row numbers where Spark's partitions make the order")
    function = build.call("row_number", [], settings)
    assert isinstance(function, Call)
    number = WindowCall(type=INT, nullable=False, function=function, partition=(), ordering=(), frame=RUNNING_ROWS)
    from_zero = build.call("-", [build.cast(number, LONG, settings), build.literal(1, LONG)], settings)
    return replace(from_zero, nullable=False, text=f"{NAME}()")


def in_known_order(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return isinstance(relation, LocalData | Range | Values)
