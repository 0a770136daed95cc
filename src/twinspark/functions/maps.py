"""Map functions."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.common_types import common_type, force_nullable
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import cast_to
from twinspark.functions.typing import Call, Typed
from twinspark.types import NULL, ArrayType, MapType, StructField, StructType


def map_type(call: Call) -> Typed:
    """Keys and values in turn; a key may not be null, and not twice (mapKeyDedupPolicy EXCEPTION)."""
    keys, values = call.arguments[0::2], call.arguments[1::2]
    if len(keys) != len(values):
        raise NotNative("map with an odd number of arguments")
    if not keys:
        return Typed(MapType(NULL, NULL, False), False)
    key = common_type([k.type for k in keys], call.settings.ansi)
    value = common_type([v.type for v in values], call.settings.ansi)
    if key is None or value is None or isinstance(key, MapType):
        raise NotNative("map whose keys or values do not meet")
    nulls = any(v.nullable or force_nullable(v.type, value) for v in values)
    return Typed(MapType(key, value, nulls), False, [key, value] * len(keys))


def made_map(call: Any, *parts: str) -> str:
    keys, values = ", ".join(parts[0::2]), ", ".join(parts[1::2])
    return cast_to(f"MAP([{keys}], [{values}])", call.type)


fn("map(any...)", made_map, rule=map_type)
fn("map_keys(map<K,V>) -> array<K?>", "map_keys({0})")
fn("map_values(map<K,V>)", "map_values({0})", rule=lambda call: values_type(call))


def values_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, MapType):
        raise NotNative("map_values of what is no map")
    return Typed(ArrayType(type.valueType, True), call.any_nullable)


def entries_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, MapType):
        raise NotNative("map_entries of what is no map")
    entry = StructType(
        [StructField("key", type.keyType, False), StructField("value", type.valueType, type.valueContainsNull)]
    )
    return Typed(ArrayType(entry, False), call.any_nullable)


fn("map_entries(map)", "map_entries({0})", rule=entries_type)


def from_arrays_type(call: Call) -> Typed:
    keys, values = call.types
    if not isinstance(keys, ArrayType) or not isinstance(values, ArrayType):
        raise NotNative("map_from_arrays of what is no array")
    return Typed(MapType(keys.elementType, values.elementType, values.containsNull), call.any_nullable)


def from_arrays(call: Any, keys: str, values: str) -> str:
    return f"(CASE WHEN {keys} IS NOT NULL AND {values} IS NOT NULL THEN MAP({keys}, {values}) END)"


fn("map_from_arrays(array, array)", from_arrays, rule=from_arrays_type)
for name in ("map_concat(map...)", "map_from_entries(array)", "str_to_map(any, any...)"):
    fn(name, SPARK, rule=lambda call: refuse(call), reason="not written yet")


def refuse(call: Call) -> Typed:
    raise NotNative(f"function {call.name}")
