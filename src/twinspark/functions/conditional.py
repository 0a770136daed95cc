"""Conditions and nulls: if, coalesce, nullif, greatest and their kin."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.common_types import common_type, common_type_without_strings
from twinspark.functions.operators import check_comparable
from twinspark.functions.registry import fn
from twinspark.functions.typing import Call, Typed, different_data_types, unexpected_input_type
from twinspark.types import BOOLEAN, DOUBLE, ArrayType, BooleanType, FloatType, StructType, is_null


def coalesced(call: Call) -> Typed:
    found = common_type(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, "coalesce")
    return Typed(found, all(a.nullable for a in call.arguments), [found] * len(call.arguments))


fn("coalesce(any...+)", "coalesce({args})", rule=coalesced)
fn("nvl(any, any)", "coalesce({args})", "ifnull", rule=coalesced, keeps_alias=True)


def if_type(call: Call) -> Typed:
    condition, *_ = call.types
    if not isinstance(condition, BooleanType) and not is_null(condition):
        raise unexpected_input_type(call, 0, '"BOOLEAN"')
    found = common_type(call.types[1:], call.settings.ansi)
    if found is None:
        raise different_data_types(call, "if")
    nullable = any(a.nullable for a in call.arguments[1:])
    return Typed(found, nullable, (BOOLEAN, found, found))


fn("if(any, any, any)", "(CASE WHEN {0} THEN {1} ELSE {2} END)", rule=if_type)


def nvl2_type(call: Call) -> Typed:
    found = common_type(call.types[1:], call.settings.ansi)
    if found is None:
        raise different_data_types(call, "if")
    return Typed(found, any(a.nullable for a in call.arguments[1:]), (None, found, found))


fn("nvl2(any, any, any)", "(CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END)", rule=nvl2_type)


def extreme_type(call: Call) -> Typed:
    found = common_type_without_strings(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, call.name)
    check_comparable(call, found, call.name)
    return Typed(found, all(a.nullable for a in call.arguments), [found] * len(call.arguments))


def scalar_extreme(name: str) -> Any:
    def write(call: Any, *arguments: str) -> str:
        if isinstance(call.type, ArrayType | StructType):
            raise NotNative(f"{name} of nested values")
        return f"{name}({', '.join(arguments)})"

    return write


fn("greatest(any, any...+)", scalar_extreme("greatest"), rule=extreme_type)
fn("least(any, any...+)", scalar_extreme("least"), rule=extreme_type)


def nanvl_type(call: Call) -> Typed:
    """Floats and doubles; a null replacement takes the value's type."""
    left, right = call.types
    if is_null(right):
        return Typed(left, True, (None, left))
    wide = DOUBLE if DOUBLE in (left, right) or not isinstance(left, FloatType) else left
    return Typed(wide, call.any_nullable, (wide, wide))


fn("nanvl(double|float, double|float)", "(CASE WHEN isnan({0}) THEN {1} ELSE {0} END)", rule=nanvl_type)
