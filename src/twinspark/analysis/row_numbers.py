"""Window calls that number rows, for rules that need to know where a row stands."""

from __future__ import annotations

from twinspark.analysis.build import call
from twinspark.analysis.windows import RUNNING_ROWS
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Expression, SortOrder, WindowCall
from twinspark.types import INT


def ranked(
    name: str, partition: tuple[Expression, ...], ordering: tuple[SortOrder, ...], settings: Settings
) -> WindowCall:
    """row_number, rank or dense_rank over rows in this order; without one as they come."""
    function = call(name, [], settings)
    assert isinstance(function, Call)
    return WindowCall(
        type=INT, nullable=False, function=function, partition=partition, ordering=ordering, frame=RUNNING_ROWS
    )
