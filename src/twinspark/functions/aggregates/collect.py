"""Aggregates that collect values: collect_list, collect_set with Spark's element order, and listagg."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import NESTED, aggregate
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import SPARK, Signature
from twinspark.functions.notation.sql_text import is_window, not_null
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    any_of,
    is_foldable,
    non_foldable_input,
    unexpected_input_type,
)
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
from twinspark.types.duckdb import duck_type


def write_collect_list(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Without nulls; an empty list for no values."""
    if distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, "collect_list")
    if is_null(call.arguments[0].type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "a list of untyped nulls")
    empty = f"CAST([] AS {duck_type(call.type)})"
    if suffix:
        whole = f"list({value}{order}){suffix}"
        return f"coalesce(list_filter({whole}, lambda kept: kept IS NOT NULL), {empty})"
    return f"coalesce(list({value}{order}) FILTER (WHERE {value} IS NOT NULL), {empty})"


aggregate("collect_list(T) -> array<T!>!", write_collect_list, "array_agg", keeps_alias=False)


# ---- sets: Spark returns them in the order of Scala's mutable.HashSet: buckets by the low bits of the hash, inside a
# bucket by the whole hash. Up to eleven elements there are sixteen buckets. For more elements, the number of buckets
# depends on how many elements each of Spark's partitions had, so those sets fall back unless the caller ignores the
# order.

SMALL = (ByteType, ShortType, IntegerType, DateType)
WIDE = (LongType, TimestampType, TimestampNTZType)


def set_type(call: Call) -> Typed:
    type = call.types[0]
    if isinstance(type, MapType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "collect_set of maps")
    known = isinstance(type, (*SMALL, *WIDE, BooleanType)) or is_string(type)
    return Typed(ArrayType(type, False), False, writer=None if known else SPARK)


def java_hash(type: DataType, element: str) -> str:
    """The hash code (Scala's ##) of a value."""
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
    # HashSet's improved hash: the high half is folded into the low half
    mixed = "xor(one_.h, (one_.h & 4294967295) >> 16)"
    keyed = f"list_transform({spread}, lambda one_: {{'b': {mixed} & 15, 'h': {mixed}, 'v': one_.v}})"
    return or_empty(call, f"list_transform([{keyed}], lambda elements: {order_by_hash(f'count({value}){suffix}')})[1]")


def elements_of(value: str, suffix: str) -> str:
    if is_window(suffix):
        raise NotNative(reasons.WINDOW_FUNCTION, "collect_set")
    return f"list(DISTINCT {value}){not_null(value, suffix)}"


def or_empty(call: Any, sql: str) -> str:
    return f"coalesce({sql}, CAST([] AS {duck_type(call.type)}))"


def order_by_hash(rows: str) -> str:
    """Elements with equal hashes stay in insertion order. Falls back if there are more than eleven elements, or if one
    more row may have made a full table grow."""
    hashes = "len(list_distinct(list_transform(elements, lambda one_: one_.h)))"
    unsure = f"len(elements) > 11 OR {hashes} < len(elements) OR (len(elements) = 11 AND {rows} > 11)"
    found = "list_transform(list_sort(elements), lambda one_: one_.v)"
    return f"CASE WHEN {unsure} THEN {not_native(reasons.AGGREGATE_TIES, 'collect_set')} ELSE {found} END"


aggregate("collect_set(any)", set_of, rule=set_type)

ORDER_FREE = frozenset({"sort_array", "array_sort", "size", "cardinality", "array_size", "array_max", "array_min"})


def unordered_set(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    return or_empty(call, elements_of(value, suffix))


@cache
def order_free_signature(signature: Signature) -> Signature:
    """collect_set without its order, for callers that ignore the order (ORDER_FREE)."""
    return replace(signature, writer=unordered_set)


def is_plain(type: DataType) -> bool:
    """Whether equal values are identical; 0.0 and -0.0 are not, and Spark keeps the first one."""
    return isinstance(type, (*SMALL, *WIDE, BooleanType, DecimalType)) or is_string(type)


# ---- listagg


def listagg_type(call: Call) -> Typed:
    """listagg(value, separator) of strings or binary values; a missing separator is shown as NULL."""
    shown = [a.text for a in call.arguments] + ["NULL"][len(call.arguments) - 1 :]
    name = "listagg" if call.ordering else call.name
    text = f"{name}({'DISTINCT ' if call.distinct else ''}{', '.join(shown)}){within_text(call)}"
    value = call.types[0]
    check_listagg_types(replace(call, text=f"{call.name}({', '.join(shown)})"))
    separator = getattr(call.arguments[1], "value", 0) if len(call.arguments) > 1 else None
    if isinstance(value, BinaryType) and isinstance(separator, bytes | None):
        return Typed(BINARY, True, writer=write_binary_listagg, text=text)
    if isinstance(value, BinaryType) or not isinstance(separator, str | None):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the separator")
    return Typed(STRING, True, (None, STRING), text=text)


def check_listagg_types(call: Call) -> None:
    """The checks of ListAgg.checkInputDataTypes; types that are cast to strings are not errors."""
    value = call.types[0]
    if isinstance(value, VariantType | CalendarIntervalType) or (call.ordering and isinstance(value, NESTED)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {value.simpleString()}")
    if isinstance(value, NESTED):
        raise unexpected_input_type(call, 0, any_of((STRING, BINARY)))
    if len(call.arguments) > 1 and not is_foldable(call.arguments[1]):
        raise non_foldable_input(call, 1, "delimiter")


def write_binary_listagg(
    call: Any, value: str, separator: str, distinct: str = "", order: str = "", suffix: str = ""
) -> str:
    """Joins hexadecimal digits, since DuckDB cannot join BLOBs."""
    between = call.arguments[1]
    if distinct or order or is_window(suffix) or not isinstance(between.type, BinaryType | NullType):
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE,
            "listagg of binary values with DISTINCT, an ordering, a window or a string separator",
        )
    digits = "''" if is_null(between.type) else f"hex({separator})"
    return f"unhex(string_agg(hex({value}), {digits}){suffix})"


def write_listagg_by_position(
    call: Any, value: str, separator: str, order: str, distinct: str = "", suffix: str = ""
) -> str:
    if isinstance(call.arguments[0].type, BinaryType):
        digits = "''" if is_null(call.arguments[1].type) else f"hex({separator})"
        return f"unhex(string_agg(hex({value}), {digits}{order}){suffix})"
    return f"string_agg({as_text(call, value)}, coalesce({separator}, ''){order}){suffix}"


@cache
def listagg_by_position(signature: Signature) -> Signature:
    """listagg of rows that are ordered by their position, which is unique."""
    return replace(signature, writer=write_listagg_by_position)


def within_text(call: Call) -> str:
    orders = [
        f"{o.child.text} {'ASC' if o.ascending else 'DESC'} NULLS {'FIRST' if o.nulls_first else 'LAST'}"
        for o in call.ordering
    ]
    return f" WITHIN GROUP (ORDER BY {', '.join(orders)})" if orders else ""


def write_listagg(call: Any, value: str, separator: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if is_window(suffix):
        raise NotNative(reasons.WINDOW_FUNCTION, "listagg")
    if distinct:
        return write_distinct_listagg(call, value, separator, suffix)
    shown = as_text(call, value)
    found = f"string_agg({shown}, coalesce({separator}, ''){order}){suffix}"
    if not order or is_ordered_by_itself(call):
        return found
    keys = order.replace(" ORDER BY ", "", 1)
    check_one_key(call)
    key = keys.rsplit(" ", 3)[0]
    tie = f"count(*){suffix} > count(DISTINCT {key}){suffix}"
    return f"CASE WHEN {tie} THEN {not_native(reasons.AGGREGATE_TIES, 'listagg')} ELSE {found} END"


def as_text(call: Any, value: str) -> str:
    mode = "ansi" if call.settings.ansi else "legacy"
    return cast_sql(value, call.arguments[0].type, STRING, mode, call.settings)


def is_ordered_by_itself(call: Any) -> bool:
    return len(call.ordering) == 1 and call.ordering[0].child == call.arguments[0]


def check_one_key(call: Any) -> None:
    if len(call.ordering) > 1:
        raise NotNative(reasons.AGGREGATE_ORDER, "listagg ordered by several expressions")


UNSAFE = FloatType | DoubleType | TimestampType | NullType  # distinct values of these types may have the same text


def write_distinct_listagg(call: Any, value: str, separator: str, suffix: str) -> str:
    """Distinct values have no order of their own, so they must be ordered by the value itself."""
    if not is_ordered_by_itself(call) or isinstance(call.arguments[0].type, UNSAFE):
        raise NotNative(reasons.AGGREGATE_ORDER, "listagg of DISTINCT values ordered by another expression")
    sort = "list_sort" if call.ordering[0].ascending else "list_reverse_sort"
    values = f"{sort}(list(DISTINCT {value}){not_null(value, suffix)})"
    shown = f"list_transform({values}, lambda one: {as_text(call, 'one')})"
    nothing = not_native(reasons.AGGREGATE_DISTINCT, "listagg of no values")
    return f"coalesce(array_to_string({shown}, coalesce({separator}, '')), {nothing})"


aggregate("listagg(any, any = null)", write_listagg, "string_agg", rule=listagg_type, keeps_alias=True)
