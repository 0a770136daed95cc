"""struct, named_struct, array, and access to their fields and elements."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import common_type, force_nullable
from twinspark.functions.nested.elements import element_nullable, from_zero
from twinspark.functions.nested.maps import lookup_sql
from twinspark.functions.notation.error_sql import error_with
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, different_data_types, quote_expression
from twinspark.types import NULL, ArrayType, MapType, StructField, StructType
from twinspark.types.duckdb import cast_to, duck_name, duck_type


def named_struct_type(call: Call) -> Typed:
    """named_struct(name, value, name, value, ...)."""
    names = [getattr(a, "value", None) for a in call.arguments[0::2]]
    if len(call.arguments) % 2 or not all(isinstance(n, str) for n in names):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "named_struct: the names")
    values = call.arguments[1::2]
    fields = [StructField(n, v.type, v.nullable) for n, v in zip(names, values, strict=True)]
    return Typed(StructType(fields), False)


def struct_type(call: Call) -> Typed:
    """`struct(a, b)`: the reader has inserted the name of each value before it."""
    shown = ", ".join(a.text for a in call.arguments[1::2])
    typed = named_struct_type(call)
    return Typed(typed.type, False, text=f"struct({shown})")


def write_struct(call: Any, *arguments: str) -> str:
    duck_type(call.type)
    parts = [f"{duck_name(f.name)} := {v}" for f, v in zip(call.type.fields, arguments[1::2], strict=True)]
    return f"struct_pack({', '.join(parts)})"


fn("named_struct(any...)", write_struct, rule=named_struct_type)
fn("struct(any...)", write_struct, rule=struct_type)


def array_type(call: Call) -> Typed:
    if not call.arguments:
        return Typed(ArrayType(NULL, False), False)
    found = common_type(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, "array")
    nulls = any(a.nullable or force_nullable(a.type, found) for a in call.arguments)
    return Typed(ArrayType(found, nulls), False, [found] * len(call.arguments))


def write_array(call: Any, *items: str) -> str:
    made = f"[{', '.join(items)}]"
    return made if call.type.elementType == NULL else cast_to(made, call.type)


fn("array(any...)", write_array, rule=array_type)


def item_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, ArrayType):
        raise SparkError(
            "INVALID_EXTRACT_BASE_FIELD_TYPE", base=quote_expression(call.arguments[0].text), other=quote_expression("")
        )
    return Typed(type.elementType, element_nullable(call, call.settings.ansi, from_zero))


def item(call: Any, array: str, index: str) -> str:
    """The index counts from zero; an index outside the array is an error under ANSI, otherwise null."""
    inside = f"{index} >= 0 AND {index} < len({array})"
    if not call.settings.ansi:
        return f"(CASE WHEN {inside} THEN {array}[{index} + 1] END)"
    outside = error_with(
        "INVALID_ARRAY_INDEX",
        indexValue=f"CAST({index} AS VARCHAR)",
        arraySize=f"CAST(len({array}) AS VARCHAR)",
    )
    known = f"{array} IS NOT NULL AND {index} IS NOT NULL"
    return f"(CASE WHEN {inside} THEN {array}[{index} + 1] WHEN {known} THEN {outside} END)"


fn("getarrayitem(any, int)", item, rule=item_type)


def value_type(call: Call) -> Typed:
    type = call.types[0]
    assert isinstance(type, MapType)
    return Typed(type.valueType, True, (None, type.keyType))


def map_value(call: Any, map: str, key: str) -> str:
    return lookup_sql(map, call.arguments[0].type, key)


fn("getmapvalue(any, any)", map_value, rule=value_type)


def fields_type(call: Call) -> Typed:
    """`a.b` where a is an array of structs: an array of these fields."""
    array, name = call.types[0], call.arguments[1].value
    assert isinstance(array, ArrayType) and isinstance(array.elementType, StructType)
    field = array.elementType[name]
    return Typed(ArrayType(field.dataType, array.containsNull or field.nullable), call.arguments[0].nullable)


def fields_of(call: Any, array: str, name: str) -> str:
    return f"list_transform({array}, lambda element_: element_.{duck_name(call.arguments[1].value)})"


fn("getarraystructfields(any, any)", fields_of, rule=fields_type)
