"""approx_top_k and its states: counts all items; falls back if their order is not determined
(native/sketches/top_k.c)."""

from __future__ import annotations

import math
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import constant
from twinspark.types import (
    BINARY,
    INT,
    LONG,
    STRING,
    ArrayType,
    DataType,
    StructField,
    StructType,
    is_collated,
    sql_name,
)
from twinspark.types.duckdb import duck_text, duck_type

DEFAULT_K, DEFAULT_TRACKED, MOST_TRACKED, NO_SIZE = 5, 10_000, 1_000_000, -1
KINDS = {
    "boolean": "b",
    "tinyint": "t",
    "smallint": "s",
    "int": "i",
    "bigint": "l",
    "float": "f",
    "double": "d",
    "string": "v",
    "date": "D",
    "timestamp_ntz": "T",
    "timestamp": "Z",
}


def kind_of(call: Any, type: DataType) -> str:
    """Decimals fall back, since Spark hashes them as Scala's BigDecimal."""
    if is_collated(type) or type.simpleString() not in KINDS:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
    return KINDS[type.simpleString()]


def number(call: Any, index: int, default: int, most: int) -> int:
    value = constant(call, index, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= most:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} with {value}")
    return value


def max_items_tracked(call: Any, index: int) -> int:
    return number(call, index, DEFAULT_TRACKED, MOST_TRACKED)


def lg_table(items: int) -> int:
    """The logarithm of the size of the table that holds this many items when three quarters full."""
    return math.ceil(math.log(math.ceil(items / 0.75)) / math.log(2))


# ---- types


def frequent_type(item: DataType) -> DataType:
    entry = StructType([StructField("item", item, True), StructField("count", LONG, False)])
    return ArrayType(entry, False)


def state_type(item: DataType) -> DataType:
    return StructType(
        [
            StructField("sketch", BINARY, False),
            StructField("maxItemsTracked", INT, False),
            StructField("itemDataType", item, True),
            StructField("itemDataTypeDDL", STRING, False),
        ]
    )


def item_type(call: Any) -> DataType:
    """The item type of a state: the type of its third field."""
    type = call.arguments[0].type
    fields = type.fields if isinstance(type, StructType) else []
    types = [field.dataType for field in fields]
    if len(types) != 4 or types[0] != BINARY or types[1] != INT or types[3] != STRING:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of a value that is not a state")
    kind_of(call, types[2])
    return types[2]


def top_type(call: Call) -> Typed:
    kind_of(call, call.types[0])
    if max_items_tracked(call, 2) < number(call, 1, DEFAULT_K, MOST_TRACKED):
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} of more items than it tracks")
    return Typed(frequent_type(call.types[0]), False)


def accumulated_type(call: Call) -> Typed:
    kind_of(call, call.types[0])
    max_items_tracked(call, 1)
    return Typed(state_type(call.types[0]), False)


def combined_type(call: Call) -> Typed:
    if constant(call, 1, NO_SIZE) != NO_SIZE:
        max_items_tracked(call, 1)
    return Typed(state_type(item_type(call)), False)


def estimated_type(call: Call) -> Typed:
    number(call, 1, DEFAULT_K, MOST_TRACKED)
    return Typed(frequent_type(item_type(call)), False)


# ---- SQL


def frequent(type: DataType, kind: str, state: str, k: int) -> str:
    arguments = f"({state}, '{kind}', {k})"
    pairs = f"list_zip(spark_top_k_items_{type.simpleString()}{arguments}, spark_top_k_counts{arguments})"
    return f"list_transform({pairs}, lambda pair: struct_pack(item := pair[1], count := pair[2]))"


def state_of(value: str, items: int, distinct: str, suffix: str) -> str:
    lg = max(lg_table(items), 3)
    empty = bytes([1, 1, 10, lg, 3, 5, 0, 0, *bytes(8)])
    return f"coalesce(spark_top_k_state({distinct}{value}, {lg}){suffix}, unhex('{empty.hex()}'))"


def pack_state(sketch: str, items: str, type: DataType) -> str:
    nothing = f"CAST(NULL AS {duck_type(type)})"
    return (
        f"struct_pack(sketch := {sketch}, maxItemsTracked := CAST({items} AS INTEGER), "
        f"itemDataType := {nothing}, itemDataTypeDDL := {duck_text(item_ddl(type))})"
    )


def item_ddl(type: DataType) -> str:
    name = type.simpleString()
    return "item string not null" if name == "string" else f"item {sql_name(type)} NOT NULL"


def write_approx_top_k(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    type = call.arguments[0].type
    state = state_of(value, max_items_tracked(call, 2), distinct, suffix)
    return frequent(type, kind_of(call, type), state, number(call, 1, DEFAULT_K, MOST_TRACKED))


def write_accumulate(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    items = max_items_tracked(call, 1)
    return pack_state(state_of(value, items, distinct, suffix), str(items), call.arguments[0].type)


def write_combine(call: Any, state: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """For states of one size and one type; Spark fails where a partition has no state."""
    if distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, "approx_top_k_combine")
    type, requested = item_type(call), constant(call, 1, NO_SIZE)
    sizes, names = f'({state})."maxItemsTracked"', f'({state})."itemDataTypeDDL"'
    lg = max(lg_table(MOST_TRACKED if requested == NO_SIZE else requested), 3)
    joined = f"spark_top_k_join(({state}).\"sketch\", '{kind_of(call, type)}', {lg}){suffix}"
    alike = f"min({names}){suffix} = {duck_text(item_ddl(type))} AND max({names}){suffix} = {duck_text(item_ddl(type))}"
    size = str(requested)
    if requested == NO_SIZE:
        size = f"min({sizes}){suffix}"
        alike += f" AND {size} = max({sizes}){suffix}"
    fallback = not_native(reasons.SKETCH_STATE, "approx_top_k states that are of different kinds, or no states")
    return f"CASE WHEN {alike} THEN {pack_state(joined, size, type)} ELSE {fallback} END"


def write_estimate(call: Any, state: str, *_: str) -> str:
    type, k = item_type(call), number(call, 1, DEFAULT_K, MOST_TRACKED)
    answer = frequent(type, kind_of(call, type), f'({state})."sketch"', k)
    fallback = not_native(reasons.SKETCH_STATE, "an approx_top_k state that is null or tracks fewer items")
    return f'CASE WHEN ({state})."maxItemsTracked" >= {k} THEN {answer} ELSE {fallback} END'


aggregate(
    f"approx_top_k(any, int = {DEFAULT_K}, int = {DEFAULT_TRACKED})",
    write_approx_top_k,
    rule=top_type,
    shows_defaults=True,
)
aggregate(
    f"approx_top_k_accumulate(any, int = {DEFAULT_TRACKED})",
    write_accumulate,
    rule=accumulated_type,
    shows_defaults=True,
)
aggregate(f"approx_top_k_combine(any, int = {NO_SIZE})", write_combine, rule=combined_type, shows_defaults=True)
fn(f"approx_top_k_estimate(any, int = {DEFAULT_K})", write_estimate, rule=estimated_type, shows_defaults=True)
