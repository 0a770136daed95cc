"""concat of strings, binary values and arrays, and concat_ws."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import can_up_cast, common_type
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, different_data_types, unexpected_input_type
from twinspark.types import (
    BINARY,
    STRING,
    ArrayType,
    BinaryType,
    CalendarIntervalType,
    DataType,
    MapType,
    StructType,
    is_null,
)


def concat_type(call: Call) -> Typed:
    if all(isinstance(t, ArrayType) for t in call.types) and call.types:
        found = common_type(call.types, call.settings.ansi)
        if found is None:
            raise different_data_types(call, "concat")
        if call.any_nullable and not all(can_up_cast(t, found) for t in call.types):
            raise NotNative(reasons.ERROR_TIMING, "concat of casts that may fail after a null")
        nulls = any(t.containsNull for t in call.types if isinstance(t, ArrayType))
        assert isinstance(found, ArrayType)
        return Typed(
            ArrayType(found.elementType, nulls or found.containsNull), call.any_nullable, [found] * len(call.types)
        )
    if any(isinstance(t, ArrayType) for t in call.types):
        raise different_data_types(call, "concat")
    if any(isinstance(t, MapType | StructType | CalendarIntervalType) for t in call.types):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "concat of maps, structs or calendar intervals")
    if call.types and all(isinstance(t, BinaryType) for t in call.types):
        return Typed(BINARY, call.any_nullable)
    return Typed(STRING, False, [STRING] * len(call.types), add_nullable_casts=True)


def concat(call: Any, *values: str) -> str:
    """Null if any argument is null, like || for strings, binary values and lists."""
    return "(" + " || ".join(values) + ")" if values else "CAST('' AS VARCHAR)"


fn("concat(any...)", concat, rule=concat_type)


STRINGS = ArrayType(STRING, True)


def concat_ws_type(call: Call) -> Typed:
    """Only a null separator makes the result null; arrays contribute their elements."""
    separator = call.arguments[0]
    wanted = [part_type(call, index) for index in range(1, len(call.arguments))]
    nullable = separator.nullable or is_null(separator.type)
    return Typed(STRING, nullable, (STRING, *wanted))


def part_type(call: Call, index: int) -> DataType:
    found = implicit_type(call.types[index], ("array<string>", "string"), call.settings.ansi)
    if found is None:
        raise unexpected_input_type(call, index, '("ARRAY<STRING>" or "STRING")')
    return STRINGS if isinstance(found, ArrayType) else STRING


def concat_ws(call: Any, separator: str, *parts: str) -> str:
    if not parts:
        return f"(CASE WHEN {separator} IS NOT NULL THEN '' END)"
    arrays = [isinstance(argument.type, ArrayType) for argument in call.arguments[1:]]
    if not any(arrays):
        return f"concat_ws({', '.join([separator, *parts])})"
    lists = [f"coalesce({p}, [])" if array else f"[{p}]" for p, array in zip(parts, arrays, strict=True)]
    filled = f"list_filter(flatten([{', '.join(lists)}]), lambda e: e IS NOT NULL)"
    return f"(CASE WHEN {separator} IS NOT NULL THEN coalesce(array_to_string({filled}, {separator}), '') END)"


fn("concat_ws(string, any...)", concat_ws, rule=concat_ws_type)
