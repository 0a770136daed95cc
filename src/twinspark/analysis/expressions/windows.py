"""Builds window expressions: checks the frame, chooses the default frame, and renders Spark's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.registry import WINDOW
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import is_foldable, quote_expression, type_text
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression, SortOrder, WindowCall, WindowFrame
from twinspark.types import (
    ByteType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    is_numeric,
    nested_types,
)

WHOLE = WindowFrame(rows=True, lower=None, upper=None)
RUNNING_ROWS = WindowFrame(rows=True, lower=None, upper=0)
RUNNING_RANGE = WindowFrame(rows=False, lower=None, upper=0)
RANKS = frozenset({"rank", "dense_rank", "percent_rank", "row_number", "ntile"})
OFFSETS = frozenset({"lag", "lead"})


def check_order(order: SortOrder) -> None:
    """Maps and variants cannot be ordered (TypeUtils.checkForOrderingExpr)."""
    if any(isinstance(inner, MapType | VariantType) for inner in nested_types(order.child.type)):
        way = f"{'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"
        raise SparkError(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            functionName="`sortorder`",
            dataType=type_text(order.child.type),
            sqlExpr=quote_expression(f"{order.child.text} {way}"),
        )


WHOLE_ONLY = frozenset({"percentile_cont", "percentile_disc", "median"})


def check_whole_partition(function: Call, ordering: Sequence[SortOrder], frame: WindowFrame | None) -> None:
    """Percentiles with an order of their own take a whole partition (WindowResolution.checkWindowFunction)."""
    if function.name not in WHOLE_ONLY or (isinstance(function, AggregateCall) and function.distinct):
        return
    if ordering or (frame is not None and frame != WHOLE):
        shown = f"{function.name}({', '.join(argument.text for argument in function.arguments)})"
        error = SparkError("INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", aggFunc=quote_expression(shown))
        if all(isinstance(argument, Column) or is_foldable(argument) for argument in function.arguments):
            raise error
        # Spark shows other arguments by the names of the columns that ExtractWindowExpressions makes of them
        raise NotNative(reasons.ERROR_MESSAGE, "a percentile of an expression over a window", likely_error=error)


def window_call(
    function: Expression,
    partition: Sequence[Expression],
    ordering: Sequence[SortOrder],
    frame: WindowFrame | None,
    settings: Settings,
) -> Expression:
    if not isinstance(function, Call) or not (isinstance(function, AggregateCall) or is_window(function)):
        raise SparkError("UNSUPPORTED_EXPR_FOR_WINDOW", sqlExpr=quote_expression(function.text))
    check_whole_partition(function, ordering, frame)
    if isinstance(function, AggregateCall) and (function.distinct or function.ordering):
        raise NotNative(reasons.WINDOW_FUNCTION, "DISTINCT or an ordering inside a window function")
    if function.name in RANKS | OFFSETS and not ordering:
        raise NotNative(reasons.WINDOW_FUNCTION, "a ranking function without ORDER BY")
    shown = effective_frame(function, ordering, frame)
    is_ranged = not shown.rows and {shown.lower, shown.upper} - {None, 0}
    if is_ranged and not all(has_distances(order.child.type) for order in ordering):
        raise NotNative(reasons.WINDOW_FRAME, "RANGE over a column that is neither a number nor a date")
    if is_ranged and not all(
        fits(bound, order.child.type) for order in ordering for bound in (shown.lower, shown.upper)
    ):
        raise NotNative(reasons.WINDOW_FRAME, "a RANGE bound that the type of the ordering column cannot hold")
    return WindowCall(
        type=function.type,
        nullable=function.nullable,
        text=f"{function.text} OVER ({window_text(partition, ordering, shown)})",
        function=function,
        partition=tuple(partition),
        ordering=tuple(ordering),
        frame=shown,
    )


MOMENTS = (DateType, TimestampType, TimestampNTZType)


def has_distances(type: DataType) -> bool:
    return is_numeric(type) or isinstance(type, MOMENTS)


def fits(bound: Expression | int | None, type: DataType) -> bool:
    """Whether a frame bound can be cast to the type of the ordering column, as Spark does."""
    if not isinstance(bound, int):
        return True
    if isinstance(type, DecimalType):
        return abs(bound) < 10 ** (type.precision - type.scale)
    bits = BITS.get(type.__class__)
    return bits is None or -(1 << bits) <= bound < 1 << bits


BITS: Mapping[type[DataType], int] = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}


def check_longs(partition: Sequence[Expression], ordering: Sequence[SortOrder], frame: WindowFrame) -> None:
    """Numeric bounds of a DataFrame are longs, which Spark rejects in a RANGE over dates or times."""
    if frame.rows or len(ordering) != 1 or not isinstance(ordering[0].child.type, MOMENTS):
        return
    if any(isinstance(bound, int) and bound != 0 for bound in (frame.lower, frame.upper)):
        raise SparkError(
            "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
            sqlExpr=quote_expression(f"({window_text(partition, ordering, frame)})"),
            orderSpecType=type_text(ordering[0].child.type),
            valueBoundaryType='"BIGINT"',
        )


def is_window(function: Call) -> bool:
    return function.signature.kind == WINDOW


def effective_frame(function: Call, ordering: Sequence[SortOrder], frame: WindowFrame | None) -> WindowFrame:
    """Ranking and offset functions have their own frame; otherwise, with ORDER BY, the frame ends at the current row's
    peers."""
    own = {"cume_dist": RUNNING_RANGE, **dict.fromkeys(RANKS, RUNNING_ROWS)}
    if frame is not None and (function.name in OFFSETS or own.get(function.name, frame) != frame):
        raise NotNative(reasons.WINDOW_FRAME, f"{function.name} with a frame of its own")
    if function.name in OFFSETS:
        return WindowFrame(rows=True, lower=offset_of(function), upper=offset_of(function))
    if function.name in RANKS:
        return RUNNING_ROWS
    if frame is not None:
        return frame
    if function.name == "cume_dist":
        return RUNNING_RANGE
    return RUNNING_RANGE if ordering else WHOLE


def offset_of(function: Call) -> Expression | int:
    offset = function.arguments[1]
    value = getattr(offset, "value", None)
    if not isinstance(value, int) or value == 0:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "the offset of lag or lead")
    return -value if function.name == "lag" else value


def window_text(partition: Sequence[Expression], ordering: Sequence[SortOrder], frame: WindowFrame) -> str:
    parts = []
    if partition:
        parts.append("PARTITION BY " + ", ".join(p.text for p in partition))
    if ordering:
        parts.append("ORDER BY " + ", ".join(map(order_text, ordering)))
    bounds = f"{bound_text(frame.lower, False)} AND {bound_text(frame.upper, True)}"
    parts.append(frame.text or f"{'ROWS' if frame.rows else 'RANGE'} BETWEEN {bounds}")
    return " ".join(parts)


def order_text(order: SortOrder) -> str:
    direction = "ASC" if order.ascending else "DESC"
    return f"{order.child.text} {direction} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def bound_text(bound: Expression | int | None, upper: bool) -> str:
    if bound is None:
        return "UNBOUNDED FOLLOWING" if upper else "UNBOUNDED PRECEDING"
    if isinstance(bound, int):
        return "CURRENT ROW" if bound == 0 else f"{bound} FOLLOWING"
    return f"{bound.text} FOLLOWING"
