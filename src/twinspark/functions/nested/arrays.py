"""Array functions: size, append, insert, repeat, slice, flatten, element_at, array_join, arrays_zip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import tightest_common_type
from twinspark.functions.nested.array_sets import common_element_type, element_of
from twinspark.functions.nested.elements import element_nullable, from_one, from_zero
from twinspark.functions.nested.maps import is_constant_null, key_type, lookup_sql
from twinspark.functions.notation.error_sql import error, error_with, not_native
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    quote_expression,
    type_text,
    unexpected_input_type,
)
from twinspark.functions.notation.value_memory import room_unfolded, size_of
from twinspark.types import (
    BINARY,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    ByteType,
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
from twinspark.types.duckdb import cast_to, duck_text, duck_type

# ---- sizes


def size_type(call: Call) -> Typed:
    legacy = call.settings.size_of_null
    return Typed(INT, call.any_nullable and not legacy)


def write_size(call: Any, value: str) -> str:
    if getattr(call.arguments[0], "name", "") == "map":  # Spark may count the entries without checking the keys
        if not is_foldable(call.arguments[0]):
            raise NotNative(reasons.ERROR_TIMING, "the size of a map built in the query")
        return f"CAST({len(call.arguments[0].arguments) // 2} AS INTEGER)"
    count = f"CAST({'cardinality' if isinstance(call.arguments[0].type, MapType) else 'len'}({value}) AS INTEGER)"
    return f"coalesce({count}, -1)" if call.settings.size_of_null else count


fn("size(array|map)", write_size, rule=size_type)
fn("cardinality(array|map)", write_size, rule=size_type)
fn("array_size(array) -> int", "CAST(len({0}) AS INTEGER)")


fn("array_compact(array<T>) -> array<T!>", "list_filter({0}, lambda e: e IS NOT NULL)")


# ---- adding


def grown_type(call: Call) -> Typed:
    array, value = common_element_type(call, call.types[1])
    return Typed(ArrayType(value, True), call.arguments[0].nullable, (array, value))


fn("array_append(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_append({0}, {1}) END", rule=grown_type)
fn("array_prepend(array, any)", "CASE WHEN {0} IS NOT NULL THEN list_prepend({1}, {0}) END", rule=grown_type)


def array_insert_type(call: Call) -> Typed:
    check_inserted(call)
    array, value = common_element_type(call, call.types[2])
    nullable = call.arguments[0].nullable or call.arguments[1].nullable
    return Typed(ArrayType(value, True), nullable, (array, INT, value))


def check_inserted(call: Call) -> None:
    """The checks of ArrayInsert.checkInputDataTypes."""
    array, position, value = call.types
    if not isinstance(array, ArrayType):
        raise different_array_types(call)
    if not isinstance(position, ByteType | ShortType | IntegerType):
        raise unexpected_input_type(call, 1, type_text(INT))
    if not is_null(value) and tightest_common_type(array.elementType, value, False) is None:
        raise different_array_types(call)


def different_array_types(call: Call) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
        sqlExpr=quote_expression(call.text),
        functionName=f"`{call.name}`",
        dataType='"ARRAY"',
        leftType=type_text(call.types[0]),
        rightType=type_text(call.types[2]),
    )


AT_ONCE = 16  # elements that are written one by one


def constant(argument: Any) -> int | None:
    found = getattr(argument, "value", None)
    return found if isinstance(found, int) else None


def write_array_insert(call: Any, array: str, position: str, value: str) -> str:
    """At a constant position inside the array, the general case is evaluated only for arrays that are shorter."""
    place, anywhere = constant(call.arguments[1]), write_insert_anywhere(call, array, position, value)
    if place is None or place < 1:
        return anywhere
    new = cast_to(f"[{value}]", call.type)
    there = f"({array})[1:{place - 1}] || {new} || ({array})[{place}:]"
    return f"(CASE WHEN len({array}) >= {place - 1} THEN {there} ELSE {anywhere} END)"


def write_insert_anywhere(call: Any, array: str, position: str, value: str) -> str:
    """Positions count from one, or from the end if negative; positions beyond the array are filled with nulls."""
    none = f"CAST([] AS {duck_type(call.type)})"
    new = f"{none} || [{value}]"
    gap = f"list_resize({none}, CAST({{}} AS BIGINT))"
    size = f"len({array})"
    between = gap.format(f"greatest({position} - {size} - 1, 0)")
    front = f"({array})[1:{position} - 1] || {between} || {new} || ({array})[{position}:]"
    inside = f"({array})[1:{size} + {position} + 1] || {new} || ({array})[{size} + {position} + 2:]"
    before = f"{new} || {gap.format(f'-{position} - {size} - 1')} || {array}"
    far = not_native(reasons.ARRAY_INDEX, "array_insert far beyond the end of an array")
    found = (
        f"CASE WHEN {position} = 0 THEN {error('INVALID_INDEX_OF_ZERO')} "
        f"WHEN abs({position}::BIGINT) > 10000000 THEN {far} "
        f"WHEN {position} > 0 THEN {front} WHEN -{position} <= {size} THEN {inside} ELSE {before} END"
    )
    return f"(CASE WHEN {array} IS NOT NULL AND {position} IS NOT NULL THEN {found} END)"


fn("array_insert(any, any, any)", write_array_insert, rule=array_insert_type)


LONGEST = 2147483632  # the most elements of an array in Spark (ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH)


def array_repeat_type(call: Call) -> Typed:
    value, count = call.arguments
    if not isinstance(count.type, IntegerType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "array_repeat with a count that is not an int")
    return Typed(ArrayType(value.type, value.nullable), count.nullable)


def write_array_repeat(call: Any, value: str, count: str) -> str:
    times = constant(call.arguments[1])
    if times is not None and 0 < times <= AT_ONCE:
        return cast_to(f"[{', '.join([value] * times)}]", call.type)
    size = f"2 * CAST({count} AS BIGINT) * (32 + {size_of(value, call.arguments[0].type)})"
    checked = room_unfolded(checked_count(call, count), f"coalesce({size}, 0)")
    items = f"list_transform(range({checked}), lambda i: {value})"
    return f"(CASE WHEN {count} IS NOT NULL THEN {cast_to(items, call.type)} END)"


def checked_count(call: Any, count: str) -> str:
    """ArrayRepeat.eval, which folds constants, and Spark's generated code have different messages for a count that is
    too large."""
    if all(map(is_foldable, call.arguments)):
        limits = {"numberOfElements": f"CAST({count} AS VARCHAR)", "maxRoundedArrayLength": duck_text(str(LONGEST))}
        names = {"parameter": duck_text("`count`"), "functionName": duck_text("`array_repeat`")}
        long = error_with("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", **limits, **names)
    else:
        limits = {"numElements": f"CAST({count} AS VARCHAR)", "maxRoundedArrayLength": duck_text(str(LONGEST))}
        long = error_with(
            "_LEGACY_ERROR_TEMP_2176", **limits, additionalErrorMessage=duck_text(" array_repeat failed.")
        )
    return f"CASE WHEN {count} > {LONGEST} THEN {long} ELSE greatest({count}, 0) END"


fn("array_repeat(any, int)", write_array_repeat, rule=array_repeat_type)


# ---- slices


def write_slice(call: Any, array: str, start: str, length: str) -> str:
    """The start counts from one, or from the end if negative; a start outside the array returns an empty array."""
    zero = error("INVALID_PARAMETER_VALUE.START", parameter="`start`", functionName="`slice`")
    short = error_with(
        "INVALID_PARAMETER_VALUE.LENGTH",
        parameter=duck_text("`length`"),
        length=f"CAST({length} AS VARCHAR)",
        functionName=duck_text("`slice`"),
    )
    first = f"CASE WHEN {start} > 0 THEN CAST({start} AS BIGINT) ELSE len({array}) + {start} + 1 END"
    taken = f"({array})[{first}:{first} + {length} - 1]"
    part = f"CASE WHEN {first} BETWEEN 1 AND len({array}) THEN {taken} ELSE ({array})[1:0] END"
    found = f"CASE WHEN {start} = 0 THEN {zero} WHEN {length} < 0 THEN {short} ELSE {part} END"
    return f"(CASE WHEN {array} IS NOT NULL AND {start} IS NOT NULL AND {length} IS NOT NULL THEN {found} END)"


fn("slice(array<T>, int, int) -> array<T>", write_slice)


def reversed_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, BinaryType):
        return Typed(BINARY, call.any_nullable, (BINARY,), "spark_bytes_reverse({0})")
    if isinstance(type, ArrayType):
        return Typed(type, call.any_nullable)
    return Typed(STRING, False, (STRING,), add_nullable_casts=True)


def write_reverse(call: Any, value: str) -> str:
    return f"list_reverse({value})" if isinstance(call.type, ArrayType) else f"spark_reverse({value})"


fn("reverse(string|array)", write_reverse, rule=reversed_type)


def flatten_type(call: Call) -> Typed:
    inner = element_of(call.types[0])
    if not isinstance(inner, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "flatten of a value that is not an array of arrays")
    outer = call.types[0]
    return Typed(inner, call.any_nullable or outer.containsNull)


def write_flatten(call: Any, array: str) -> str:
    if not call.arguments[0].type.containsNull:
        return f"flatten({array})"
    nulls = f"list_count({array}) <> len({array})"
    return f"(CASE WHEN {nulls} THEN NULL ELSE flatten({array}) END)"


fn("flatten(array)", write_flatten, rule=flatten_type)


# ---- elements


def element_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        base, key = call.types
        if isinstance(base, MapType) and (found := key_type(base, key)) is not None:
            return Typed(base.valueType, True, (None, found))
        if not isinstance(base, ArrayType) or not isinstance(key, ByteType | ShortType | IntegerType):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "element_at")
        nullable = element_nullable(call, call.settings.ansi and not tries, from_one)
        return Typed(base.elementType, nullable, (None, INT))

    return rule


def element_at(tries: bool) -> Callable[..., str]:
    def write(call: Any, base: str, key: str) -> str:
        if isinstance(call.arguments[0].type, MapType):
            if is_constant_null(call.arguments[1]) and is_foldable(call.arguments[0]):
                return cast_to("NULL", call.type)  # Spark does not build the map in that case
            return lookup_sql(base, call.arguments[0].type, key)
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
    if is_null(call.types[0]):
        raise unexpected_input_type(call, 0, '"ARRAY"')
    if not is_integral(call.types[1]):
        raise NotNative(reasons.ARRAY_INDEX, "get with an index that is not a whole number")
    return Typed(element_of(call.types[0]), element_nullable(call, False, from_zero))


def write_get(call: Any, array: str, index: str) -> str:
    """An index before the first element is position 0 or less in DuckDB, which returns null as in Spark."""
    if is_constant_null(call.arguments[1]) and is_foldable(call.arguments[0]):
        return cast_to("NULL", call.type)
    if isinstance(call.arguments[1].type, LongType):  # Spark uses only the low 32 bits
        far = not_native(reasons.ARRAY_INDEX, "an index that does not fit an int")
        index = f"(CASE WHEN {index} NOT BETWEEN -2147483648 AND 2147483647 THEN {far} ELSE {index} END)"
    return f"({array})[greatest(CAST({index} AS BIGINT), -1) + 1]"


fn("get(array, any)", write_get, rule=get_type)


# ---- joining


def array_join(call: Any, array: str, delimiter: str, *replacement: str) -> str:
    """Joins element by element if the delimiter is not constant, since array_to_string needs a constant."""
    if replacement:
        shown = f"list_transform({array}, lambda e: coalesce(e, {replacement[0]}))"
    else:
        shown = f"list_filter({array}, lambda e: e IS NOT NULL)"
    filled = " AND ".join(f"{part} IS NOT NULL" for part in (array, delimiter, *replacement))
    if hasattr(call.arguments[1], "value"):
        joined = f"array_to_string({shown if replacement else array}, {delimiter})"  # which skips nulls
    else:
        parts = f"list_transform({shown}, lambda e, i: CASE WHEN i = 1 THEN e ELSE {delimiter} || e END)"
        joined = f"array_to_string({parts}, '')"
    return f"(CASE WHEN {filled} THEN coalesce({joined}, '') END)"


def array_join_type(call: Call) -> Typed:
    if not all(is_string(t) or is_null(t) for t in call.types[1:]) or not isinstance(call.types[0], ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "array_join of values that are not strings")
    array = call.types[0]
    element = array.elementType
    if not is_string(element) and implicit_type(element, ("string",), call.settings.ansi) is None:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "array_join of values that are not strings")
    casts = [ArrayType(STRING, array.containsNull), *([STRING] * (len(call.types) - 1))]
    return Typed(STRING, call.any_nullable, casts)


fn("array_join(array, string)", array_join, rule=array_join_type)
fn("array_join(array, string, string)", array_join, rule=array_join_type)


def shuffle_type(call: Call) -> Typed:
    """The column name does not show the seed, and a null seed does not make the result null."""
    array = call.arguments[0]
    if not isinstance(array.type, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "shuffle of a value that is not an array")
    return Typed(array.type, array.nullable, text=f"shuffle({array.text})")


fn(
    "shuffle(array<T>, bigint = null)",
    SPARK,
    rule=shuffle_type,
    deterministic=False,
    cause=Cause(reasons.RANDOM_NUMBERS),
)


def arrays_zip_type(call: Call) -> Typed:
    """The fields have the names of columns, or their index for other expressions."""
    names = [zip_field_name(a, i) for i, a in enumerate(call.arguments)]
    fields = [StructField(n, element_of(a.type), True) for n, a in zip(names, call.arguments, strict=True)]
    return Typed(ArrayType(StructType(fields), False), call.any_nullable)


def zip_field_name(argument: Any, index: int) -> str:
    kind = type(argument).__name__
    if kind not in ("Column", "Call", "Literal", "Cast"):
        raise NotNative(reasons.COLUMN_NAME_GENERATED, "the fields of arrays_zip")
    return str(argument.text) if kind == "Column" else str(index)


def write_arrays_zip(call: Any, *arrays: str) -> str:
    duck_type(call.type)
    filled = " AND ".join(f"{array} IS NOT NULL" for array in arrays)
    return f"(CASE WHEN {filled} THEN CAST(list_zip({', '.join(arrays)}) AS {duck_type(call.type)}) END)"


fn("arrays_zip(array...+)", write_arrays_zip, rule=arrays_zip_type)
