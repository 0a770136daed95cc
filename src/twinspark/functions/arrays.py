"""Array functions and those that take lambdas over arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.common_types import can_up_cast, common_type
from twinspark.functions.elements import element_nullable, from_one, from_zero, is_foldable
from twinspark.functions.families import implicit_type
from twinspark.functions.maps import is_constant_null, key_type, looked_up
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.sets import element_of, met
from twinspark.functions.spelling import cast_to, duck_type, error, error_with, text
from twinspark.functions.typing import Call, Typed, different_data_types
from twinspark.types import (
    BINARY,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    ByteType,
    CalendarIntervalType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StructField,
    StructType,
    is_integral,
    is_null,
    is_string,
)

# ---- sizes


def size_type(call: Call) -> Typed:
    legacy = call.settings.size_of_null
    return Typed(INT, call.any_nullable and not legacy)


def sized(call: Any, value: str) -> str:
    if getattr(call.arguments[0], "name", "") == "map":  # Spark may count the entries without a look at the keys
        if not is_foldable(call.arguments[0]):
            raise NotNative("the size of a map made in place")
        return f"CAST({len(call.arguments[0].arguments) // 2} AS INTEGER)"
    count = f"CAST({'cardinality' if isinstance(call.arguments[0].type, MapType) else 'len'}({value}) AS INTEGER)"
    return f"coalesce({count}, -1)" if call.settings.size_of_null else count


fn("size(array|map)", sized, rule=size_type)
fn("cardinality(array|map)", sized, rule=size_type)
fn("array_size(array) -> int", "CAST(len({0}) AS INTEGER)")


fn("array_compact(array<T>) -> array<T!>", "list_filter({0}, lambda e: e IS NOT NULL)")


# ---- adding


def grown_type(call: Call) -> Typed:
    array, value = met(call, call.types[1])
    return Typed(ArrayType(value, True), call.arguments[0].nullable, (array, value))


fn("array_append(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_append({0}, {1}) END", rule=grown_type)
fn("array_prepend(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_prepend({1}, {0}) END", rule=grown_type)


def inserted_type(call: Call) -> Typed:
    array, value = met(call, call.types[2])
    if not isinstance(call.types[1], ByteType | ShortType | IntegerType):
        raise NotNative("array_insert at what is no int")
    nullable = call.arguments[0].nullable or call.arguments[1].nullable
    return Typed(ArrayType(value, True), nullable, (array, INT, value))


AT_ONCE = 16  # elements that are spelled one by one


def constant(argument: Any) -> int | None:
    found = getattr(argument, "value", None)
    return found if isinstance(found, int) else None


def inserted(call: Any, array: str, position: str, value: str) -> str:
    """At a constant place that most arrays reach the rest need not be looked at."""
    place, anywhere = constant(call.arguments[1]), inserted_anywhere(call, array, position, value)
    if place is None or place < 1:
        return anywhere
    new = cast_to(f"[{value}]", call.type)
    there = f"({array})[1:{place - 1}] || {new} || ({array})[{place}:]"
    return f"(CASE WHEN len({array}) >= {place - 1} THEN {there} ELSE {anywhere} END)"


def inserted_anywhere(call: Any, array: str, position: str, value: str) -> str:
    """From one, or from the end when negative; what lies between is filled with nulls."""
    none = f"CAST([] AS {duck_type(call.type)})"
    new = f"{none} || [{value}]"
    gap = f"list_resize({none}, CAST({{}} AS BIGINT))"
    size = f"len({array})"
    between = gap.format(f"greatest({position} - {size} - 1, 0)")
    front = f"({array})[1:{position} - 1] || {between} || {new} || ({array})[{position}:]"
    inside = f"({array})[1:{size} + {position} + 1] || {new} || ({array})[{size} + {position} + 2:]"
    before = f"{new} || {gap.format(f'-{position} - {size} - 1')} || {array}"
    far = not_native("array_insert far beyond the end")
    found = (
        f"CASE WHEN {position} = 0 THEN {error('INVALID_INDEX_OF_ZERO')} "
        f"WHEN abs({position}::BIGINT) > 10000000 THEN {far} "
        f"WHEN {position} > 0 THEN {front} WHEN -{position} <= {size} THEN {inside} ELSE {before} END"
    )
    return f"(CASE WHEN {array} IS NOT NULL AND {position} IS NOT NULL THEN {found} END)"


fn("array_insert(array, any, any)", inserted, rule=inserted_type)


def repeated_type(call: Call) -> Typed:
    value, count = call.arguments
    if not isinstance(count.type, IntegerType):
        raise NotNative("array_repeat by what is no int")
    return Typed(ArrayType(value.type, value.nullable), count.nullable)


def repeated(call: Any, value: str, count: str) -> str:
    times = constant(call.arguments[1])
    if times is not None and 0 < times <= AT_ONCE:
        return cast_to(f"[{', '.join([value] * times)}]", call.type)
    items = f"list_transform(range(greatest({count}, 0)), lambda i: {value})"
    return f"(CASE WHEN {count} IS NOT NULL THEN {cast_to(items, call.type)} END)"


fn("array_repeat(any, int)", repeated, rule=repeated_type)


# ---- parts


def sliced(call: Any, array: str, start: str, length: str) -> str:
    """From one, or from the end; before the beginning or after the end there is nothing."""
    zero = error("INVALID_PARAMETER_VALUE.START", parameter="`start`", functionName="`slice`")
    short = error_with(
        "INVALID_PARAMETER_VALUE.LENGTH",
        parameter=text("`length`"),
        length=f"CAST({length} AS VARCHAR)",
        functionName=text("`slice`"),
    )
    first = f"CASE WHEN {start} > 0 THEN CAST({start} AS BIGINT) ELSE len({array}) + {start} + 1 END"
    taken = f"({array})[{first}:{first} + {length} - 1]"
    part = f"CASE WHEN {first} BETWEEN 1 AND len({array}) THEN {taken} ELSE ({array})[1:0] END"
    found = f"CASE WHEN {start} = 0 THEN {zero} WHEN {length} < 0 THEN {short} ELSE {part} END"
    return f"(CASE WHEN {array} IS NOT NULL AND {start} IS NOT NULL AND {length} IS NOT NULL THEN {found} END)"


fn("slice(array<T>, int, int) -> array<T>", sliced)


def reversed_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, BinaryType):
        return Typed(BINARY, call.any_nullable, (BINARY,), "spark_bytes_reverse({0})")
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
    nulls = f"list_count({array}) <> len({array})"
    return f"(CASE WHEN {nulls} THEN NULL ELSE flatten({array}) END)"


fn("flatten(array)", flattened, rule=flattened_type)


# ---- elements


def element_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        base, key = call.types
        if isinstance(base, MapType) and (found := key_type(base, key)) is not None:
            return Typed(base.valueType, True, (None, found))
        if not isinstance(base, ArrayType) or not isinstance(key, ByteType | ShortType | IntegerType):
            raise NotNative("element_at of this")
        nullable = element_nullable(call, call.settings.ansi and not tries, from_one)
        return Typed(base.elementType, nullable, (None, INT))

    return rule


def element_at(tries: bool) -> Callable[..., str]:
    def write(call: Any, base: str, key: str) -> str:
        if isinstance(call.arguments[0].type, MapType):
            if is_constant_null(call.arguments[1]) and is_foldable(call.arguments[0]):
                return cast_to("NULL", call.type)  # Spark does not make the map then
            return looked_up(base, call.arguments[0].type, key)
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
    )


fn("element_at(array|map, any)", element_at(False), rule=element_type(False))
fn("try_element_at(array|map, any)", element_at(True), rule=element_type(True))


def get_type(call: Call) -> Typed:
    if not is_integral(call.types[1]):
        raise NotNative("get by what is no whole number")
    return Typed(element_of(call.types[0]), element_nullable(call, False, from_zero))


def got(call: Any, array: str, index: str) -> str:
    """Position 0 is outside in DuckDB, as everything before the first element is here."""
    if is_constant_null(call.arguments[1]) and is_foldable(call.arguments[0]):
        return cast_to("NULL", call.type)
    if isinstance(call.arguments[1].type, LongType):  # Spark takes its last 32 bits
        far = not_native("an index beyond the ints")
        index = f"(CASE WHEN {index} NOT BETWEEN -2147483648 AND 2147483647 THEN {far} ELSE {index} END)"
    return f"({array})[greatest(CAST({index} AS BIGINT), -1) + 1]"


fn("get(array, any)", got, rule=get_type)


# ---- joining


def joined_type(call: Call) -> Typed:
    if all(isinstance(t, ArrayType) for t in call.types) and call.types:
        found = common_type(call.types, call.settings.ansi)
        if found is None:
            raise different_data_types(call, "concat")
        if call.any_nullable and not all(can_up_cast(t, found) for t in call.types):
            raise NotNative("concat of casts that may fail after a null")
        nulls = any(t.containsNull for t in call.types if isinstance(t, ArrayType))
        assert isinstance(found, ArrayType)
        return Typed(
            ArrayType(found.elementType, nulls or found.containsNull), call.any_nullable, [found] * len(call.types)
        )
    if any(isinstance(t, ArrayType) for t in call.types):
        raise different_data_types(call, "concat")
    if any(isinstance(t, MapType | StructType | CalendarIntervalType) for t in call.types):
        raise NotNative("concat of maps, structs or calendar intervals")
    if call.types and all(isinstance(t, BinaryType) for t in call.types):
        return Typed(BINARY, call.any_nullable)
    return Typed(STRING, False, [STRING] * len(call.types), add_nullable_casts=True)


def concatenated(call: Any, *values: str) -> str:
    """Null when any part is: || does that for strings, bytes and lists."""
    return "(" + " || ".join(values) + ")" if values else "CAST('' AS VARCHAR)"


fn("concat(any...)", concatenated, rule=joined_type)


def array_join(call: Any, array: str, delimiter: str, *replacement: str) -> str:
    """Piece by piece where the delimiter is no constant: DuckDB wants one there."""
    if replacement:
        shown = f"list_transform({array}, lambda e: coalesce(e, {replacement[0]}))"
    else:
        shown = f"list_filter({array}, lambda e: e IS NOT NULL)"
    filled = " AND ".join(f"{part} IS NOT NULL" for part in (array, delimiter, *replacement))
    if hasattr(call.arguments[1], "value"):
        joined = f"array_to_string({shown if replacement else array}, {delimiter})"  # which leaves nulls out itself
    else:
        parts = f"list_transform({shown}, lambda e, i: CASE WHEN i = 1 THEN e ELSE {delimiter} || e END)"
        joined = f"array_to_string({parts}, '')"
    return f"(CASE WHEN {filled} THEN coalesce({joined}, '') END)"


def array_join_type(call: Call) -> Typed:
    if not all(is_string(t) or is_null(t) for t in call.types[1:]) or not isinstance(call.types[0], ArrayType):
        raise NotNative("array_join of what are no strings")
    array = call.types[0]
    element = array.elementType
    if not is_string(element) and implicit_type(element, ("string",), call.settings.ansi) is None:
        raise NotNative("array_join of what are no strings")
    casts = [ArrayType(STRING, array.containsNull), *([STRING] * (len(call.types) - 1))]
    return Typed(STRING, call.any_nullable, casts)


fn("array_join(array, string)", array_join, rule=array_join_type)
fn("array_join(array, string, string)", array_join, rule=array_join_type)


def shuffle_type(call: Call) -> Typed:
    """The seed is not shown, and no null by itself."""
    array = call.arguments[0]
    if not isinstance(array.type, ArrayType):
        raise NotNative("shuffle of what is no array")
    return Typed(array.type, array.nullable, text=f"shuffle({array.text})")


fn("shuffle(array<T>, bigint = null)", SPARK, rule=shuffle_type, deterministic=False, reason="Spark's random numbers")


def zipped_type(call: Call) -> Typed:
    """A column gives its name, anything else its place."""
    names = [zipped_name(a, i) for i, a in enumerate(call.arguments)]
    fields = [StructField(n, element_of(a.type), True) for n, a in zip(names, call.arguments, strict=True)]
    return Typed(ArrayType(StructType(fields), False), call.any_nullable)


def zipped_name(argument: Any, place: int) -> str:
    kind = type(argument).__name__
    if kind not in ("Column", "Call", "Literal", "Cast"):
        raise NotNative("arrays_zip of what Spark names in its own way")
    return str(argument.text) if kind == "Column" else str(place)


def zipped(call: Any, *arrays: str) -> str:
    duck_type(call.type)
    filled = " AND ".join(f"{array} IS NOT NULL" for array in arrays)
    return f"(CASE WHEN {filled} THEN CAST(list_zip({', '.join(arrays)}) AS {duck_type(call.type)}) END)"


fn("arrays_zip(array...+)", zipped, rule=zipped_type)
