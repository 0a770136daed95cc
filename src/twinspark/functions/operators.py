"""Arithmetic, comparison and logic: how operands meet, what comes out, and DuckDB's spelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.common_types import common_type, force_nullable, string_promotion, tightest_common_type
from twinspark.functions.elements import is_foldable
from twinspark.functions.intervals import interval_arithmetic, interval_scaled
from twinspark.functions.native_spelling import (
    sql_decimal_add,
    sql_decimal_divide,
    sql_decimal_integral_divide,
    sql_decimal_multiply,
    sql_decimal_remainder,
    sql_decimal_subtract,
)
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import ANSI_CONFIG, cast_to, error
from twinspark.functions.time_arithmetic import timestamp_arithmetic
from twinspark.functions.typing import (
    Call,
    Typed,
    different_data_types,
    different_operand_types,
    quoted,
    type_text,
    unexpected_input_type,
    wrong_operand_type,
)
from twinspark.types import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    ArrayType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StructType,
    YearMonthIntervalType,
    adjusted_decimal,
    as_nullable,
    decimal_for,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    nested_types,
    same_type,
    wider_decimal,
)

INPUTS = {
    "*": '"NUMERIC"',
    "%": '"NUMERIC"',
    "/": '("DOUBLE" or "DECIMAL")',
    "div": '("BIGINT" or "DECIMAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")',
}
ARITHMETIC_INPUT = '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'
TIMELY = (*DATETIME, *INTERVAL, CalendarIntervalType)


# ---- where two operands meet


def literal_decimal(argument: Any) -> DecimalType:
    """A whole-number literal beside a decimal takes only the digits it has (DataTypeUtils.fromLiteral)."""
    value = getattr(argument, "value", None)
    if isinstance(value, int) and not isinstance(value, bool):
        return DecimalType(max(len(str(abs(value))), 1), 0)
    return decimal_for(argument.type)


def operand_types(call: Call) -> tuple[DataType, DataType]:
    """The types both operands are cast to before the operator decides (PromoteStrings, DecimalPrecision)."""
    left, right = call.types
    if is_string(left) != is_string(right):
        left, right = promoted_strings(call, left, right)
    if isinstance(left, DecimalType) != isinstance(right, DecimalType):
        left, right = beside_decimal(call, left, right)
    return left, right


NUMBER_TEXT = re.compile(r"[+-]?[0-9]{1,18}")


def check_number_text(call: Call) -> None:
    """A constant text that is no number raises, but not beside a null: there Spark never looks at it."""
    for constant, other in (call.arguments, tuple(reversed(call.arguments))):
        value = getattr(constant, "value", None)
        if isinstance(value, str) and is_numeric(other.type) and other.nullable and not NUMBER_TEXT.fullmatch(value):
            raise NotNative("a text that may be no number beside a number that may be null")


def promoted_strings(call: Call, left: DataType, right: DataType) -> tuple[DataType, DataType]:
    if call.settings.ansi:
        check_number_text(call)
        found = string_promotion(left, right, True)
        return (found, found) if found is not None else (left, right)
    return (DOUBLE if is_string(left) else left, DOUBLE if is_string(right) else right)


def beside_decimal(call: Call, left: DataType, right: DataType) -> tuple[DataType, DataType]:
    def met(argument: Any, type: DataType) -> DataType:
        if isinstance(type, DecimalType):
            return DOUBLE if isinstance(left, FLOATING) or isinstance(right, FLOATING) else type
        return literal_decimal(argument) if is_integral(type) and type == argument.type else decimal_of(type)

    return met(call.arguments[0], left), met(call.arguments[1], right)


FLOATING = FloatType | DoubleType


def decimal_of(type: DataType) -> DataType:
    return decimal_for(type) if is_integral(type) else type


def refused_operands(call: Call, left: DataType, right: DataType, required: str) -> SparkError:
    """Spark casts operands only to a type that the operator takes: those it leaves apart differ, says the error."""
    return wrong_operand_type(call, required, left) if left == right else different_operand_types(call)


def numeric_operands(call: Call, nothing: DataType = DOUBLE) -> tuple[DataType, DataType]:
    """`nothing` is what two nulls are taken as."""
    left, right = operand_types(call)
    if is_null(left) and is_null(right):
        return nothing, nothing
    if not call.settings.ansi and is_string(left) and is_string(right):
        return DOUBLE, DOUBLE
    if not (isinstance(left, DecimalType) and isinstance(right, DecimalType)):
        found = tightest_common_type(left, right, call.settings.ansi)
        if found is None or (left != right and not is_numeric(found)):
            raise different_operand_types(call)
        left = right = found
    if not is_numeric(left):
        raise wrong_operand_type(call, INPUTS.get(call.name, ARITHMETIC_INPUT), left)
    return left, right


# ---- arithmetic


def add_type(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted_decimal(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def multiply_type(a: DecimalType, b: DecimalType) -> DecimalType:
    return adjusted_decimal(a.precision + b.precision + 1, a.scale + b.scale)


def divide_type(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(6, a.scale + b.precision + 1)
    return adjusted_decimal(a.precision - a.scale + b.scale + scale, scale)


def remainder_type(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted_decimal(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def arithmetic(decimal_type: Callable[[DecimalType, DecimalType], DecimalType]) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if any(isinstance(type, TIMELY) for type in call.types):
            typed = timely(call) if call.name in ("+", "-") else interval_scaled(call) if call.name == "*" else None
            if typed is None:
                raise NotNative(f"{call.name} of these dates or intervals")
            return typed
        left, right = numeric_operands(call)
        if isinstance(left, DecimalType) and isinstance(right, DecimalType):
            overflows = not call.settings.ansi  # to null
            return Typed(decimal_type(left, right), overflows, (left, right), add_nullable_casts=True)
        return Typed(left, False, (left, right), add_nullable_casts=True)

    return rule


def divide(call: Call) -> Typed:
    if any(isinstance(type, TIMELY) for type in call.types):
        typed = interval_scaled(call)
        if typed is None:
            raise NotNative("division of intervals")
        return typed
    if is_null(call.types[0]):
        check_divisor(call)
        return Typed(DOUBLE, True, (DOUBLE, DOUBLE))
    left, right = numeric_operands(call)
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return Typed(divide_type(left, right), True, (left, right))
    return Typed(DOUBLE, True, (DOUBLE, DOUBLE))


def check_divisor(call: Call) -> None:
    """Of a null: what is no number is refused."""
    right = call.types[1]
    if is_string(right) and call.settings.ansi:
        raise wrong_operand_type(
            call, '("DOUBLE" or "DECIMAL" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")', right
        )
    if not (is_numeric(right) or is_null(right) or is_string(right)):
        raise different_operand_types(call)


WHOLE_INPUT = '("BIGINT" or "DECIMAL" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")'


def integral_divide(call: Call) -> Typed:
    if any(isinstance(type, TIMELY) for type in call.types):
        raise NotNative("div of intervals")
    left, right = numeric_operands(call, LONG)
    if isinstance(left, FLOATING):
        raise refused_operands(call, *operand_types(call), WHOLE_INPUT)
    if isinstance(left, DecimalType):
        return Typed(LONG, True, (left, right))
    return Typed(LONG, True, (LONG, LONG))


def remainder(call: Call) -> Typed:
    left, right = numeric_operands(call)
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return Typed(remainder_type(left, right), True, (left, right))
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


def wrapped(sql: str, type: DataType) -> str:
    """Java's wrap-around: the low bits of an exact result, as a signed number."""
    half = 1 << (BITS[type.__class__] - 1)
    return cast_to(f"((({sql}) + {half}) % {2 * half} + {2 * half}) % {2 * half} - {half}", type)


def sum_like(operator: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        if isinstance(call.type, DecimalType):
            return decimal_call(sql_decimal_add if operator == "+" else sql_decimal_subtract, call, left, right)
        if is_integral(call.type) and not call.settings.ansi:
            wide = "HUGEINT" if isinstance(call.type, IntegerType | LongType) else "INTEGER"
            return wrapped(f"CAST({left} AS {wide}) {operator} CAST({right} AS {wide})", call.type)
        return f"({left} {operator} {right})"

    return write


def times(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_multiply, call, left, right)
    if is_integral(call.type) and not call.settings.ansi:
        return wrapped(f"CAST({left} AS HUGEINT) * CAST({right} AS HUGEINT)", call.type)
    return f"({left} * {right})"


def decimal_call(spell: Callable[..., str], call: Any, left: str, right: str) -> str:
    a, b = (argument.type for argument in call.arguments)
    result = (call.type.precision, call.type.scale)
    return spell(left, (a.precision, a.scale), right, (b.precision, b.scale), result, call.settings.ansi)


def divided(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_divide, call, left, right)
    if not call.settings.ansi:
        return f"({left} / nullif({right}, 0))"
    zero = error("DIVIDE_BY_ZERO", config=ANSI_CONFIG)
    return f"(CASE WHEN {right} = 0 AND {left} IS NOT NULL THEN {zero} ELSE {left} / nullif({right}, 0) END)"


def integral_divided(call: Any, left: str, right: str) -> str:
    if isinstance(call.arguments[0].type, DecimalType):
        a, b = ((argument.type.precision, argument.type.scale) for argument in call.arguments)
        return sql_decimal_integral_divide(left, a, right, b, call.settings.ansi)
    if call.settings.ansi:
        return f"({left} // {right})"
    return wrapped(f"CAST({left} AS HUGEINT) // nullif({right}, 0)", call.type)


def remained(call: Any, left: str, right: str) -> str:
    if isinstance(call.type, DecimalType):
        return decimal_call(sql_decimal_remainder, call, left, right)
    if not call.settings.ansi:
        return cast_to(f"{left} % nullif({right}, 0)", call.type)
    if isinstance(call.type, FLOATING):
        zero = error("REMAINDER_BY_ZERO", config=ANSI_CONFIG)
        return f"(CASE WHEN {right} = 0 AND {left} IS NOT NULL THEN {zero} ELSE {left} % nullif({right}, 0) END)"
    if right.isdigit():
        return f"({left} % {right})"
    return f"(CASE WHEN {right} = -1 THEN {left} - {left} ELSE {left} % {right} END)"  # the smallest number over -1


def negated(call: Any, value: str) -> str:
    if isinstance(call.type, DecimalType) and call.type.precision == 38:
        raise NotNative("the negative of a decimal of 38 digits")
    if not is_integral(call.type):
        return f"(-{value})"
    if not call.settings.ansi:
        return wrapped(f"-CAST({value} AS HUGEINT)", call.type)
    return checked_sign(f"-{value}", value, call.type)


def checked_sign(made: str, value: str, type: DataType) -> str:
    """The smallest number has no positive counterpart."""
    least = -(1 << (BITS[type.__class__] - 1))
    raised = error("ARITHMETIC_OVERFLOW", message="overflow", alternative="", config=ANSI_CONFIG)
    return f"(CASE WHEN {value} = {least} THEN {raised} ELSE {cast_to(made, type)} END)"


fn("+(any, any)", sum_like("+"), rule=arithmetic(add_type))
fn("-(any, any)", sum_like("-"), rule=arithmetic(add_type))
fn("*(any, any)", times, rule=arithmetic(multiply_type))
fn("/(any, any)", divided, rule=divide)
fn("div(any, any)", integral_divided, rule=integral_divide)
fn("%(any, any)", remained, rule=remainder)
fn("mod(any, any)", remained, rule=remainder)
fn("negative(any)", negated, rule=negative)


def positive(call: Call) -> Typed:
    return replace(negative(call), text=f"(+ {call.arguments[0].text})")


fn("positive(any)", "{0}", rule=positive)


def bitwise(call: Call) -> Typed:
    left, right = operand_types(call)
    if is_null(left) and is_null(right):
        return Typed(INT, True, (INT, INT))
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None or not is_integral(found):
        raise refused_operands(call, left, right, '"INTEGRAL"')
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


# ---- comparison


def comparison_types(call: Call) -> tuple[DataType, DataType]:
    left, right = call.types
    if call.name in EQUALITY and not call.settings.ansi and is_truth_beside_number(left, right):
        return (right, right) if isinstance(left, BooleanType) else (left, left)
    if is_string(left) != is_string(right):
        found = compared_string(call, left, right)
        if found is None:
            raise different_operand_types(call)
        return found, found
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        return compared_decimals(call)
    if not same_type(left, right) and same_structure(left, right):
        return left, as_nullable(left)
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None:
        raise different_operand_types(call)
    return found, found


def same_structure(left: DataType, right: DataType) -> bool:
    """Structs whose fields differ in their names alone are compared place by place (DataType.equalsStructurally)."""
    if isinstance(left, StructType) and isinstance(right, StructType):
        pairs = list(zip(left.fields, right.fields, strict=False))
        alike = all(same_structure(a.dataType, b.dataType) for a, b in pairs)
        return len(left.fields) == len(right.fields) and alike
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return same_structure(left.elementType, right.elementType)
    return left == right and not isinstance(left, MapType)


EQUALITY = ("=", "==", "<=>", "!=")


def is_truth_beside_number(left: DataType, right: DataType) -> bool:
    """Without ANSI the truth becomes a number, where they are compared for equality (BooleanEquality)."""
    return (isinstance(left, BooleanType) and is_numeric(right)) or (
        isinstance(right, BooleanType) and is_numeric(left)
    )


def compared_string(call: Call, left: DataType, right: DataType) -> DataType | None:
    """A string beside another type: the other type wins (TypeCoercion.findCommonTypeForBinaryComparison)."""
    if call.settings.ansi:
        check_number_text(call)
        return string_promotion(left, right, True)
    other = right if is_string(left) else left
    if is_null(other):
        return left if is_string(left) else right
    if isinstance(other, DecimalType):
        return DOUBLE if other.scale > 0 else other
    unlike = (*INTERVAL, CalendarIntervalType, ArrayType, MapType, StructType)
    return None if isinstance(other, unlike) else other


def compared_decimals(call: Call) -> tuple[DataType, DataType]:
    left, right = (
        beside_decimal(call, *call.types)
        if sum(isinstance(t, DecimalType) for t in call.types) == 1
        else (
            call.types[0],
            call.types[1],
        )
    )
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        wide = wider_decimal(left, right)
        return wide, wide
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None:
        raise different_operand_types(call)
    return found, found


def check_comparable(call: Call, type: DataType, name: str) -> None:
    if any(isinstance(inner, MapType | CalendarIntervalType) for inner in nested_types(type)):
        raise SparkError(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            functionName=f"`{name}`",
            dataType=type_text(type),
            sqlExpr=quoted(call.text),
        )


def comparison(call: Call) -> Typed:
    left, right = comparison_types(call)
    name = {"==": "=", "!=": "=", "<=>": "<=>"}.get(call.name, call.name)
    check_comparable(call, left, name)
    shown = whole_bound(call)
    if shown is not None:
        return Typed(BOOLEAN, call.any_nullable, (left, right), text=shown)
    narrowed = call.name != "<=>" and isinstance(left, DecimalType) and any(map(is_narrowed, call.arguments))
    return Typed(BOOLEAN, narrowed, (left, right), add_nullable_casts=call.name != "<=>")


def is_narrowed(argument: Any) -> bool:
    """A whole constant beside a decimal is first cast to just its digits, which its type may exceed: nullable."""
    return is_integral(argument.type) and force_nullable(argument.type, literal_decimal(argument))


def whole_bound(call: Call) -> str | None:
    """A whole number beside a decimal constant: Spark compares, and shows, the constant rounded to the side that
    changes nothing (DecimalPrecisionTypeCoercion)."""
    a, b = call.arguments
    operator = call.name
    if operator not in ROUNDS_UP or isinstance(a.type, DecimalType) == isinstance(b.type, DecimalType):
        return None
    flipped = isinstance(a.type, DecimalType)
    constant, other = (a, b) if flipped else (b, a)
    value = getattr(constant, "value", None)
    if value is None or not is_integral(other.type) or not -(1 << 63) <= value < 1 << 63:
        return None
    rounding = ROUND_CEILING if ROUNDS_UP[operator] != flipped else ROUND_FLOOR
    whole = value.to_integral_value(rounding=rounding)
    return f"({whole:f} {operator} {b.text})" if flipped else f"({a.text} {operator} {whole:f})"


ROUNDS_UP = {">": False, ">=": True, "<": True, "<=": False}


def compared(operator: str) -> Callable[..., str]:
    """DuckDB orders nulls inside nested values last, Spark first."""

    def write(call: Any, left: str, right: str) -> str:
        if operator[0] in "<>" and isinstance(call.arguments[0].type, ArrayType | StructType):
            return f"(spark_compare([{left}], [{right}]) {operator} 0)"
        return f"({left} {operator} {right})"

    return write


fn("==(any, any)", compared("="), "=", rule=comparison)
fn("<(any, any)", compared("<"), rule=comparison)
fn("<=(any, any)", compared("<="), rule=comparison)
fn(">(any, any)", compared(">"), rule=comparison)
fn(">=(any, any)", compared(">="), rule=comparison)
fn("<=>(any, any)", compared("IS NOT DISTINCT FROM"), rule=comparison)


def equal_null(call: Call) -> Typed:
    return comparison(Call("<=>", call.arguments, call.settings, call.text))


fn("equal_null(any, any)", compared("IS NOT DISTINCT FROM"), rule=equal_null)


def in_list(call: Call) -> Typed:
    found = common_type(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, "in")
    check_comparable(call, found, "in")
    return Typed(BOOLEAN, False, [found] * len(call.arguments), add_nullable_casts=True)


def written_in(call: Any, value: str, *options: str) -> str:
    return f"({value} IN ({', '.join(options)}))" if options else "false"


fn("in(any, any...)", written_in, rule=in_list)


# ---- logic


def has_decimal(call: Call) -> bool:
    return any(isinstance(type, DecimalType) for type in call.types) and not any(map(is_string, call.types))


def logical(call: Call) -> Typed:
    left, right = operand_types(call) if call.settings.ansi or has_decimal(call) else call.types
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None or not (isinstance(found, BooleanType) or is_null(found)):
        raise refused_operands(call, left, right, '"BOOLEAN"')
    return Typed(BOOLEAN, False, (BOOLEAN, BOOLEAN), add_nullable_casts=True)


fn("and(any, any)", "({0} AND {1})", rule=logical)
fn("or(any, any)", "({0} OR {1})", rule=logical)
fn("not(boolean) -> boolean", "(NOT {0})", "!")


def null_test(words: str, of_map: str) -> Any:
    """A map is never null, and Spark does not make it to find out: its keys may be wrong."""

    def write(call: Any, value: str) -> str:
        if getattr(call.arguments[0], "name", "") != "map":
            return f"({value} {words})"
        if not is_foldable(call.arguments[0]):
            raise NotNative("whether a map made in place is null")
        return of_map

    return write


fn("isnull(any?) -> boolean!", null_test("IS NULL", "false"))
fn("isnotnull(any?) -> boolean!", null_test("IS NOT NULL", "true"))


def not_a_number(call: Any, value: str) -> str:
    return f"coalesce(isnan({value}), false)"


fn("isnan(double|float?) -> boolean!", not_a_number)


# ---- dates, timestamps and intervals


def timely(call: Call) -> Typed | None:
    """+ and - where a date, a timestamp or an interval takes part (BinaryArithmeticWithDatetimeResolver)."""
    left, right = call.types
    moves = isinstance(left, (*INTERVAL, CalendarIntervalType)) and isinstance(right, DATETIME)
    days = isinstance(right, DateType) and not isinstance(left, (*TIMELY, NullType))
    if call.name == "+" and (moves or days):
        swapped = Call("+", (call.arguments[1], call.arguments[0]), call.settings, call.text)
        return replace_order(timely(swapped))
    if isinstance(left, DateType) and is_integral(right):
        return days_moved(call)
    if isinstance(left, DateType) and isinstance(right, YearMonthIntervalType):
        return months_moved(call)
    if isinstance(left, DateType) and is_days(right):
        return interval_days(call)
    if call.name == "-" and isinstance(left, DateType) and isinstance(right, DateType):
        writer = "CAST({0} - {1} AS BIGINT) * 86400000000"
        return Typed(DayTimeIntervalType(0, 0), call.any_nullable, writer=writer)
    return timestamp_arithmetic(call) or interval_arithmetic(call)


def replace_order(typed: Typed | None) -> Typed | None:
    """The operands stood the other way round."""
    if typed is None or not isinstance(typed.writer, str):
        return None
    turned = typed.writer.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    casts = None if typed.casts is None else tuple(reversed(typed.casts))
    return Typed(typed.type, typed.nullable, casts, turned, typed.text)


def days_moved(call: Call) -> Typed:
    date, days = call.arguments
    name = "date_add" if call.name == "+" else "date_sub"
    if isinstance(days.type, LongType):
        raise NotNative("a date and a bigint")
    return Typed(
        date.type, call.any_nullable, (None, INT), f"({{0}} {call.name} {{1}})", f"{name}({date.text}, {days.text})"
    )


def months_moved(call: Call) -> Typed:
    date, months = call.arguments
    writer = f"CAST({{0}} {call.name} to_months({{1}}) AS DATE)"
    return Typed(date.type, call.any_nullable, None, writer, f"{date.text} {call.name} {months.text}")


def is_days(type: DataType) -> bool:
    return isinstance(type, DayTimeIntervalType) and type.startField == type.endField == 0


def interval_days(call: Call) -> Typed:
    date, days = call.arguments
    writer = f"({{0}} {call.name} CAST({{1}} // 86400000000 AS INTEGER))"
    moved = f"extractansiintervaldays({days.text})"
    text = f"date_add({date.text}, {moved if call.name == '+' else f'(- {moved})'})"
    return Typed(date.type, call.any_nullable, None, writer, text)
