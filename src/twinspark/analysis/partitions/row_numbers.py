"""Builds row_number, rank and dense_rank window calls for rules that number rows."""

from __future__ import annotations

from twinspark.analysis.expressions.build import call
from twinspark.analysis.expressions.windows import RUNNING_ROWS
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Expression, SortOrder, WindowCall
from twinspark.types import INT


def ranking_call(
    name: str, partition: tuple[Expression, ...], ordering: tuple[SortOrder, ...], settings: Settings
) -> WindowCall:
    """row_number, rank or dense_rank in this order; without one in input order."""
    function = call(name, [], settings)
    assert isinstance(function, Call)
    return WindowCall(
        type=INT, nullable=False, function=function, partition=partition, ordering=ordering, frame=RUNNING_ROWS
    )
