"""distributed_sequence_id (pandas API on Spark): numbers the rows from zero where their order is known
(zipWithIndex)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Filter, LocalData, Project, Range, Relation, Values
from twinspark.types import LONG

NAME = "distributed_sequence_id"


def sequence_id(below: Relation, context: Context) -> Expression:
    """Numbers the rows from zero in their order; the order of rows from files or from a shuffle is known only to
    Spark."""
    settings = context.settings
    if context.shuffles or not in_known_order(below):
        raise NotNative(reasons.PARTITIONS, "row numbers by distributed_sequence_id")
    number = ranking_call("row_number", (), (), settings)
    from_zero = build.call("-", [build.cast(number, LONG, settings), build.literal(1, LONG)], settings)
    return replace(from_zero, nullable=False, text=f"{NAME}()")


def in_known_order(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return isinstance(relation, LocalData | Range | Values)
