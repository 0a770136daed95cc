"""Arithmetic and bitwise operators: result types and SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import tightest_common_type
from twinspark.functions.notation.decimal_sql import (
    sql_decimal_add,
    sql_decimal_divide,
    sql_decimal_integral_divide,
    sql_decimal_multiply,
    sql_decimal_remainder,
    sql_decimal_subtract,
)
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    different_operand_types,
    unexpected_input_type,
    wrong_operand_type,
)
from twinspark.functions.numbers.decimal_arithmetic import (
    add_type,
    decimal_call,
    divide_type,
    multiply_type,
    remainder_type,
)
from twinspark.functions.numbers.operands import (
    ARITHMETIC_INPUT,
    FLOATING,
    invalid_operands,
    numeric_operands,
    operand_types,
)
from twinspark.functions.time.date_arithmetic import TIMELY, datetime_arithmetic
from twinspark.functions.time.intervals import divide_intervals, interval_scaling
from twinspark.functions.time.operand_errors import operand_error
from twinspark.types import (
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    ByteType,
    CalendarIntervalType,
    DataType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    YearMonthIntervalType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import cast_to


def arithmetic(decimal_type: Callable[[DecimalType, DecimalType, bool], DecimalType]) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if any(isinstance(type, TIMELY) for type in call.types):
            typed = (
                datetime_arithmetic(call)
                if call.name in ("+", "-")
                else interval_scaling(call)
                if call.name == "*"
                else None
            )
            if typed is None:
                raise operand_error(call)
            return typed
        left, right = numeric_operands(call)
        if isinstance(left, DecimalType) and isinstance(right, DecimalType):
            overflows = not call.settings.ansi  # overflows become null
            return Typed(
                decimal_type(left, right, call.settings.loses_digits), overflows, (left, right), add_nullable_casts=True
            )
        return Typed(left, False, (left, right), add_nullable_casts=True)

    return rule


def divide(call: Call) -> Typed:
    if any(isinstance(type, TIMELY) for type in call.types):
        typed = interval_scaling(call)
        if typed is None:
            raise operand_error(call)
        return typed
    if is_null(call.types[0]):
        check_divisor(call)
        return Typed(DOUBLE, True, (DOUBLE, DOUBLE))
    left, right = numeric_operands(call)
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return Typed(divide_type(left, right, call.settings.loses_digits), True, (left, right))
    # when the other operand is a whole number
    read = LONG if isinstance(left, LongType) and any(map(is_string, call.types)) else DOUBLE
    return Typed(DOUBLE, True, (read, read))


def check_divisor(call: Call) -> None:
    """For a null operand: an operand that is not a number is an error."""
    right = call.types[1]
    if is_string(right) and call.settings.ansi:
        raise wrong_operand_type(
            call, '("DOUBLE" or "DECIMAL" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")', right
        )
    if not (is_numeric(right) or is_null(right) or is_string(right)):
        raise different_operand_types(call)


WHOLE_INPUT = '("BIGINT" or "DECIMAL" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")'


def integral_divide(call: Call) -> Typed:
    if all(isinstance(type, INTERVAL) for type in call.types):
        return divide_intervals(call)
    if any(isinstance(type, TIMELY) for type in call.types):
        raise NotNative(reasons.DATETIME_ARITHMETIC, "div of dates, or of an interval and a number")
    left, right = numeric_operands(call, LONG)
    if isinstance(left, FLOATING):
        raise invalid_operands(call, *operand_types(call), WHOLE_INPUT)
    if isinstance(left, DecimalType):
        return Typed(LONG, True, (left, right))
    return Typed(LONG, True, (LONG, LONG))


def remainder(call: Call) -> Typed:
    left, right = numeric_operands(call)
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return Typed(remainder_type(left, right, call.settings.loses_digits), True, (left, right))
    return Typed(left, True, (left, right))


def negative(call: Call) -> Typed:
    (type,) = call.types
    if is_string(type) or is_null(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if isinstance(type, CalendarIntervalType):
        return Typed(type, call.arguments[0].nullable, writer=SPARK)
    if not is_numeric(type) and not isinstance(type, INTERVAL):
        raise unexpected_input_type(call, 0, ARITHMETIC_INPUT)
    return Typed(type, call.arguments[0].nullable)


BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
WIDER = {8: "INTEGER", 16: "INTEGER", 32: "BIGINT", 64: "HUGEINT"}


def wrap_around(sql: str, type: DataType) -> str:
    """Wraps an exact result around to the type's range, as Java does."""
    half = 1 << (BITS[type.__class__] - 1)
    return cast_to(f"((({sql}) + {half}) % {2 * half} + {2 * half}) % {2 * half} - {half}", type)


# DuckDB moves constants to the other side of a comparison, and out of sums, where an operator is written as a symbol:
# then nothing overflows. It does not move calls by name.
NAMED = {"+": "add", "-": "subtract", "*": "multiply"}


def write_checked(operator: str, call: Any, left: str, right: str) -> str:
    return f"{NAMED[operator]}({left}, {right})" if is_integral(call.type) else f"({left} {operator} {right})"


def in_one_pass(function: str, type: DataType, *operands: str) -> str:
    """The name of the extension's function for ints and bigints (duck/native/numbers/integer_arithmetic.c)."""
    return f"spark_{function}({', '.join(cast_to(operand, type) for operand in operands)})"


def write_wrapping(operator: str, type: DataType, left: str, right: str) -> str:
    """Without ANSI; tinyint and smallint are first computed as ints."""
    if isinstance(type, IntegerType | LongType):
        return in_one_pass(f"wrapped_{NAMED[operator]}", type, left, right)
    return wrap_around(f"CAST({left} AS INTEGER) {operator} CAST({right} AS INTEGER)", type)


def sum_like(operator: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        if isinstance(call.type, DecimalType):
            return decimal_call(sql_decimal_add if operator == "+" else sql_decimal_subtract, call, left, right)
        if is_integral(call.type) and not call.settings.ansi:
            return write_wrapping(operator, call.type, left, right)
        return write_checked(operator, call, left, right)

    return write


def times(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_multiply, call, left, right)
    if is_integral(call.type) and not call.settings.ansi:
        return write_wrapping("*", call.type, left, right)
    return write_checked("*", call, left, right)


Writer = Callable[[Any, str, str], str]


def divisor_first(write: Writer) -> Writer:
    """Spark evaluates the divisor first (DivModLike): if it is null, the dividend is not evaluated and cannot fail."""

    def write_guarded(call: Any, left: str, right: str) -> str:
        dividend, divisor = call.arguments
        if call.settings.ansi and divisor.nullable and may_fail(dividend):
            left = f"(CASE WHEN {right} IS NOT NULL THEN {left} END)"
        return write(call, left, right)

    return write_guarded


def may_fail(argument: Any) -> bool:
    """Whether evaluating the argument may raise; columns, constants and widening casts cannot."""
    child = getattr(argument, "child", None)
    if child is None:
        return not (hasattr(argument, "index") or hasattr(argument, "value"))
    source, target = child.type, argument.type
    longer = is_integral(source) and is_integral(target) and BITS[type(source)] <= BITS[type(target)]
    return may_fail(child) or not (longer or (is_numeric(source) and isinstance(target, DoubleType)))


@divisor_first
def write_divide(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_divide, call, left, right)
    if isinstance(call.arguments[0].type, LongType):  # since a string was cast to bigint
        left, right = cast_to(left, DOUBLE), cast_to(right, DOUBLE)
    if not call.settings.ansi:
        return f"({left} / nullif({right}, 0))"
    if as_whole := whole_operands(call, left, right):
        return f"spark_divide_whole({as_whole})"
    return f"spark_divide({left}, {right})"


def whole_operands(call: Any, *operands: str) -> str:
    """The operands before their casts to double, if all are INT or all are BIGINT: one pass instead of three."""
    sources = {type(getattr(getattr(argument, "child", None), "type", None)) for argument in call.arguments}
    are_casts = all(sql.startswith("CAST(") and sql.endswith(" AS DOUBLE)") for sql in operands)
    if not are_casts or sources not in ({IntegerType}, {LongType}):
        return ""
    return ", ".join(sql.removeprefix("CAST(").removesuffix(" AS DOUBLE)") for sql in operands)


@divisor_first
def integral_divided(call: Any, left: str, right: str) -> str:
    if isinstance(call.arguments[0].type, DecimalType):
        a, b = ((argument.type.precision, argument.type.scale) for argument in call.arguments)
        return sql_decimal_integral_divide(left, a, right, b, call.settings.ansi)
    if call.settings.ansi:
        return f"({left} // {right})"
    return in_one_pass("div_or_null", call.type, left, right)


@divisor_first
def write_remainder(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_remainder, call, left, right)
    if not call.settings.ansi:
        return cast_to(f"{left} % nullif({right}, 0)", call.type)
    if isinstance(call.type, FLOATING):
        zero = error("REMAINDER_BY_ZERO", config=ANSI_CONFIG)
        return f"(CASE WHEN {right} = 0 AND {left} IS NOT NULL THEN {zero} ELSE {left} % nullif({right}, 0) END)"
    if is_positive_constant(call.arguments[1]):
        return f"({left} % {right})"
    # the least value divided by -1 would overflow
    return f"(CASE WHEN {right} = -1 THEN {left} - {left} ELSE {left} % {right} END)"


def is_positive_constant(argument: Any) -> bool:
    """Whether it is a positive whole number, or a cast of one to a wider type."""
    child = getattr(argument, "child", None)
    if child is None:
        return isinstance(value := getattr(argument, "value", None), int) and value > 0
    return is_integral(argument.type) and not may_fail(argument) and is_positive_constant(child)


def check_digits(type: DataType) -> None:
    """Scala's BigDecimal negates in a context of 34 digits, which rounds longer decimals."""
    if isinstance(type, DecimalType) and type.precision > 34:
        raise NotNative(reasons.DECIMAL_PRECISION, "the negation of a decimal with more than 34 digits")


def write_negative(call: Any, value: str) -> str:
    check_digits(call.type)
    if isinstance(call.type, INTERVAL):
        return negated_interval(value, call.type)
    if not is_integral(call.type):
        return f"(-{value})"
    return with_sign("negative", "-", value, call.type, call.settings.ansi)


def negated_interval(value: str, type: DataType) -> str:
    least = -(1 << (31 if isinstance(type, YearMonthIntervalType) else 63))
    overflow = error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
    return f"(CASE WHEN {value} = CAST('{least}' AS HUGEINT) THEN {overflow} ELSE {cast_to(f'(-{value})', type)} END)"


def with_sign(name: str, spelled: str, value: str, type: DataType, ansi: bool) -> str:
    """abs and negative, for common types in one pass (duck/native/numbers/integer_casts.c and integer_arithmetic.c)."""
    if isinstance(type, IntegerType | LongType):
        return in_one_pass(name if ansi else f"wrapped_{name}", type, value)
    if not ansi:
        return wrap_around(f"{spelled}(CAST({value} AS INTEGER))", type)
    return checked_sign(f"{spelled}({value})", value, type)


def checked_sign(made: str, value: str, type: DataType) -> str:
    """Raises for the least value of the type, which has no positive counterpart."""
    least = -(1 << (BITS[type.__class__] - 1))
    raised = error("ARITHMETIC_OVERFLOW", message="overflow", alternative="", config=ANSI_CONFIG)
    return f"(CASE WHEN {value} = {least} THEN {raised} ELSE {cast_to(made, type)} END)"


fn("+(any, any)", sum_like("+"), rule=arithmetic(add_type))
fn("-(any, any)", sum_like("-"), rule=arithmetic(add_type))
fn("*(any, any)", times, rule=arithmetic(multiply_type))
fn("/(any, any)", write_divide, rule=divide)
fn("div(any, any)", integral_divided, rule=integral_divide)
fn("%(any, any)", write_remainder, rule=remainder)
fn("mod(any, any)", write_remainder, rule=remainder)
fn("negative(any)", write_negative, rule=negative)


def positive(call: Call) -> Typed:
    shown = f"(+ {call.arguments[0].text})"
    return replace(negative(replace(call, text=shown)), text=shown)


fn("positive(any)", "{0}", rule=positive)


def bitwise(call: Call) -> Typed:
    left, right = operand_types(call)
    if is_null(left) and is_null(right):
        return Typed(INT, True, (INT, INT))
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None or not is_integral(found):
        raise invalid_operands(call, left, right, '"INTEGRAL"')
    return Typed(found, False, (found, found), add_nullable_casts=True)


fn("&(any, any)", "({0} & {1})", rule=bitwise)
fn("|(any, any)", "({0} | {1})", rule=bitwise)
fn("^(any, any)", "xor({0}, {1})", rule=bitwise)


def bitwise_not(call: Call) -> Typed:
    (type,) = call.types
    if is_null(type):
        return Typed(INT, True, (INT,))
    if not is_integral(type):
        raise unexpected_input_type(call, 0, '"INTEGRAL"')
    return Typed(type, call.any_nullable)


fn("~(any)", "(~{0})", rule=bitwise_not)
