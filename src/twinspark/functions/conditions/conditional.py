"""Conditional functions: if, coalesce, nullif, nvl, greatest, least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import common_type, common_type_without_strings, force_nullable
from twinspark.functions.conditions.comparison import check_comparable
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, different_data_types, unexpected_input_type
from twinspark.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    ArrayType,
    BooleanType,
    CalendarIntervalType,
    DataType,
    FloatType,
    MapType,
    StructType,
    VariantType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import cast_to


def may_be_null(arguments: Sequence[Any], type: DataType) -> list[bool]:
    """Nullability of the arguments after their casts: a cast from string counts as nullable, under ANSI too."""
    return [a.nullable or (a.type != type and force_nullable(a.type, type)) for a in arguments]


def coalesce_type(call: Call) -> Typed:
    found = common_type(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, "coalesce")
    return Typed(found, all(may_be_null(call.arguments, found)), [found] * len(call.arguments))


fn("coalesce(any...+)", "coalesce({args})", rule=coalesce_type)
fn("nvl(any, any)", "coalesce({args})", "ifnull", rule=coalesce_type, keeps_alias=True)


def if_type(call: Call) -> Typed:
    condition, *_ = call.types
    if not isinstance(condition, BooleanType) and not is_null(condition):
        raise unexpected_input_type(call, 0, '"BOOLEAN"')
    found = common_type(call.types[1:], call.settings.ansi)
    if found is None and is_null(condition):
        raise unexpected_input_type(call, 0, '"BOOLEAN"')  # since it was not cast to boolean
    if found is None:
        raise different_data_types(call, "if")
    nullable = any(may_be_null(call.arguments[1:], found))
    return Typed(found, nullable, (BOOLEAN, found, found))


fn("if(any, any, any)", "(CASE WHEN {0} THEN {1} ELSE {2} END)", rule=if_type)


def nvl2_type(call: Call) -> Typed:
    found = common_type(call.types[1:], call.settings.ansi)
    if found is None:
        raise different_data_types(call, "if")
    return Typed(found, any(may_be_null(call.arguments[1:], found)), (None, found, found))


fn("nvl2(any, any, any)", "(CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END)", rule=nvl2_type)


def extreme_type(call: Call) -> Typed:
    found = common_type_without_strings(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, call.name)
    check_comparable(call, found, call.name)
    return Typed(found, all(may_be_null(call.arguments, found)), [found] * len(call.arguments))


def scalar_extreme(name: str) -> Any:
    def write(call: Any, *arguments: str) -> str:
        values = ", ".join(arguments)
        if isinstance(call.type, ArrayType | StructType):  # DuckDB orders nulls inside nested values differently
            return f"([{values}])[spark_array_{'max' if name == 'greatest' else 'min'}([{values}])]"
        if isinstance(call.type, FloatType):  # DuckDB compares floats by keys that are the same for -0.0 and 0.0
            return cast_to(f"{name}({', '.join(f'CAST({each} AS DOUBLE)' for each in arguments)})", call.type)
        return f"{name}({values})"

    return write


fn("greatest(any, any...+)", scalar_extreme("greatest"), rule=extreme_type)
fn("least(any, any...+)", scalar_extreme("least"), rule=extreme_type)


def nanvl_type(call: Call) -> Typed:
    """For floats and doubles; a null replacement gets the type of the value."""
    left, right = call.types
    if is_null(right):
        return Typed(left, True, (None, left))
    wide = left if isinstance(left, FloatType) and isinstance(right, FloatType) else DOUBLE
    return Typed(wide, any(may_be_null(call.arguments, wide)), (wide, wide))


fn("nanvl(double|float, double|float)", "(CASE WHEN isnan({0}) THEN {1} ELSE {0} END)", rule=nanvl_type)


# ---- nullif and similar: Spark compares values after casts, but returns the value before its cast


def nullif_type(call: Call) -> Typed:
    left, right = call.types
    if (
        isinstance(left, (ArrayType, StructType, MapType, CalendarIntervalType, VariantType))
        or is_null(left)
        or is_string(left) != is_string(right)
    ):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"nullif of {left.simpleString()} and {right.simpleString()}")
    if left == right or (is_integral(left) and is_integral(right)):
        return Typed(left, True)
    if common_type([left, right], call.settings.ansi) != left:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"nullif of {left.simpleString()} and {right.simpleString()}")
    return Typed(left, True, (None, left))


fn("nullif(any, any)", "nullif({0}, {1})", rule=nullif_type)


def number_type(call: Call) -> Typed:
    (type,) = call.types
    if not is_numeric(type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
    return Typed(type, True)


def zero_type(call: Call) -> Typed:
    found = common_type([call.types[0], INT], call.settings.ansi)
    if found is None or not is_numeric(call.types[0]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {call.types[0].simpleString()}")
    return Typed(found, False, (found,))


fn("nullifzero(any)", "nullif({0}, 0)", rule=number_type)
fn("zeroifnull(any)", "coalesce({0}, CAST(0 AS {type}))", rule=zero_type)
