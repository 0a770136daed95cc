"""Makes distributed_sequence_id, the number of a row where the order is known (zipWithIndex, pandas on Spark)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.row_numbers import ranked
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Filter, LocalData, Project, Range, Relation, Values
from twinspark.types import LONG

NAME = "distributed_sequence_id"


def sequence_id(below: Relation, context: Context) -> Expression:
    """Rows are numbered from zero as they come; of rows that came from files or a shuffle Spark alone knows how."""
    settings = context.settings
    if context.shuffles or not in_known_order(below):
        raise NotNative("row numbers where Spark's partitions make the order")
    number = ranked("row_number", (), (), settings)
    from_zero = build.call("-", [build.cast(number, LONG, settings), build.literal(1, LONG)], settings)
    return replace(from_zero, nullable=False, text=f"{NAME}()")


def in_known_order(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return isinstance(relation, LocalData | Range | Values)
