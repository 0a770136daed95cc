"""uniform(min, max, seed): builds the expression over rand with which Spark replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions.calls import call
from twinspark.analysis.expressions.casts import cast
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import (
    Call,
    any_of,
    is_foldable,
    is_null_constant,
    non_foldable_input,
    unexpected_input_type,
    wrong_number_of_arguments,
)
from twinspark.plan.expressions import Cast, Expression, Literal
from twinspark.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NUMERIC_PRECEDENCE,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    decimal_holds,
    is_integral,
    is_null,
    is_numeric,
)


def uniform(arguments: Sequence[Expression], settings: Settings) -> Expression:
    """Takes two constants as bounds; without a seed Spark draws a random one."""
    shown = f"uniform({', '.join(each.text for each in arguments)})"
    check_arguments(arguments, shown, settings)
    least, most, *seed = arguments
    low, high = (as_double(each, settings) for each in (least, most))
    drawn_share = call("rand", [seed_constant(each) for each in seed], settings)
    drawn = call("+", [low, call("*", [call("-", [high, low], settings), drawn_share], settings)], settings)
    kind = between(least.type, most.type)
    made = drawn if kind == DOUBLE else cast(drawn, kind, settings)
    return replace(made, nullable=False, text=shown)


def check_arguments(arguments: Sequence[Expression], shown: str, settings: Settings) -> None:
    """The checks of Uniform.checkInputDataTypes. Null bounds fall back: their result is null, and declared not null."""
    typing = Call("uniform", arguments, settings, shown)
    if len(arguments) not in (2, 3):
        raise wrong_number_of_arguments(typing, "[2, 3]")
    if any(is_null(each.type) for each in arguments):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "uniform")
    for index, each in enumerate(arguments):
        if index < 2 and not is_numeric(each.type):
            raise unexpected_input_type(typing, index, '"NUMERIC"')
        if index == 2 and not isinstance(each.type, IntegerType | LongType):
            raise unexpected_input_type(typing, index, any_of((INT, LONG)))
    for index, name in enumerate(("min", "max", "seed")[: len(arguments)]):
        if not is_foldable(arguments[index]):
            raise non_foldable_input(typing, index, name, "integer or floating-point")
    if any(map(is_null_constant, arguments[:2])) or not all(map(is_plain, arguments[:2])):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "uniform: the bounds")


def is_plain(bound: Expression) -> bool:
    """Whether a bound is a constant, or a cast of one: other constant expressions might be null."""
    return isinstance(bound.child if isinstance(bound, Cast) else bound, Literal)


def seed_constant(seed: Expression) -> Expression:
    """A null seed is zero, since the JVM unboxes it."""
    if is_null_constant(seed):
        return Literal(type=seed.type, nullable=False, text="0", value=0)
    if not isinstance(seed, Literal):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "uniform: the seed")
    return seed


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
