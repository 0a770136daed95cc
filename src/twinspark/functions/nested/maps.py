"""Map functions. A null key is an error; a duplicate key is an error or its last value wins (mapKeyDedupPolicy)."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import (
    common_type,
    force_nullable,
    tightest_common_type,
    wider_type_without_strings,
)
from twinspark.functions.nested.array_sets import is_plain, normalize_zeros
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, different_data_types, quote_expression, type_text
from twinspark.functions.notation.value_memory import room
from twinspark.types import (
    BOOLEAN,
    NULL,
    STRING,
    ArrayType,
    DataType,
    DoubleType,
    FloatType,
    MapType,
    StructField,
    StructType,
    has_variant,
    is_null,
    is_string,
    nested_types,
    same_type,
)
from twinspark.types.duckdb import cast_to, duck_type


def map_of(type: DataType, name: str) -> MapType:
    if not isinstance(type, MapType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{name} of a value that is not a map")
    return type


def checked_map(call: Any, keys: str, values: str, key: DataType) -> str:
    """A map of two lists; -0.0 as a key becomes 0.0 (ArrayBasedMapBuilder.put)."""
    if isinstance(key, FloatType | DoubleType):
        keys = normalize_zeros(keys, ArrayType(key, True))
    return map_as_is(call, keys, values)


def has_real(type: DataType) -> bool:
    return any(isinstance(inner, FloatType | DoubleType) for inner in nested_types(type))


def map_as_is(call: Any, keys: str, values: str) -> str:
    """Has no CASE around it: DuckDB evaluates a constant map even in a branch that is not taken."""
    if (
        call.settings.last_key_wins
        and has_real(call.type.keyType)
        and call.name in ("map_from_arrays", "transform_keys")
    ):
        raise NotNative(
            reasons.MAP_KEYS, f"{call.name} with fractional keys and spark.sql.mapKeyDedupPolicy = LAST_WIN"
        )
    if call.settings.last_key_wins:
        last = f"list_select({values}, spark_map_last({keys}, {values}))"
        return f"MAP(list_select({keys}, spark_array_distinct({keys})), {last})"
    return f"MAP(({keys})[1:spark_map_keys({keys}, {values})], {values})"


def lookup_sql(map: str, type: MapType, key: str) -> str:
    """The value of a key; null if there is none."""
    if is_plain(type.keyType):
        return f"{map}[{key}]"
    return f"map_values({map})[spark_array_position(map_keys({map}), [{key}])]"


def map_type(call: Call) -> Typed:
    """map(key, value, key, value, ...)."""
    keys, values = call.arguments[0::2], call.arguments[1::2]
    if len(keys) != len(values):
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "map with an odd number of arguments")
    if not keys:
        return Typed(MapType(NULL, NULL, False), False)
    key = common_type([k.type for k in keys], call.settings.ansi)
    value = common_type([v.type for v in values], call.settings.ansi)
    if key is None or value is None or isinstance(key, MapType) or has_variant(key):
        raise NotNative(reasons.TYPES_MIXED, "the keys or the values of map")
    nulls = any(v.nullable or force_nullable(v.type, value) for v in values)
    return Typed(MapType(key, value, nulls), False, [key, value] * len(keys))


def write_map(call: Any, *parts: str) -> str:
    if not parts:
        return "MAP()"
    keys, values = (cast_to(f"[{', '.join(side)}]", ArrayType(t, True)) for side, t in sides(call, parts))
    return checked_map(call, keys, values, call.type.keyType)


def sides(call: Any, parts: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], DataType], ...]:
    return (parts[0::2], call.type.keyType), (parts[1::2], call.type.valueType)


fn("map(any...)", write_map, rule=map_type)
fn("map_keys(map<K,V>) -> array<K?>", "map_keys({0})")


def values_type(call: Call) -> Typed:
    return Typed(ArrayType(map_of(call.types[0], "map_values").valueType, True), call.any_nullable)


fn("map_values(map<K,V>)", "map_values({0})", rule=values_type)


def entries_type(call: Call) -> Typed:
    type = map_of(call.types[0], "map_entries")
    entry = StructType(
        [StructField("key", type.keyType, False), StructField("value", type.valueType, type.valueContainsNull)]
    )
    return Typed(ArrayType(entry, False), call.any_nullable)


fn("map_entries(map)", "map_entries({0})", rule=entries_type)


# ---- of arrays


def from_arrays_type(call: Call) -> Typed:
    keys, values = call.types
    if not isinstance(keys, ArrayType) or not isinstance(values, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "map_from_arrays of a value that is not an array")
    return Typed(MapType(keys.elementType, values.elementType, values.containsNull), call.any_nullable)


def from_arrays(call: Any, keys: str, values: str) -> str:
    """Keys may be -0.0 here, since Spark uses the arrays unchanged."""
    return f"(CASE WHEN {keys} IS NOT NULL AND {values} IS NOT NULL THEN {map_as_is(call, keys, values)} END)"


fn("map_from_arrays(array, array)", from_arrays, rule=from_arrays_type)


def from_entries_type(call: Call) -> Typed:
    array = call.types[0]
    entry = array.elementType if isinstance(array, ArrayType) else None
    if not isinstance(array, ArrayType) or not isinstance(entry, StructType) or len(entry.fields) != 2:
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE, "map_from_entries of a value that is not an array of two-field structs"
        )
    key, value = entry.fields
    type = MapType(key.dataType, value.dataType, value.nullable)
    return Typed(type, call.any_nullable or array.containsNull)


def from_entries(call: Any, entries: str) -> str:
    """Null if an entry is null."""
    key, value = (f.name for f in call.arguments[0].type.elementType.fields)
    duck_type(call.arguments[0].type)
    names = (name.replace('"', '""') for name in (key, value))
    keys, values = (f'list_transform({entries}, lambda entry_: entry_."{name}")' for name in names)
    made = checked_map(call, keys, values, call.type.keyType)
    if not call.arguments[0].type.containsNull:
        return made
    return f"(CASE WHEN len(list_filter({entries}, lambda e: e IS NULL)) > 0 THEN NULL ELSE {made} END)"


fn("map_from_entries(array)", from_entries, rule=from_entries_type)


# ---- concatenation and search


def is_constant_null(argument: Any) -> bool:
    return getattr(getattr(argument, "child", argument), "value", argument) is None


def concat_type(call: Call) -> Typed:
    if not call.arguments:
        return Typed(MapType(STRING, STRING, True), False)
    if any(is_constant_null(a) for a in call.arguments):
        raise NotNative(reasons.ERROR_TIMING, "map_concat with a null constant")
    maps = [map_of(t, "map_concat") for t in call.types]
    found = common_type(call.types, call.settings.ansi)
    if found is None:
        raise different_data_types(call, "map_concat")
    type = map_of(found, "map_concat")
    casts = [None if same_type(type, t) else type for t in maps]
    nulls = any(t.valueContainsNull for t in maps) or (any(casts) and type.valueContainsNull)
    return Typed(MapType(type.keyType, type.valueType, nulls), call.any_nullable, casts)


def write_map_concat(call: Any, *maps: str) -> str:
    if not maps:
        return f"CAST(MAP() AS {duck_type(call.type)})"
    keys = " || ".join(f"map_keys({m})" for m in maps)
    values = " || ".join(f"map_values({m})" for m in maps)
    return checked_map(call, f"({keys})", f"({values})", call.type.keyType)


fn("map_concat(any...)", write_map_concat, rule=concat_type)


def contains_key_type(call: Call) -> Typed:
    type, key = map_of(call.types[0], "map_contains_key"), call.types[1]
    found = wider_type_without_strings(type.keyType, key, False)
    if found is None and not is_null(key):
        raise SparkError(
            "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
            sqlExpr=quote_expression(call.text),
            functionName="`map_contains_key`",
            dataType='"MAP"',
            leftType=type_text(type),
            rightType=type_text(key),
        )
    if found is None or is_null(key) or not same_type(found, type.keyType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "map_contains_key with a key of another type")
    return Typed(BOOLEAN, True, (None, type.keyType))


def contains_key(call: Any, map: str, key: str) -> str:
    if is_plain(call.arguments[0].type.keyType):
        return f"(CASE WHEN {key} IS NOT NULL THEN list_contains(map_keys({map}), {key}) END)"
    return f"(spark_array_position(map_keys({map}), [{key}]) > 0)"


fn("map_contains_key(map, any)", contains_key, rule=contains_key_type)


# ---- str_to_map


PLAIN_DELIMITERS = frozenset(" ,;:=&-_/~!@#%'\"<>") | frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def is_plain_delimiter(argument: Any) -> bool:
    """Delimiters are regular expressions; one without special characters is plain text."""
    value = getattr(argument, "value", None)
    return isinstance(value, str) and value != "" and all(c.lower() in PLAIN_DELIMITERS for c in value)


PAIR_BYTES = 256  # of the lists and hash tables that a pair goes through


def text_to_map(call: Any, source: str, pairs: str = "','", inside: str = "':'") -> str:
    if not all(map(is_plain_delimiter, call.arguments[1:])):
        return text_to_map_by_patterns(call, source, pairs, inside)
    width = len(call.arguments[2].value) if len(call.arguments) > 2 else 1
    key = f"string_split(p, {inside})[1]"
    rest = f"substr(p, strpos(p, {inside}) + {width})"
    value = f"CASE WHEN contains(p, {inside}) THEN {rest} END"
    return map_of_parts(call, f"string_split({source}, {pairs})", key, value)


def text_to_map_by_patterns(call: Any, source: str, pairs: str, inside: str) -> str:
    key, value = (f"spark_split(p, {inside}, 2)[{place}]" for place in (1, 2))
    return map_of_parts(call, f"spark_split({source}, {pairs}, -1)", key, value)


def map_of_parts(call: Any, parts: str, key: str, value: str) -> str:
    """Splits once; a text of millions of pairs is checked for memory before its map is built."""
    checked = f"parts_[1:{room('len(parts_)', f'{PAIR_BYTES} * len(parts_)')}]"
    keys, values = (f"list_transform({checked}, lambda p: {each})" for each in (key, value))
    return f"list_transform([{parts}], lambda parts_: {checked_map(call, keys, values, STRING)})[1]"


def text_to_map_type(call: Call) -> Typed:
    """The column name shows the default delimiters."""
    if not all(is_string(t) or is_null(t) for t in call.types):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "str_to_map of values that are not strings")
    shown = [*(a.text for a in call.arguments), *((",", ":")[len(call.arguments) - 1 :])]
    return Typed(
        MapType(STRING, STRING, True),
        call.any_nullable,
        [STRING] * len(call.arguments),
        text=f"str_to_map({', '.join(shown)})",
    )


fn("str_to_map(any)", text_to_map, rule=text_to_map_type)
fn("str_to_map(any, any)", text_to_map, rule=text_to_map_type)
fn("str_to_map(any, any, any)", text_to_map, rule=text_to_map_type)


def key_type(type: MapType, key: DataType) -> DataType | None:
    """The type that a searched key is cast to, by the rules without ANSI; None if that is not the key type of the
    map."""
    found = tightest_common_type(type.keyType, key, False)
    return type.keyType if found is not None and same_type(found, type.keyType) else None
