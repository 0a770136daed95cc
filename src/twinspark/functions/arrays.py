"""Array functions and those that take lambdas over arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.common_types import common_type, common_type_without_strings
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import ANSI_CONFIG, cast_to, error, error_with, text
from twinspark.functions.typing import Call, Typed, different_data_types
from twinspark.types import (
    BINARY,
    BOOLEAN,
    INT,
    LONG,
    STRING,
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    MapType,
    StructType,
    is_integral,
    is_null,
    is_string,
    nested_types,
)


def element_of(type: DataType) -> DataType:
    if not isinstance(type, ArrayType):
        raise NotNative("what is no array")
    return type.elementType


def has_floats(type: DataType) -> bool:
    return any(isinstance(t, FloatType | DoubleType) for t in nested_types(type))


def check_simple(type: DataType, name: str) -> None:
    """Nested elements compare and sort nulls otherwise in DuckDB, and -0.0 is another key there."""
    if isinstance(type, ArrayType | MapType | StructType) or has_floats(type):
        raise NotNative(f"{name} of nested or floating-point elements")


def simple(name: str, template: str) -> Callable[..., str]:
    """A template over arrays of plain elements."""

    def write(call: Any, *arguments: str) -> str:
        check_simple(element_of(call.arguments[0].type), name)
        return template.format(*arguments, type=duck(call))

    return write


def duck(call: Any) -> str:
    return cast_to("", call.type).removeprefix("CAST( AS ").removesuffix(")")


# ---- sizes


def size_type(call: Call) -> Typed:
    legacy = call.settings.size_of_null
    return Typed(INT, call.any_nullable and not legacy)


def sized(call: Any, value: str) -> str:
    count = f"CAST({'cardinality' if isinstance(call.arguments[0].type, MapType) else 'len'}({value}) AS INTEGER)"
    return f"coalesce({count}, -1)" if call.settings.size_of_null else count


fn("size(array|map)", sized, rule=size_type)
fn("cardinality(array|map)", sized, rule=size_type)
fn("array_size(array) -> int", "CAST(len({0}) AS INTEGER)")


# ---- searching

fn(
    "array_max(array<T>) -> T?",
    simple("array_max", "list_max({0})"),
)
fn("array_min(array<T>) -> T?", simple("array_min", "list_min({0})"))


def contains_type(call: Call) -> Typed:
    array, value = call.types
    if not isinstance(array, ArrayType):
        raise NotNative("array_contains of what is no array")
    found = common_type_without_strings([array.elementType, value], call.settings.ansi)
    if found is None or is_null(value):
        raise NotNative("array_contains of another type")
    nullable = call.any_nullable or array.containsNull
    return Typed(BOOLEAN, nullable, (ArrayType(found, array.containsNull), found))


def contained(call: Any, array: str, value: str) -> str:
    """Not found among nulls is unknown."""
    check_simple(call.arguments[1].type, "array_contains")
    found = f"list_contains({array}, {value})"
    if not call.arguments[0].type.containsNull:
        return found
    nulls = f"len(list_filter({array}, lambda e: e IS NULL)) > 0"
    return f"(CASE WHEN {found} THEN true WHEN {value} IS NOT NULL AND {nulls} THEN NULL ELSE {found} END)"


fn("array_contains(array, any)", contained, rule=contains_type)


def searched_type(result: Callable[[ArrayType], DataType]) -> Callable[[Call], Typed]:
    """The value is of the elements' type; what Spark makes of others it says itself."""

    def rule(call: Call) -> Typed:
        array, value = call.types
        if not isinstance(array, ArrayType) or array.elementType != value:
            raise NotNative(f"{call.name} of a value of another type")
        return Typed(result(array), call.any_nullable)

    return rule


POSITION = "CASE WHEN {1} IS NOT NULL AND {0} IS NOT NULL THEN coalesce(list_position({0}, {1}), 0) END"
POSITIONED = simple("array_position", f"CAST({POSITION} AS BIGINT)")
fn("array_position(array, any)", POSITIONED, rule=searched_type(lambda a: LONG))
fn(
    "array_remove(array, any)",
    simple("array_remove", "CASE WHEN {1} IS NOT NULL THEN list_filter({0}, lambda e: e IS DISTINCT FROM {1}) END"),
    rule=searched_type(lambda a: a),
)
fn("array_compact(array<T>) -> array<T!>", "list_filter({0}, lambda e: e IS NOT NULL)")


# ---- adding


def grown_type(call: Call) -> Typed:
    array, value = call.arguments[0], call.arguments[-1]
    element = element_of(array.type)
    if element != value.type:
        raise NotNative(f"{call.name} of a value of another type")
    return Typed(ArrayType(element, True), array.nullable, (None, element))


fn("array_append(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_append({0}, {1}) END", rule=grown_type)
fn("array_prepend(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_prepend({1}, {0}) END", rule=grown_type)


def repeated_type(call: Call) -> Typed:
    value, count = call.arguments
    if not isinstance(count.type, IntegerType):
        raise NotNative("array_repeat by what is no int")
    return Typed(ArrayType(value.type, value.nullable), count.nullable)


def repeated(call: Any, value: str, count: str) -> str:
    items = f"list_transform(range(greatest({count}, 0)), lambda i: {value})"
    return f"(CASE WHEN {count} IS NOT NULL THEN {cast_to(items, call.type)} END)"


fn("array_repeat(any, int)", repeated, rule=repeated_type)


# ---- as sets


def distinct(call: Any, array: str) -> str:
    """First occurrences, in order; null is a value."""
    check_simple(element_of(call.type), "array_distinct")
    return (
        f"list_filter({array}, lambda e, i: list_position({array}, e) = i OR (e IS NULL AND {first_null(array)} = i))"
    )


def first_null(array: str) -> str:
    return f"list_position(list_transform({array}, lambda n: n IS NULL), true)"


fn("array_distinct(array<T>) -> array<T>", distinct)
for name in ("array_union", "array_intersect", "array_except", "arrays_overlap"):
    result = "boolean?" if name == "arrays_overlap" else "array<T>"
    fn(f"{name}(array<T>, array<T>) -> {result}", SPARK, reason="sets with nulls in order: not written yet")


# ---- order and parts


def sort_type(call: Call) -> Typed:
    shown = [a.text for a in call.arguments] + ([] if len(call.arguments) > 1 else ["true"])
    return Typed(call.types[0], call.arguments[0].nullable, text=f"sort_array({', '.join(shown)})")


def array_sorted(call: Any, array: str, *ascending: str) -> str:
    """Nulls first ascending, last descending."""
    check_simple(element_of(call.type), "sort_array")
    constant = getattr(call.arguments[1], "value", None) if len(call.arguments) > 1 else True
    if constant is None:
        raise NotNative("sort_array by an order that is no constant")
    order = "'ASC', 'NULLS FIRST'" if constant else "'DESC', 'NULLS LAST'"
    return f"list_sort({array}, {order})"


fn("sort_array(array, boolean = true)", array_sorted, rule=sort_type)


fn("slice(array<T>, int, int) -> array<T>", SPARK, reason="its error conditions: not recorded yet")


def reversed_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, BinaryType):
        raise NotNative("reverse of bytes")
    if isinstance(type, ArrayType):
        return Typed(type, call.any_nullable)
    return Typed(STRING, False, (STRING,), add_nullable_casts=True)


def turned(call: Any, value: str) -> str:
    return f"list_reverse({value})" if isinstance(call.type, ArrayType) else f"spark_reverse({value})"


fn("reverse(string|array)", turned, rule=reversed_type)


def flattened_type(call: Call) -> Typed:
    inner = element_of(call.types[0])
    if not isinstance(inner, ArrayType):
        raise NotNative("flatten of what is no array of arrays")
    outer = call.types[0]
    return Typed(inner, call.any_nullable or outer.containsNull)


def flattened(call: Any, array: str) -> str:
    if not call.arguments[0].type.containsNull:
        return f"flatten({array})"
    nulls = f"len(list_filter({array}, lambda e: e IS NULL)) > 0"
    return f"(CASE WHEN {nulls} THEN NULL ELSE flatten({array}) END)"


fn("flatten(array)", flattened, rule=flattened_type)


# ---- elements


def check_not_made(call: Call) -> None:
    """Of an array made in place Spark knows each element's nullability by its position."""
    if getattr(call.arguments[0], "name", "") == "array":
        raise NotNative("an element of an array made in place")


def element_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        base, key = call.types
        if isinstance(base, MapType) and base.keyType == key:
            return Typed(base.valueType, True)
        if not isinstance(base, ArrayType) or not isinstance(key, IntegerType):
            raise NotNative("element_at of this")
        check_not_made(call)
        known = call.settings.ansi and not tries
        return Typed(base.elementType, call.any_nullable or base.containsNull if known else True)

    return rule


def element_at(tries: bool) -> Callable[..., str]:
    def write(call: Any, base: str, key: str) -> str:
        if isinstance(call.arguments[0].type, MapType):
            return f"{base}[{key}]"
        zero = error("INVALID_INDEX_OF_ZERO")
        outside = "NULL" if tries or not call.settings.ansi else out_of_range(base, key)
        found = f"CASE WHEN {key} = 0 THEN {zero} WHEN abs({key}) <= len({base}) THEN {base}[{key}] ELSE {outside} END"
        return f"(CASE WHEN {base} IS NOT NULL AND {key} IS NOT NULL THEN {found} END)"

    return write


def out_of_range(base: str, key: str) -> str:
    return error_with(
        "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
        indexValue=f"CAST({key} AS VARCHAR)",
        arraySize=f"CAST(len({base}) AS VARCHAR)",
        ansiConfig=text(ANSI_CONFIG),
    )


fn("element_at(array|map, any)", element_at(False), rule=element_type(False))
fn("try_element_at(array|map, any)", element_at(True), rule=element_type(True))


def get_type(call: Call) -> Typed:
    check_not_made(call)
    if not isinstance(call.types[1], IntegerType):
        raise NotNative("get by what is no int")
    return Typed(element_of(call.types[0]), True)


fn("get(array, int)", "CASE WHEN {1} >= 0 THEN {0}[{1} + 1] END", rule=get_type)


# ---- joining


def joined_type(call: Call) -> Typed:
    if all(isinstance(t, ArrayType) for t in call.types) and call.types:
        found = common_type(call.types, call.settings.ansi)
        if found is None:
            raise different_data_types(call, "concat")
        if len({str(element_of(t)) for t in call.types}) > 1:
            raise NotNative("concat of arrays of different types")
        nulls = any(t.containsNull for t in call.types if isinstance(t, ArrayType))
        assert isinstance(found, ArrayType)
        return Typed(
            ArrayType(found.elementType, nulls or found.containsNull), call.any_nullable, [found] * len(call.types)
        )
    if any(isinstance(t, ArrayType) for t in call.types):
        raise different_data_types(call, "concat")
    if call.types and all(isinstance(t, BinaryType) for t in call.types):
        return Typed(BINARY, call.any_nullable)
    return Typed(STRING, False, [STRING] * len(call.types), add_nullable_casts=True)


def concatenated(call: Any, *values: str) -> str:
    """Null when any part is: || does that for strings, bytes and lists."""
    return "(" + " || ".join(values) + ")" if values else "CAST('' AS VARCHAR)"


fn("concat(any...)", concatenated, rule=joined_type)


def array_join(call: Any, array: str, delimiter: str, *replacement: str) -> str:
    if not hasattr(call.arguments[1], "value"):
        raise NotNative("array_join by a delimiter that is no constant")
    if replacement:
        shown = f"list_transform({array}, lambda e: coalesce(e, {replacement[0]}))"
    else:
        shown = f"list_filter({array}, lambda e: e IS NOT NULL)"
    filled = " AND ".join(f"{part} IS NOT NULL" for part in (array, delimiter, *replacement))
    return f"(CASE WHEN {filled} THEN coalesce(array_to_string({shown}, {delimiter}), '') END)"


def array_join_type(call: Call) -> Typed:
    if not is_string(element_of(call.types[0])) or not all(map(is_string, call.types[1:])):
        raise NotNative("array_join of what are no strings")
    return Typed(STRING, call.any_nullable)


fn("array_join(array, string)", array_join, rule=array_join_type)
fn("array_join(array, string, string)", array_join, rule=array_join_type)


# ---- sequences


def sequence_type(call: Call) -> Typed:
    found = common_type(call.types, call.settings.ansi)
    if found is None or not is_integral(found):
        raise NotNative("a sequence of dates or timestamps")
    return Typed(ArrayType(found, False), False, [found] * len(call.types), add_nullable_casts=True)


def sequence(call: Any, start: str, stop: str, *step: str) -> str:
    if step:
        raise NotNative("a sequence with a step")
    by = f"CASE WHEN {start} <= {stop} THEN 1 ELSE -1 END"
    return cast_to(f"generate_series(CAST({start} AS BIGINT), CAST({stop} AS BIGINT), CAST({by} AS BIGINT))", call.type)


fn("sequence(any, any, any...)", sequence, rule=sequence_type)
fn("shuffle(array<T>, bigint = null) -> array<T>", SPARK, deterministic=False, reason="Spark's random numbers")
fn("arrays_zip(array...)", SPARK, rule=lambda call: refuse("arrays_zip"), reason="not written yet")
fn("array_insert(array<T>, int, T?) -> array<T?>", SPARK, reason="not written yet")


def refuse(name: str) -> Typed:
    raise NotNative(f"function {name}")


# ---- lambdas


def require_lambda(call: Call) -> None:
    if not hasattr(call.arguments[1], "parameters"):
        raise NotNative(f"{call.name} without a lambda")


def transform_type(call: Call) -> Typed:
    require_lambda(call)
    array, function = call.arguments
    return Typed(ArrayType(function.type, function.nullable), array.nullable)


def with_index(call: Any, array: str, function: str) -> str:
    """DuckDB counts positions from one."""
    names = [p.key for p in call.arguments[1].parameters]
    if len(names) < 2:
        return function
    body = function.partition(": ")[2].replace(names[1], f"CAST({names[1]} - 1 AS INTEGER)")
    return f"lambda {names[0]}, {names[1]}: {body}"


def transformed(call: Any, array: str, function: str) -> str:
    return f"list_transform({array}, {with_index(call, array, function)})"


fn("transform(array, any)", transformed, rule=transform_type)


def kept_type(call: Call) -> Typed:
    require_lambda(call)
    return Typed(call.types[0], call.arguments[0].nullable)


def kept(call: Any, array: str, function: str) -> str:
    if not isinstance(call.arguments[1].type, BooleanType):
        raise NotNative("filter by what is no boolean")
    return f"list_filter({array}, {with_index(call, array, function)})"


fn("filter(array, any)", kept, rule=kept_type)


def quantified_type(call: Call) -> Typed:
    require_lambda(call)
    return Typed(BOOLEAN, call.any_nullable)


def quantified(decides: str, otherwise: str) -> Callable[..., str]:
    """Decided by one, unknown when some are unknown (legacy.followThreeValuedLogicInArrayExists)."""

    def write(call: Any, array: str, function: str) -> str:
        flags = f"list_transform({array}, {function})"
        unknown = f"len(list_filter({flags}, lambda f: f IS NULL)) > 0"
        found = (
            f"CASE WHEN list_contains({flags}, {decides}) THEN {decides} WHEN {unknown} THEN NULL ELSE {otherwise} END"
        )
        return f"(CASE WHEN {array} IS NOT NULL THEN {found} END)"

    return write


fn("exists(array, any)", quantified("true", "false"), rule=quantified_type)
fn("forall(array, any)", quantified("false", "true"), rule=quantified_type)
