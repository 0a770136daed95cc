"""Comparison operators and IN: the type that both sides are cast to, and their SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from twinspark.errors import SparkError
from twinspark.functions.casts.common_types import common_type, force_nullable, string_promotion, tightest_common_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    different_data_types,
    different_operand_types,
    quote_expression,
    type_text,
)
from twinspark.functions.numbers.operands import check_number_text, literal_decimal, types_next_to_decimal
from twinspark.types import (
    BOOLEAN,
    DOUBLE,
    INTERVAL,
    ArrayType,
    BooleanType,
    CalendarIntervalType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    VariantType,
    as_nullable,
    has_inner,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    nested_types,
    same_structure,
    same_type,
    wider_decimal,
)


def comparison_types(call: Call) -> tuple[DataType, DataType]:
    left, right = call.types
    if call.name in EQUALITY and not call.settings.ansi and is_boolean_and_number(left, right):
        return (right, right) if isinstance(left, BooleanType) else (left, left)
    if is_string(left) != is_string(right):
        found = compared_string(call, left, right)
        if found is None:
            raise different_operand_types(call)
        return found, found
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        return compared_decimals(call)
    if not same_type(left, right) and compares_by_structure(left, right):
        return left, as_nullable(left)
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None:
        raise different_operand_types(call)
    return found, found


def compares_by_structure(left: DataType, right: DataType) -> bool:
    """Whether the types are structs that differ only in field names: they are compared by position. Maps cannot be
    compared."""
    return same_structure(left, right) and not has_inner(left, MapType)


EQUALITY = ("=", "==", "<=>", "!=")


def is_boolean_and_number(left: DataType, right: DataType) -> bool:
    """Without ANSI, a boolean that is compared with a number for equality becomes a number (BooleanEquality)."""
    return (isinstance(left, BooleanType) and is_numeric(right)) or (
        isinstance(right, BooleanType) and is_numeric(left)
    )


def compared_string(call: Call, left: DataType, right: DataType) -> DataType | None:
    """A string compared with another type is cast to that type (findCommonTypeForBinaryComparison)."""
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
        types_next_to_decimal(call, *call.types)
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
    if any(isinstance(inner, MapType | CalendarIntervalType | VariantType) for inner in nested_types(type)):
        raise SparkError(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            functionName=f"`{name}`",
            dataType=type_text(type),
            sqlExpr=quote_expression(call.text),
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
    """A whole constant compared with a decimal is first cast to a decimal of just its digits, which makes it
    nullable."""
    return is_integral(argument.type) and force_nullable(argument.type, literal_decimal(argument))


def whole_bound(call: Call) -> str | None:
    """A whole number compared with a decimal constant: Spark rounds the constant without changing the result, and shows
    the rounded one (DecimalPrecisionTypeCoercion)."""
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


def comparison_writer(operator: str) -> Callable[..., str]:
    """Spark orders nulls inside nested values first, DuckDB last."""

    def write(call: Any, left: str, right: str) -> str:
        if operator[0] in "<>" and isinstance(call.arguments[0].type, ArrayType | StructType):
            return f"(spark_compare([{left}], [{right}]) {operator} 0)"
        return f"({left} {operator} {right})"

    return write


fn("==(any, any)", comparison_writer("="), "=", rule=comparison)
fn("<(any, any)", comparison_writer("<"), rule=comparison)
fn("<=(any, any)", comparison_writer("<="), rule=comparison)
fn(">(any, any)", comparison_writer(">"), rule=comparison)
fn(">=(any, any)", comparison_writer(">="), rule=comparison)
fn("<=>(any, any)", comparison_writer("IS NOT DISTINCT FROM"), rule=comparison)


def equal_null(call: Call) -> Typed:
    return comparison(Call("<=>", call.arguments, call.settings, call.text))


fn("equal_null(any, any)", comparison_writer("IS NOT DISTINCT FROM"), rule=equal_null)


def are_alike(types: Sequence[DataType]) -> bool:
    """Structs are cast to a common type only if their fields have the same names; otherwise their types must be equal
    (In.checkInputDataTypes)."""
    structs = [type for type in types if isinstance(type, StructType)]
    if len({tuple(name.lower() for name in type.names) for type in structs}) < 2:
        return True
    return len({tuple(field.dataType.simpleString() for field in type.fields) for type in structs}) == 1


def in_list(call: Call) -> Typed:
    found = common_type(call.types, call.settings.ansi)
    if found is None or not are_alike(call.types):
        raise different_data_types(call, "in")
    check_comparable(call, found, "in")
    return Typed(BOOLEAN, False, [found] * len(call.arguments), add_nullable_casts=True)


def write_in(call: Any, value: str, *options: str) -> str:
    """Writes IN; DuckDB would take a single scalar subquery in parentheses for a list of its rows."""
    if len(options) == 1 and options[0].lstrip("( ").startswith("SELECT"):
        return f"({value} = {options[0]})"
    return f"({value} IN ({', '.join(options)}))" if options else "false"


fn("in(any, any...)", write_in, rule=in_list)
