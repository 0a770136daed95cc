"""round, bround, ceil and floor, to whole numbers and to digits before or after the decimal point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, is_foldable, non_foldable_argument
from twinspark.functions.numbers.arithmetic import BITS
from twinspark.functions.numbers.operands import FLOATING
from twinspark.types import (
    DOUBLE,
    INT,
    LONG,
    DataType,
    DecimalType,
    FloatType,
    IntegerType,
    bounded_decimal,
    decimal_for,
    is_integral,
    is_numeric,
)
from twinspark.types.duckdb import cast_to

CEILINGS = frozenset({"ceil", "ceiling", "floor"})


def scale_of(call: Call) -> int:
    if len(call.arguments) < 2:
        return 0
    value = getattr(call.arguments[1], "value", None)
    if call.name in CEILINGS and (
        not isinstance(call.arguments[1].type, IntegerType) or not is_foldable(call.arguments[1])
    ):
        raise non_foldable_argument(call.name, "scale", INT)
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the scale")
    return value


def rounded_type(call: Call) -> Typed:
    """Decimals get another precision and scale, other types do not change (RoundBase.dataType)."""
    type, scale = call.types[0], scale_of(call)
    text = None if len(call.arguments) > 1 else f"{call.name}({call.arguments[0].text}, 0)"
    if isinstance(type, DecimalType):
        return Typed(rounded_decimal(type, scale), True, text=text)
    kind = type if is_numeric(type) else DOUBLE
    return Typed(kind, True, (kind,), text=text)


def rounded_decimal(type: DecimalType, scale: int) -> DecimalType:
    whole = type.precision - type.scale + 1
    if scale < 0:
        return bounded_decimal(max(whole, -scale + 1), 0)
    kept = min(type.scale, scale)
    return bounded_decimal(whole + kept, kept)


def rounds(half_even: bool) -> Callable[..., str]:
    def write(call: Any, value: str, *scale: str) -> str:
        digits = int(getattr(call.arguments[1], "value", 0)) if len(call.arguments) > 1 else 0
        source = call.arguments[0].type
        name = "bround" if half_even else "round"
        if isinstance(source, FLOATING):
            suffix = "_float" if isinstance(source, FloatType) else ""
            return f"spark_{name}{suffix}({value}, {digits})"
        if is_integral(source) and digits >= 0:
            return value
        if isinstance(source, DecimalType) and not half_even and digits >= 0:
            return cast_to(value, call.type)
        if is_integral(source):
            return whole_rounded(name, value, digits, source, call.settings.ansi)
        return digits_of_decimal(name, value, digits, call.type)

    return write


def whole_rounded(name: str, value: str, digits: int, type: DataType, ansi: bool) -> str:
    """A result that the type cannot hold is an error, or wraps around (BigDecimal.byteValueExact, byteValue)."""
    made = f"CAST({digits_of_decimal(name, value, digits, DecimalType(38, 0))} AS HUGEINT)"
    half = f"CAST('{1 << BITS[type.__class__] - 1}' AS HUGEINT)"
    if not ansi:
        return cast_to(f"((({made} + {half}) & (2 * {half} - 1)) - {half})", type)
    raised = error("ARITHMETIC_OVERFLOW", message="Overflow", alternative="", config=ANSI_CONFIG)
    return f"(CASE WHEN {made} NOT BETWEEN -{half} AND {half} - 1 THEN {raised} ELSE {cast_to(made, type)} END)"


def digits_of_decimal(name: str, value: str, digits: int, result: DataType) -> str:
    """Rounds with duck/native/numbers/rounding.c."""
    made = result if isinstance(result, DecimalType) else DecimalType(38, 0)
    return cast_to(f"spark_decimal_{name}_{made.scale}({value}, {digits}, {made.precision})", result)


fn("round(numeric, int = 0)", rounds(False), rule=rounded_type)
fn("bround(numeric, int = 0)", rounds(True), rule=rounded_type)


def ceiling_type(call: Call) -> Typed:
    """Doubles and whole numbers return bigint, decimals a decimal with scale 0."""
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision - type.scale + 1, 0) if type.scale else type, True)
    if is_integral(type):
        return Typed(LONG, True, (LONG,))
    return Typed(LONG, True, (DOUBLE,))


def towards(name: str) -> Callable[..., str]:
    def write(call: Any, value: str) -> str:
        source = call.arguments[0].type
        if is_integral(source):
            return value
        if isinstance(source, DecimalType):
            return cast_to(f"{name}({value})", call.type)
        return f"spark_{name}({value})"

    return write


def saturate_bigint(sql: str) -> str:
    """Java's cast to long: values out of range become the limits, NaN becomes 0."""
    most, least = "9223372036854775807", "(-9223372036854775807 - 1)"
    return (
        f"(CASE WHEN isnan({sql}) THEN CAST(0 AS BIGINT) WHEN {sql} >= 9223372036854775807 THEN {most} "
        f"WHEN {sql} <= -9223372036854775808 THEN {least} ELSE CAST({sql} AS BIGINT) END)"
    )


def scaled_type(call: Call) -> Typed:
    """With a scale, all numbers are cast to decimal (RoundCeil, RoundFloor)."""
    type = call.types[0]
    source = decimal_for(type) if is_numeric(type) else DecimalType(38, 18)
    return Typed(rounded_decimal(source, scale_of(call)), True, (source,))


def scaled_writer(name: str) -> Callable[..., str]:
    def write(call: Any, value: str, *scale: str) -> str:
        return digits_of_decimal(name, value, scale_of(call), call.type)

    return write


for name in ("ceil", "ceiling", "floor"):
    fn(f"{name}(decimal, int)", scaled_writer(name.removesuffix("ing")), rule=scaled_type)
fn("ceil(double|decimal|bigint)", towards("ceil"), rule=ceiling_type, shows="CEIL")
fn("ceiling(double|decimal|bigint)", towards("ceil"), rule=ceiling_type)
fn("floor(double|decimal|bigint)", towards("floor"), rule=ceiling_type, shows="FLOOR")
