"""Makes window calls: which frame a function takes, and the text Spark shows for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twinspark.errors import NotNative, SparkError
from twinspark.functions.registry import WINDOW
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted, type_text
from twinspark.plan.expressions import AggregateCall, Call, Expression, Frame, SortOrder, WindowCall
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

WHOLE = Frame(rows=True, lower=None, upper=None)
RUNNING_ROWS = Frame(rows=True, lower=None, upper=0)
RUNNING_RANGE = Frame(rows=False, lower=None, upper=0)
RANKS = frozenset({"rank", "dense_rank", "percent_rank", "row_number", "ntile"})
OFFSETS = frozenset({"lag", "lead"})


def check_order(order: SortOrder) -> None:
    """Maps and variants have none (TypeUtils.checkForOrderingExpr)."""
    if any(isinstance(inner, MapType | VariantType) for inner in nested_types(order.child.type)):
        way = f"{'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"
        raise SparkError(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            functionName="`sortorder`",
            dataType=type_text(order.child.type),
            sqlExpr=quoted(f"{order.child.text} {way}"),
        )


def window_call(
    function: Expression,
    partition: Sequence[Expression],
    ordering: Sequence[SortOrder],
    frame: Frame | None,
    settings: Settings,
) -> Expression:
    if not isinstance(function, Call) or not (isinstance(function, AggregateCall) or is_window(function)):
        raise SparkError("UNSUPPORTED_EXPR_FOR_WINDOW", sqlExpr=quoted(function.text))
    if isinstance(function, AggregateCall) and (function.distinct or function.ordering):
        raise NotNative("DISTINCT or an order inside a window function")
    if function.name in RANKS | OFFSETS and not ordering:
        raise NotNative("a ranking function without an order")
    shown = effective_frame(function, ordering, frame)
    is_ranged = not shown.rows and {shown.lower, shown.upper} - {None, 0}
    if is_ranged and not all(has_distances(order.child.type) for order in ordering):
        raise NotNative("a range of what is neither a number nor a date")
    if is_ranged and not all(
        fits(bound, order.child.type) for order in ordering for bound in (shown.lower, shown.upper)
    ):
        raise NotNative("a range that its order's type cannot hold")
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
    """Spark casts a bound to the type of the order."""
    if not isinstance(bound, int):
        return True
    if isinstance(type, DecimalType):
        return abs(bound) < 10 ** (type.precision - type.scale)
    bits = BITS.get(type.__class__)
    return bits is None or -(1 << bits) <= bound < 1 << bits


BITS: Mapping[type[DataType], int] = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}


def check_longs(partition: Sequence[Expression], ordering: Sequence[SortOrder], frame: Frame) -> None:
    """A range over dates or times by numbers, which a DataFrame sends as longs: days of a date would be integers."""
    if frame.rows or len(ordering) != 1 or not isinstance(ordering[0].child.type, MOMENTS):
        return
    if any(isinstance(bound, int) and bound != 0 for bound in (frame.lower, frame.upper)):
        raise SparkError(
            "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
            sqlExpr=quoted(f"({window_text(partition, ordering, frame)})"),
            orderSpecType=type_text(ordering[0].child.type),
            valueBoundaryType='"BIGINT"',
        )


def is_window(function: Call) -> bool:
    return function.signature.kind == WINDOW


def effective_frame(function: Call, ordering: Sequence[SortOrder], frame: Frame | None) -> Frame:
    """Ranks and offsets bring their own frame; others run up to the current row's peers once there is an order."""
    own = {"cume_dist": RUNNING_RANGE, **dict.fromkeys(RANKS, RUNNING_ROWS)}
    if frame is not None and (function.name in OFFSETS or own.get(function.name, frame) != frame):
        raise NotNative(f"{function.name} with a frame")
    if function.name in OFFSETS:
        return Frame(rows=True, lower=offset_of(function), upper=offset_of(function))
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
        raise NotNative("an offset that is no constant, or none")
    return -value if function.name == "lag" else value


def window_text(partition: Sequence[Expression], ordering: Sequence[SortOrder], frame: Frame) -> str:
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
