"""Mathematical functions: exact doubles as in Java's StrictMath by the C extension, abs, pmod, try_ arithmetic, bits,
hex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import Cause, NotNative, reasons
from twinspark.functions.notation.decimal_sql import (
    sql_decimal_add,
    sql_decimal_divide,
    sql_decimal_multiply,
    sql_decimal_remainder,
    sql_decimal_subtract,
)
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error, error_with, not_native
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.functions.numbers.arithmetic import (
    BITS,
    NAMED,
    arithmetic,
    check_digits,
    checked_sign,
    divide,
    divisor_first,
    in_one_pass,
    remainder,
    with_sign,
)
from twinspark.functions.numbers.decimal_arithmetic import add_type, decimal_call, multiply_type
from twinspark.functions.numbers.operands import FLOATING
from twinspark.functions.time.date_arithmetic import TIMELY
from twinspark.types import (
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    STRING,
    BinaryType,
    BooleanType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    IntegerType,
    LongType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import cast_to, duck_text, duck_type

# ---- unary functions of doubles: always nullable, with upper-case column names

LAST_BIT = Cause(reasons.FLOAT_PRECISION, "the last bit is that of HotSpot's machine code")
NATIVE = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cosh", "exp", "expm1", "log10", "log1p")
for name in (*NATIVE, "log2", "sinh", "tanh"):
    fn(f"{name}(double) -> double?", f"spark_{name}({{0}})", shows=name.upper())
fn("ln(double) -> double?", "spark_ln({0})")
fn("sqrt(double) -> double?", "CASE WHEN {0} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt({0}) END", shows="SQRT")
fn("degrees(double) -> double?", "({0} * CAST('57.29577951308232' AS DOUBLE))", shows="DEGREES")
fn("radians(double) -> double?", "({0} * CAST('0.017453292519943295' AS DOUBLE))", shows="RADIANS")
for name in ("sin", "cos", "sec", "csc", "tan", "cot"):
    fn(f"{name}(double) -> double?", SPARK, shows=name.upper(), cause=LAST_BIT)
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
        return Typed(DOUBLE, True, writer="CAST(sign({0}) AS DOUBLE)")
    return Typed(DOUBLE, True, (DOUBLE,))


fn("sign(double|yearmonth|daytime)", "spark_signum({0})", rule=signs)
fn("signum(double|yearmonth|daytime)", "spark_signum({0})", rule=signs, shows="SIGNUM")


# ---- whole numbers


def absolute_type(call: Call) -> Typed:
    (type,) = call.types
    if is_string(type) or is_null(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if not is_numeric(type) and not isinstance(type, INTERVAL):
        required = '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")'
        raise unexpected_input_type(call, 0, required)
    return Typed(type, call.any_nullable)


def absolute(call: Any, value: str) -> str:
    if isinstance(call.type, INTERVAL):
        return absolute_interval(call.type, value)
    check_digits(call.type)
    if not is_integral(call.type):
        return f"abs({value})"
    if call.settings.ansi and isinstance(call.type, IntegerType | LongType):
        return f"abs({value})"  # DuckDB's abs raises where Spark's does (duck/errors.py)
    return with_sign("abs", "abs", value, call.type, call.settings.ansi)


def absolute_interval(type: DataType, value: str) -> str:
    """Months are ints and microseconds bigints; an overflow raises in every mode."""
    return checked_sign(f"abs({value})", value, LONG if isinstance(type, DayTimeIntervalType) else INT)


fn("abs(any)", absolute, rule=absolute_type)


def pmod_type(call: Call) -> Typed:
    return replace(remainder(call), nullable=True)


@divisor_first
def positive_remainder(call: Any, left: str, right: str) -> str:
    """((a % n) + n) % n for a negative remainder, as Java computes it."""
    if isinstance(call.type, DecimalType):
        return positive_decimal_remainder(call, left, right)
    if isinstance(call.type, IntegerType | LongType):
        return in_one_pass("pmod" if call.settings.ansi else "pmod_or_null", call.type, left, right)
    zero = (
        error("REMAINDER_BY_ZERO", config=ANSI_CONFIG)
        if call.settings.ansi
        else f"CAST(NULL AS {duck_type(call.type)})"
    )
    rest, again = floating_rests(left, right) if isinstance(call.type, FLOATING) else whole_rests(call, left, right)
    return f"(CASE WHEN {right} = 0 AND {left} IS NOT NULL THEN {zero} WHEN {rest} < 0 THEN {again} ELSE {rest} END)"


def floating_rests(left: str, right: str) -> tuple[str, str]:
    rest = f"({left} % {right})"
    return rest, f"(({rest} + {right}) % {right})"


def whole_rests(call: Any, left: str, right: str) -> tuple[str, str]:
    """For tinyint and smallint, which are added as ints."""
    rest = f"(CASE WHEN {right} = -1 THEN {left} - {left} ELSE {left} % {right} END)"
    return rest, cast_to(f"(CAST({rest} AS INTEGER) + {right}) % {right}", call.type)


def positive_decimal_remainder(call: Any, left: str, right: str) -> str:
    a, b = (argument.type for argument in call.arguments)
    whole = max(a.precision - a.scale, b.precision - b.scale) + 1 + max(a.scale, b.scale)
    if whole > 38:
        raise NotNative(reasons.DECIMAL_PRECISION, "pmod")
    rest = decimal_call(sql_decimal_remainder, call, left, right)
    wide = DecimalType(whole, max(a.scale, b.scale))
    of, by = (wide.precision, wide.scale), (b.precision, b.scale)
    again = sql_decimal_remainder(f"({cast_to(rest, wide)} + {cast_to(right, wide)})", of, right, by, of, True)
    fitted = f"{'CAST' if call.settings.ansi else 'TRY_CAST'}({again} AS {duck_type(call.type)})"
    return f"(CASE WHEN {rest} < 0 THEN {fitted} ELSE {rest} END)"


fn("pmod(any, any)", positive_remainder, rule=pmod_type)


def try_rule(rule: Callable[[Call], Typed], operator: str) -> Callable[[Call], Typed]:
    """try_add and similar: the types of the operator, and null where it would raise."""

    def type_call(call: Call) -> Typed:
        if any(map(is_string, call.types)):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of strings")
        made = rule(Call(operator, call.arguments, call.settings, call.text, tries=True))
        if any(isinstance(type, TIMELY) for type in call.types):
            return try_datetime(call, made)
        return replace(made, nullable=True)

    return type_call


def try_datetime(call: Call, made: Typed) -> Typed:
    """Dates and intervals fall back where DuckDB raises, since only Spark decides whether the result is null."""
    if not isinstance(made.writer, str):
        raise NotNative(reasons.DATETIME_ARITHMETIC, call.name)
    if made.knows_limits:
        return replace(made, nullable=True, text=call.text)
    tried = f"TRY({made.writer})"
    fallback = not_native(reasons.DATETIME_RANGE, f"{call.name} of dates or intervals")
    writer = f"(CASE WHEN {tried} IS NULL AND {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {fallback} ELSE {tried} END)"
    return replace(made, nullable=True, writer=writer, text=call.text)


TRIED_DECIMALS = {"+": sql_decimal_add, "-": sql_decimal_subtract, "*": sql_decimal_multiply}


def try_decimal_sql(spell: Callable[..., str], call: Any, left: str, right: str) -> str:
    """The SQL without ANSI: null for an overflow or a division by zero."""
    a, b = (argument.type for argument in call.arguments)
    result = (call.type.precision, call.type.scale)
    return spell(left, (a.precision, a.scale), right, (b.precision, b.scale), result, False)


def try_arithmetic(operator: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        if isinstance(call.type, DecimalType):
            return try_decimal_sql(TRIED_DECIMALS[operator], call, left, right)
        if is_integral(call.type):
            return try_whole_sql(operator, call.type, left, right)
        return f"({left} {operator} {right})"

    return write


def try_whole_sql(operator: str, type: DataType, left: str, right: str) -> str:
    if isinstance(type, IntegerType | LongType):
        return in_one_pass(f"try_{NAMED[operator]}", type, left, right)
    return f"TRY_CAST(CAST({left} AS INTEGER) {operator} CAST({right} AS INTEGER) AS {duck_type(type)})"


fn("try_add(any, any)", try_arithmetic("+"), rule=try_rule(arithmetic(add_type), "+"))
fn("try_subtract(any, any)", try_arithmetic("-"), rule=try_rule(arithmetic(add_type), "-"))
fn("try_multiply(any, any)", try_arithmetic("*"), rule=try_rule(arithmetic(multiply_type), "*"))


def try_divided(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return try_decimal_sql(sql_decimal_divide, call, left, right)
    return f"({left} / nullif({right}, 0))"


fn("try_divide(any, any)", try_divided, rule=try_rule(divide, "/"))


def try_remained(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return try_decimal_sql(sql_decimal_remainder, call, left, right)
    return cast_to(f"{left} % nullif({right}, 0)", call.type)


fn("try_mod(any, any)", try_remained, rule=try_rule(remainder, "%"))
fn(
    "factorial(int) -> bigint?",
    "CASE WHEN {0} BETWEEN 0 AND 20 THEN CAST(factorial({0}) AS BIGINT) END",
)


# ---- bits


def shift_type(call: Call) -> Typed:
    type, count = call.types
    if is_null(count) and not hasattr(call.arguments[0], "value"):
        raise NotNative(reasons.ERROR_TIMING, "a shift by a null constant")
    kind = LONG if isinstance(type, LongType) else INT
    return Typed(kind, False, (kind, INT), add_nullable_casts=True)


def shifted_right(call: Any, value: str, count: str) -> str:
    """By a constant with DuckDB's operator; Java takes the count modulo the width."""
    constant = getattr(call.arguments[1], "value", None)
    if not isinstance(constant, int):
        return f"spark_{call.name}({value}, {count})"
    width = BITS[call.type.__class__]
    bits = constant % width
    moved = f"({value} >> {cast_to(str(bits), call.type)})"
    if call.name == "shiftright" or bits == 0:
        return moved
    return f"({moved} & {cast_to(str((1 << (width - bits)) - 1), call.type)})"


fn("shiftleft(int|bigint, int)", "spark_shiftleft({0}, {1})", rule=shift_type)
for name in ("shiftright", "shiftrightunsigned"):
    fn(f"{name}(int|bigint, int)", shifted_right, rule=shift_type)


def ones(call: Any, value: str) -> str:
    """bit_count of the number as 64 bits, whatever its type."""
    if isinstance(call.arguments[0].type, BooleanType):
        return f"CAST({value} AS INTEGER)"
    return f"CAST(bit_count(CAST({value} AS BIGINT)) AS INTEGER)"


def ones_type(call: Call) -> Typed:
    if is_string(call.types[0]):
        raise unexpected_input_type(call, 0, '("INTEGRAL" or "BOOLEAN")')
    kind = INT if is_null(call.types[0]) else call.types[0]
    return Typed(INT, call.any_nullable, (kind,))


fn("bit_count(integral|boolean)", ones, rule=ones_type)


def bit_at(call: Any, value: str, position: str) -> str:
    type = call.arguments[0].type
    bits = BITS[type.__class__]
    index = getattr(call.arguments[1], "value", None)
    if isinstance(index, int) and 0 <= index < bits:
        return f"spark_bit_get({value}, {index})"
    wrong = error_with(
        "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
        functionName=duck_text(f"`{call.text.partition('(')[0]}`"),
        parameter=duck_text("`pos`"),
        upper=duck_text(str(bits)),
        invalidValue=f"CAST({position} AS VARCHAR)",
    )
    found = f"spark_bit_get({value}, {position})"
    return f"(CASE WHEN {position} NOT BETWEEN 0 AND {bits - 1} AND {value} IS NOT NULL THEN {wrong} ELSE {found} END)"


fn("bit_get(integral, int) -> tinyint", bit_at, "getbit", keeps_alias=True)


# ---- hex, unhex, conv


def hex_type(call: Call) -> Typed:
    kind = implicit_type(call.types[0], ("bigint", "binary", "string"), call.settings.ansi)
    return Typed(STRING, False, (kind or STRING,), add_nullable_casts=True)


def write_hex(call: Any, value: str) -> str:
    type = call.arguments[0].type
    if is_string(type):
        return f"hex(encode({value}))"
    return f"hex({value})" if isinstance(type, BinaryType) else f"to_hex({value})"


fn("hex(bigint|binary|string)", write_hex, rule=hex_type)
fn("bin(bigint) -> string", "to_binary({0})")

# an odd number of digits gets a leading zero
UNHEX = "unhex(CASE WHEN length({0}) % 2 = 1 THEN '0' ELSE '' END || {0})"
fn("unhex(string) -> binary?", "(CASE WHEN regexp_full_match({0}, '[0-9A-Fa-f]*') THEN " + UNHEX + " END)")


def write_conv(call: Any, *arguments: str) -> str:
    return f"spark_conv{'_ansi' if call.settings.ansi else ''}({', '.join(arguments)})"


fn("conv(string, int, int) -> string?", write_conv)
# Without a seed, Spark chooses a random one, so any numbers of the same distribution are correct.
NORMAL = "(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))"
fn("rand() -> double!", "random()", "random", deterministic=False)
fn("rand(bigint) -> double!", SPARK, deterministic=False, cause=Cause(reasons.RANDOM_NUMBERS))
fn("randn() -> double!", NORMAL, deterministic=False)
fn("randn(bigint) -> double!", SPARK, deterministic=False, cause=Cause(reasons.RANDOM_NUMBERS))


# ---- buckets

fn("width_bucket(double, double, double, bigint) -> bigint?", "spark_width_bucket({0}, {1}, {2}, {3})")
