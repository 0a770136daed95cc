"""approx_top_k and its states; duck/native/top_k.c counts every item, and sends what it cannot order to Spark."""

from __future__ import annotations

import math
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.aggregates import aggregate
from twinspark.functions.casts import not_native
from twinspark.functions.registry import fn
from twinspark.functions.sketch_arguments import constant
from twinspark.functions.spelling import duck_type, text
from twinspark.functions.typing import Call, Typed
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

DEFAULT_K, DEFAULT_TRACKED, MOST_TRACKED, UNASKED = 5, 10_000, 1_000_000, -1
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
    """Decimals are hashed as Scala's BigDecimal: those are Spark's."""
    if is_collated(type) or type.simpleString() not in KINDS:
        raise NotNative(f"{call.name} of {type.simpleString()}")
    return KINDS[type.simpleString()]


def number(call: Any, index: int, default: int, most: int) -> int:
    value = constant(call, index, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= most:
        raise NotNative(f"{call.name} with {value}")
    return value


def tracked(call: Any, index: int) -> int:
    return number(call, index, DEFAULT_TRACKED, MOST_TRACKED)


def lg_table(items: int) -> int:
    """The logarithm of the table that holds so many items, three quarters full."""
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
    """Of a state: the type of its third field."""
    type = call.arguments[0].type
    fields = type.fields if isinstance(type, StructType) else []
    types = [field.dataType for field in fields]
    if len(types) != 4 or types[0] != BINARY or types[1] != INT or types[3] != STRING:
        raise NotNative(f"{call.name} of what is no state")
    kind_of(call, types[2])
    return types[2]


def top_type(call: Call) -> Typed:
    kind_of(call, call.types[0])
    if tracked(call, 2) < number(call, 1, DEFAULT_K, MOST_TRACKED):
        raise NotNative(f"{call.name} of more items than it tracks")
    return Typed(frequent_type(call.types[0]), False)


def accumulated_type(call: Call) -> Typed:
    kind_of(call, call.types[0])
    tracked(call, 1)
    return Typed(state_type(call.types[0]), False)


def combined_type(call: Call) -> Typed:
    if constant(call, 1, UNASKED) != UNASKED:
        tracked(call, 1)
    return Typed(state_type(item_type(call)), False)


def estimated_type(call: Call) -> Typed:
    number(call, 1, DEFAULT_K, MOST_TRACKED)
    return Typed(frequent_type(item_type(call)), False)


# ---- DuckDB's spelling


def frequent(type: DataType, kind: str, state: str, k: int) -> str:
    asked = f"({state}, '{kind}', {k})"
    pairs = f"list_zip(spark_top_k_items_{type.simpleString()}{asked}, spark_top_k_counts{asked})"
    return f"list_transform({pairs}, lambda pair: struct_pack(item := pair[1], count := pair[2]))"


def state_of(value: str, items: int, distinct: str, suffix: str) -> str:
    lg = max(lg_table(items), 3)
    empty = bytes([1, 1, 10, lg, 3, 5, 0, 0, *bytes(8)])
    return f"coalesce(spark_top_k_state({distinct}{value}, {lg}){suffix}, unhex('{empty.hex()}'))"


def packed(sketch: str, items: str, type: DataType) -> str:
    nothing = f"CAST(NULL AS {duck_type(type)})"
    return (
        f"struct_pack(sketch := {sketch}, maxItemsTracked := CAST({items} AS INTEGER), "
        f"itemDataType := {nothing}, itemDataTypeDDL := {text(item_ddl(type))})"
    )


def item_ddl(type: DataType) -> str:
    name = type.simpleString()
    return "item string not null" if name == "string" else f"item {sql_name(type)} NOT NULL"


def top_counted(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    type = call.arguments[0].type
    state = state_of(value, tracked(call, 2), distinct, suffix)
    return frequent(type, kind_of(call, type), state, number(call, 1, DEFAULT_K, MOST_TRACKED))


def accumulated(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    items = tracked(call, 1)
    return packed(state_of(value, items, distinct, suffix), str(items), call.arguments[0].type)


def combined(call: Any, state: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Of states of one size and one type; Spark fails where a partition has none."""
    if distinct:
        raise NotNative("approx_top_k_combine of distinct states")
    type, asked = item_type(call), constant(call, 1, UNASKED)
    sizes, names = f'({state})."maxItemsTracked"', f'({state})."itemDataTypeDDL"'
    lg = max(lg_table(MOST_TRACKED if asked == UNASKED else asked), 3)
    joined = f"spark_top_k_join(({state}).\"sketch\", '{kind_of(call, type)}', {lg}){suffix}"
    alike = f"min({names}){suffix} = {text(item_ddl(type))} AND max({names}){suffix} = {text(item_ddl(type))}"
    size = str(asked)
    if asked == UNASKED:
        size = f"min({sizes}){suffix}"
        alike += f" AND {size} = max({sizes}){suffix}"
    refused = not_native("states of approx_top_k that are not alike, or none")
    return f"CASE WHEN {alike} THEN {packed(joined, size, type)} ELSE {refused} END"


def estimated(call: Any, state: str, *_: str) -> str:
    type, k = item_type(call), number(call, 1, DEFAULT_K, MOST_TRACKED)
    answer = frequent(type, kind_of(call, type), f'({state})."sketch"', k)
    refused = not_native("a state of approx_top_k that is null, or tracks fewer items")
    return f'CASE WHEN ({state})."maxItemsTracked" >= {k} THEN {answer} ELSE {refused} END'


aggregate(
    f"approx_top_k(any, int = {DEFAULT_K}, int = {DEFAULT_TRACKED})", top_counted, rule=top_type, shows_defaults=True
)
aggregate(
    f"approx_top_k_accumulate(any, int = {DEFAULT_TRACKED})", accumulated, rule=accumulated_type, shows_defaults=True
)
aggregate(f"approx_top_k_combine(any, int = {UNASKED})", combined, rule=combined_type, shows_defaults=True)
fn(f"approx_top_k_estimate(any, int = {DEFAULT_K})", estimated, rule=estimated_type, shows_defaults=True)
