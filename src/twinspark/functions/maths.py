"""Mathematical functions: StrictMath's through the C extension, Spark's rounding and its checked whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.families import implicit_type
from twinspark.functions.operators import (
    FLOATING,
    TIMELY,
    add_type,
    arithmetic,
    checked_sign,
    divide,
    multiply_type,
    remainder,
    wrapped,
)
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import ANSI_CONFIG, cast_to, duck_type, error
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    STRING,
    BinaryType,
    DecimalType,
    FloatType,
    IntegerType,
    LongType,
    bounded_decimal,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)

# ---- unary functions of doubles: nullable always, shown in capitals

NATIVE = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cosh", "exp", "expm1", "log10", "log1p")
for name in (*NATIVE, "log2", "sinh", "tanh"):
    fn(f"{name}(double) -> double?", f"spark_{name}({{0}})", shows=name.upper())
fn("ln(double) -> double?", "spark_ln({0})")
fn("sqrt(double) -> double?", "CASE WHEN {0} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt({0}) END", shows="SQRT")
fn("degrees(double) -> double?", SPARK, shows="DEGREES", reason="the last bit of the product")
fn("radians(double) -> double?", SPARK, shows="RADIANS", reason="the last bit of the product")
for name in ("sin", "cos", "tan", "cot", "sec", "csc"):
    fn(f"{name}(double) -> double?", f"spark_{name}({{0}})", shows=name.upper())
fn("rint(double) -> double?", "round_even({0}, 0)")
fn("atan2(double, double) -> double", "spark_atan2({0}, {1})", shows="ATAN2")
fn("hypot(double, double) -> double", "spark_hypot({0}, {1})", shows="HYPOT")
fn("pow(double, double) -> double", "spark_pow({0}, {1})")
fn("power(double, double) -> double", "spark_pow({0}, {1})", shows="POWER")


def natural_log(call: Call) -> Typed:
    return Typed(DOUBLE, True, (DOUBLE,), text=f"LOG(E(), {call.arguments[0].text})")


fn("log(double)", "spark_ln({0})", rule=natural_log)
fn("log(double, double) -> double?", "spark_log({0}, {1})", shows="LOG")
fn("e() -> double!", "CAST('2.718281828459045' AS DOUBLE)", shows="E")
fn("pi() -> double!", "CAST('3.141592653589793' AS DOUBLE)", shows="PI")


def signs(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, INTERVAL):
        raise NotNative("the sign of an interval")
    return Typed(DOUBLE, True, (DOUBLE,))


SIGN = "CASE WHEN {0} > 0 AND NOT isnan({0}) THEN 1.0::DOUBLE WHEN {0} < 0 THEN -1.0::DOUBLE ELSE {0} END"
fn("sign(double|yearmonth|daytime)", SIGN, rule=signs)
fn("signum(double|yearmonth|daytime)", SIGN, rule=signs, shows="SIGNUM")


# ---- whole numbers


def absolute_type(call: Call) -> Typed:
    (type,) = call.types
    if is_string(type) or is_null(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if isinstance(type, INTERVAL):
        raise NotNative("the absolute value of an interval")
    if not is_numeric(type):
        required = '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")'
        raise unexpected_input_type(call, 0, required)
    return Typed(type, call.any_nullable)


def absolute(call: Any, value: str) -> str:
    if not is_integral(call.type):
        return f"abs({value})"
    if not call.settings.ansi:
        return wrapped(f"abs(CAST({value} AS HUGEINT))", call.type)
    return checked_sign(f"abs({value})", value, call.type)


fn("abs(any)", absolute, rule=absolute_type)


def pmod_type(call: Call) -> Typed:
    return replace(remainder(call), nullable=True)


def positive_remainder(call: Any, left: str, right: str) -> str:
    """((a % n) + n) % n for a negative rest, as Java computes it."""
    if isinstance(call.type, DecimalType):
        raise NotNative("pmod of decimals")
    zero = (
        error("REMAINDER_BY_ZERO", config=ANSI_CONFIG)
        if call.settings.ansi
        else f"CAST(NULL AS {duck_type(call.type)})"
    )
    rest = f"(CASE WHEN {right} = -1 THEN {left} - {left} ELSE {left} % {right} END)"
    wide = f"CAST({rest} AS {'HUGEINT' if is_integral(call.type) else 'DOUBLE'}) + {right}"
    again = cast_to(f"({wide}) % {right}", call.type)
    return f"(CASE WHEN {right} = 0 THEN {zero} WHEN {rest} < 0 THEN {again} ELSE {rest} END)"


fn("pmod(any, any)", positive_remainder, rule=pmod_type)


def tried(rule: Callable[[Call], Typed], operator: str) -> Callable[[Call], Typed]:
    """try_add and its kin: the operator's types, null where it would raise."""

    def typed(call: Call) -> Typed:
        if any(isinstance(type, TIMELY) or is_string(type) for type in call.types):
            raise NotNative(f"{call.name} of dates, intervals or strings")
        made = rule(Call(operator, call.arguments, call.settings, call.text))
        return replace(made, nullable=True)

    return typed


def try_arithmetic(operator: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        if isinstance(call.type, DecimalType):
            raise NotNative(f"try_{operator} of decimals")
        if is_integral(call.type):
            wide = f"CAST({left} AS HUGEINT) {operator} CAST({right} AS HUGEINT)"
            return f"TRY_CAST({wide} AS {duck_type(call.type)})"
        return f"({left} {operator} {right})"

    return write


fn("try_add(any, any)", try_arithmetic("+"), rule=tried(arithmetic(add_type), "+"))
fn("try_subtract(any, any)", try_arithmetic("-"), rule=tried(arithmetic(add_type), "-"))
fn("try_multiply(any, any)", try_arithmetic("*"), rule=tried(arithmetic(multiply_type), "*"))


def try_divided(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        raise NotNative("try_divide of decimals")
    return f"({left} / nullif({right}, 0))"


fn("try_divide(any, any)", try_divided, rule=tried(divide, "/"))


def try_remained(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        raise NotNative("try_mod of decimals")
    return cast_to(f"{left} % nullif({right}, 0)", call.type)


fn("try_mod(any, any)", try_remained, rule=tried(remainder, "%"))
fn(
    "factorial(int) -> bigint?",
    "CASE WHEN {0} BETWEEN 0 AND 20 THEN CAST(factorial({0}) AS BIGINT) END",
)


# ---- bits


def shift_type(call: Call) -> Typed:
    type = call.types[0]
    kind = LONG if isinstance(type, LongType) else INT
    return Typed(kind, False, (kind, INT), add_nullable_casts=True)


def shifted(kind: str) -> Callable[..., str]:
    """Only the low five or six bits of the distance count, as in Java."""

    def write(call: Any, value: str, distance: str) -> str:
        bits = 32 if isinstance(call.type, IntegerType) else 64
        by = f"({distance} & {bits - 1})"
        if kind == "right":
            return cast_to(f"{value} >> {by}", call.type)
        unsigned = f"((CAST({value} AS HUGEINT) + {1 << bits}) % {1 << bits})"
        if kind == "unsigned":
            return wrapped(f"{unsigned} // (CAST(1 AS HUGEINT) << {by})", call.type)
        return wrapped(f"{unsigned} * (CAST(1 AS HUGEINT) << {by}) % {1 << bits}", call.type)

    return write


fn("shiftleft(int|bigint, int)", shifted("left"), rule=shift_type)
fn("shiftright(int|bigint, int)", shifted("right"), rule=shift_type)
fn("shiftrightunsigned(int|bigint, int)", shifted("unsigned"), rule=shift_type)
fn("bit_count(integral|boolean) -> int", SPARK, reason="not written yet")
fn("bit_get(integral, int) -> tinyint", SPARK, "getbit", keeps_alias=True, reason="not written yet")


# ---- text of numbers


def hex_type(call: Call) -> Typed:
    kind = implicit_type(call.types[0], ("bigint", "binary", "string"), call.settings.ansi)
    return Typed(STRING, False, (kind or STRING,), add_nullable_casts=True)


def hexed(call: Any, value: str) -> str:
    type = call.arguments[0].type
    if is_string(type):
        return f"hex(encode({value}))"
    return f"hex({value})" if isinstance(type, BinaryType) else f"to_hex({value})"


fn("hex(bigint|binary|string)", hexed, rule=hex_type)
fn("bin(bigint) -> string", "to_binary({0})")
fn("unhex(string) -> binary?", SPARK, reason="odd and invalid digits")
fn("conv(string, int, int) -> string?", SPARK, reason="not written yet")
fn("rand(bigint = null) -> double!", SPARK, "random", deterministic=False, reason="Spark's random numbers")
fn("randn(bigint = null) -> double!", SPARK, deterministic=False, reason="Spark's random numbers")


# ---- rounding


def scale_of(call: Call) -> int:
    if len(call.arguments) < 2:
        return 0
    value = getattr(call.arguments[1], "value", None)
    if not isinstance(value, int):
        raise NotNative(f"{call.name} to a scale that is no constant")
    return value


def rounded_type(call: Call) -> Typed:
    """Decimals lose digits, the others keep their type (RoundBase.dataType)."""
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
        name = "spark_bround" if half_even else "spark_round"
        if isinstance(source, FLOATING):
            suffix = "_float" if isinstance(source, FloatType) else ""
            return f"{name}{suffix}({value}, {digits})"
        if is_integral(source) and digits >= 0:
            return value
        if isinstance(source, DecimalType) and not half_even and digits >= 0:
            return cast_to(value, call.type)
        raise NotNative("rounding away whole digits")

    return write


fn("round(numeric, int = 0)", rounds(False), rule=rounded_type)
fn("bround(numeric, int = 0)", rounds(True), rule=rounded_type)


def to_spark(call: Call) -> Typed:
    raise NotNative(f"{call.name} with these arguments")


def ceiling_type(call: Call) -> Typed:
    """Doubles and whole numbers give bigints, decimals decimals without fraction."""
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision - type.scale + 1, 0), True)
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
        if name not in ("ceil", "floor"):
            raise NotNative(name)
        return saturated(f"{name}({value})")

    return write


def saturated(sql: str) -> str:
    """Java's (long): what is too large becomes the largest, NaN becomes 0."""
    most, least = "9223372036854775807", "(-9223372036854775807 - 1)"
    return (
        f"(CASE WHEN isnan({sql}) THEN CAST(0 AS BIGINT) WHEN {sql} >= 9223372036854775807 THEN {most} "
        f"WHEN {sql} <= -9223372036854775808 THEN {least} ELSE CAST({sql} AS BIGINT) END)"
    )


for name in ("ceil", "ceiling", "floor"):
    fn(f"{name}(any, any) -> decimal(38,18)?", SPARK, reason="rounding up or down to a scale", rule=to_spark)
fn("ceil(double|decimal|bigint)", towards("ceil"), rule=ceiling_type, shows="CEIL")
fn("ceiling(double|decimal|bigint)", towards("ceil"), rule=ceiling_type)
fn("floor(double|decimal|bigint)", towards("floor"), rule=ceiling_type, shows="FLOOR")
