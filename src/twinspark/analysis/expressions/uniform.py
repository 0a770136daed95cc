"""uniform(min, max, seed): builds the expression over rand with which Spark replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions.calls import call
from twinspark.analysis.expressions.casts import cast
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.types import (
    DOUBLE,
    FLOAT,
    NUMERIC_PRECEDENCE,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    decimal_holds,
    is_integral,
    is_numeric,
)


def uniform(arguments: Sequence[Expression], settings: Settings) -> Expression:
    """Takes two constants as bounds; without a seed Spark draws a random one."""
    if len(arguments) not in (2, 3) or not all(isinstance(e, Literal) and e.value is not None for e in arguments):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "uniform")
    least, most, *seed = arguments
    wholes = all(isinstance(each.type, IntegerType | LongType) for each in seed)
    if not wholes or not is_numeric(least.type) or not is_numeric(most.type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "uniform of values that are not numbers")
    low, high = (as_double(each, settings) for each in (least, most))
    width = call("*", [call("-", [high, low], settings), call("rand", seed, settings)], settings)
    drawn = call("+", [low, width], settings)
    kind = between(least.type, most.type)
    shown = f"uniform({', '.join(each.text for each in arguments)})"
    made = drawn if kind == DOUBLE else cast(drawn, kind, settings)
    return replace(made, nullable=False, text=shown)


def as_double(number: Expression, settings: Settings) -> Expression:
    return number if number.type == DOUBLE else cast(number, DOUBLE, settings)


def between(left: DataType, right: DataType) -> DataType:
    """The wider of two integer types, or a common type of other numbers."""
    if is_integral(left) and is_integral(right):
        return max(left, right, key=NUMERIC_PRECEDENCE.index)
    if isinstance(left, DoubleType) or isinstance(right, DoubleType):
        return DOUBLE
    if isinstance(left, FloatType) or isinstance(right, FloatType):
        return FLOAT
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return left if decimal_holds(left, right) else right
    return right if isinstance(right, DecimalType) else left
