"""Aggregates that gather values: lists, sets in Spark's order, joined texts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.aggregates import NESTED, aggregate, not_null
from twinspark.functions.casts import cast_sql, not_native
from twinspark.functions.registry import SPARK, Signature
from twinspark.functions.spelling import duck_type
from twinspark.functions.typing import Call, Typed
from twinspark.types import (
    BINARY,
    STRING,
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    is_null,
    is_string,
)


def collected(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Without nulls, and empty where there is nothing."""
    if distinct:
        raise NotNative("collect_list of distinct values")
    if is_null(call.arguments[0].type):
        raise NotNative("a list of nothing")
    empty = f"CAST([] AS {duck_type(call.type)})"
    if suffix:
        whole = f"list({value}{order}){suffix}"
        return f"coalesce(list_filter({whole}, lambda kept: kept IS NOT NULL), {empty})"
    return f"coalesce(list({value}{order}) FILTER (WHERE {value} IS NOT NULL), {empty})"


aggregate("collect_list(T) -> array<T!>!", collected, "array_agg", keeps_alias=False)


# ---- sets: Spark shows them in the order of Scala's mutable.HashSet: buckets by the low bits of the hash, inside a
# bucket by the whole hash. Up to eleven elements there are sixteen buckets; of more, their number depends on how many
# elements each of Spark's partitions had, so those sets go to Spark, unless nobody looks at their order.

SMALL = (ByteType, ShortType, IntegerType, DateType)
WIDE = (LongType, TimestampType, TimestampNTZType)


def set_type(call: Call) -> Typed:
    type = call.types[0]
    if isinstance(type, MapType):
        raise NotNative("a set of maps")
    known = isinstance(type, (*SMALL, *WIDE, BooleanType)) or is_string(type)
    return Typed(ArrayType(type, False), False, writer=None if known else SPARK)


def java_hash(type: DataType, element: str) -> str:
    """Scala's ## of a value."""
    if is_string(type):
        return f"spark_hash({element}, 42)"
    if isinstance(type, BooleanType):
        return f"CASE WHEN {element} THEN 1231 ELSE 1237 END"
    if isinstance(type, DateType):
        return f"CAST({element} - DATE '1970-01-01' AS INTEGER)"
    if isinstance(type, SMALL):
        return f"CAST({element} AS INTEGER)"
    wide = element if isinstance(type, LongType) else f"epoch_us({element})"
    folded = f"xor(({wide} >> 32) & 4294967295, {wide} & 4294967295)"
    signed = f"CASE WHEN {folded} >= 2147483648 THEN {folded} - 4294967296 ELSE {folded} END"
    return f"CASE WHEN {wide} BETWEEN -2147483648 AND 2147483647 THEN {wide} ELSE {signed} END"


def set_of(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    hashed = f"CAST({java_hash(call.arguments[0].type, 'element_')} AS BIGINT)"
    spread = f"list_transform({elements_of(value, suffix)}, lambda element_: {{'h': {hashed}, 'v': element_}})"
    mixed = "xor(one_.h, (one_.h & 4294967295) >> 16)"  # the high half is folded into the low one
    keyed = f"list_transform({spread}, lambda one_: {{'b': {mixed} & 15, 'h': {mixed}, 'v': one_.v}})"
    return or_empty(call, f"list_transform([{keyed}], lambda elements: {placed(f'count({value}){suffix}')})[1]")


def elements_of(value: str, suffix: str) -> str:
    if "OVER" in suffix:
        raise NotNative("collect_set in a window")
    return f"list(DISTINCT {value}){not_null(value, suffix)}"


def or_empty(call: Any, sql: str) -> str:
    return f"coalesce({sql}, CAST([] AS {duck_type(call.type)}))"


def placed(rows: str) -> str:
    """Equal hashes stand in the order they came in; one row more may have grown a table that is just full."""
    hashes = "len(list_distinct(list_transform(elements, lambda one_: one_.h)))"
    unsure = f"len(elements) > 11 OR {hashes} < len(elements) OR (len(elements) = 11 AND {rows} > 11)"
    found = "list_transform(list_sort(elements), lambda one_: one_.v)"
    return f"CASE WHEN {unsure} THEN {not_native('a set whose order only Spark knows')} ELSE {found} END"


aggregate("collect_set(any)", set_of, rule=set_type)

ORDER_FREE = frozenset({"sort_array", "array_sort", "size", "cardinality", "array_size", "array_max", "array_min"})


def unordered_set(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    return or_empty(call, elements_of(value, suffix))


@cache
def unordered(signature: Signature) -> Signature:
    """collect_set where the caller (one of ORDER_FREE) does not look at the order."""
    return replace(signature, writer=unordered_set)


def is_plain(type: DataType) -> bool:
    """Equal values look alike: not so 0.0 and -0.0, of which Spark keeps one by the order they came in."""
    return isinstance(type, (*SMALL, *WIDE, BooleanType, DecimalType)) or is_string(type)


# ---- texts


def joined_type(call: Call) -> Typed:
    """listagg(value, separator): text, or bytes of bytes; no separator is shown as NULL."""
    shown = [a.text for a in call.arguments] + ["NULL"][len(call.arguments) - 1 :]
    name = "listagg" if call.ordering else call.name
    text = f"{name}({'DISTINCT ' if call.distinct else ''}{', '.join(shown)}){within_text(call)}"
    value = call.types[0]
    if isinstance(value, (*NESTED, VariantType, CalendarIntervalType)):
        raise NotNative(f"{call.name} of {value.simpleString()}")
    separator = getattr(call.arguments[1], "value", 0) if len(call.arguments) > 1 else None
    if isinstance(value, BinaryType) and isinstance(separator, bytes | None):
        return Typed(BINARY, True, writer=joined_bytes, text=text)
    if isinstance(value, BinaryType) or not isinstance(separator, str | None):
        raise NotNative(f"{call.name} with a separator that is no constant text")
    return Typed(STRING, True, (None, STRING), text=text)


def joined_bytes(call: Any, value: str, separator: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """As hexadecimal digits, which DuckDB can join."""
    between = call.arguments[1]
    if distinct or order or "OVER" in suffix or not isinstance(between.type, BinaryType | NullType):
        raise NotNative("listagg of bytes: distinct, in an order, in a window or between text")
    digits = "''" if is_null(between.type) else f"hex({separator})"
    return f"unhex(string_agg(hex({value}), {digits}){suffix})"


def joined_in_places(call: Any, value: str, separator: str, order: str, distinct: str = "", suffix: str = "") -> str:
    if isinstance(call.arguments[0].type, BinaryType):
        digits = "''" if is_null(call.arguments[1].type) else f"hex({separator})"
        return f"unhex(string_agg(hex({value}), {digits}{order}){suffix})"
    return f"string_agg({as_text(call, value)}, coalesce({separator}, ''){order}){suffix}"


@cache
def in_places(signature: Signature) -> Signature:
    """listagg of rows that are ordered by where they stand, no two in one place."""
    return replace(signature, writer=joined_in_places)


def within_text(call: Call) -> str:
    orders = [
        f"{o.child.text} {'ASC' if o.ascending else 'DESC'} NULLS {'FIRST' if o.nulls_first else 'LAST'}"
        for o in call.ordering
    ]
    return f" WITHIN GROUP (ORDER BY {', '.join(orders)})" if orders else ""


def joined(call: Any, value: str, separator: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if "OVER" in suffix:
        raise NotNative("listagg in a window")
    if distinct:
        return joined_distinct(call, value, separator, suffix)
    shown = as_text(call, value)
    found = f"string_agg({shown}, coalesce({separator}, ''){order}){suffix}"
    if not order or is_ordered_by_itself(call):
        return found
    keys = order.replace(" ORDER BY ", "", 1)
    check_one_key(call)
    key = keys.rsplit(" ", 3)[0]
    tie = f"count(*){suffix} > count(DISTINCT {key}){suffix}"
    return f"CASE WHEN {tie} THEN {not_native('listagg of rows that are equal in order')} ELSE {found} END"


def as_text(call: Any, value: str) -> str:
    mode = "ansi" if call.settings.ansi else "legacy"
    return cast_sql(value, call.arguments[0].type, STRING, mode, call.settings)


def is_ordered_by_itself(call: Any) -> bool:
    return len(call.ordering) == 1 and call.ordering[0].child == call.arguments[0]


def check_one_key(call: Any) -> None:
    if len(call.ordering) > 1:
        raise NotNative("listagg ordered by several values")


UNSAFE = FloatType | DoubleType | TimestampType | NullType  # distinct values may have one text


def joined_distinct(call: Any, value: str, separator: str, suffix: str) -> str:
    """Distinct values stand in no order of their own; ordered by themselves they do."""
    if not is_ordered_by_itself(call) or isinstance(call.arguments[0].type, UNSAFE):
        raise NotNative("listagg of distinct values in an order that is not theirs")
    sort = "list_sort" if call.ordering[0].ascending else "list_reverse_sort"
    values = f"{sort}(list(DISTINCT {value}){not_null(value, suffix)})"
    shown = f"list_transform({values}, lambda one: {as_text(call, 'one')})"
    nothing = not_native("listagg of no distinct values")
    return f"coalesce(array_to_string({shown}, coalesce({separator}, '')), {nothing})"


aggregate("listagg(any, any = null)", joined, "string_agg", rule=joined_type, keeps_alias=True)
