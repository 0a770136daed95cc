"""Arrays searched, sorted and taken as sets: with the equality and the order that Spark gives to every type.

DuckDB orders nulls inside nested values otherwise and keeps -0.0 apart; there the extension's C functions say positions
and SQL takes the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.casts import not_native
from twinspark.functions.common_types import tightest_common_type, wider_type_without_strings
from twinspark.functions.registry import fn
from twinspark.functions.spelling import cast_to, quoted_name
from twinspark.functions.typing import Call, Typed, quoted, type_text, unexpected_input_type
from twinspark.types import (
    BOOLEAN,
    LONG,
    ArrayType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StructType,
    VariantType,
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


def is_plain(type: DataType) -> bool:
    """DuckDB compares it as Spark does."""
    return not isinstance(type, ArrayType | MapType | StructType) and not has_floats(type) and not is_null(type)


def check_orderable(type: DataType, name: str) -> None:
    if any(isinstance(t, MapType | VariantType) for t in nested_types(type)):
        raise NotNative(f"{name} of what has no order")


def plain_or_native(plain: str, native: str) -> Callable[..., str]:
    """A template for elements that DuckDB compares alike, and one with the extension's functions for the others."""

    def write(call: Any, *arguments: str) -> str:
        element = element_of(call.arguments[0].type)
        check_orderable(element, call.name)
        return (plain if is_plain(element) else native).format(*arguments)

    return write


# ---- searching


def extreme_type(call: Call) -> Typed:
    return Typed(element_of(call.types[0]), True)


fn("array_max(array)", plain_or_native("list_max({0})", "{0}[spark_array_max({0})]"), rule=extreme_type)
fn("array_min(array)", plain_or_native("list_min({0})", "{0}[spark_array_min({0})]"), rule=extreme_type)


Meeting = Callable[[DataType, DataType, bool], DataType | None]


def met(call: Call, value: DataType, meeting: Meeting = tightest_common_type) -> tuple[ArrayType, DataType]:
    """The array and the value of one type, by the rules without ANSI whatever the mode is."""
    array = call.types[0]
    found = meeting(element_of(array), value, False)
    assert isinstance(array, ArrayType)
    if found is None or (is_null(value) and isinstance(found, ArrayType | MapType | StructType)):
        raise NotNative(f"{call.name} of a value of another type")
    return ArrayType(found, array.containsNull), found


def contains_type(call: Call) -> Typed:
    array, value = call.types
    if is_null(array) or is_null(value):
        raise NotNative("array_contains of void")
    casts = met(call, value, wider_type_without_strings)
    return Typed(BOOLEAN, call.any_nullable or casts[0].containsNull, casts)


def contained(call: Any, array: str, value: str) -> str:
    """Not found among nulls is unknown."""
    type = call.arguments[0].type
    check_orderable(type, "array_contains")
    plain = is_plain(type.elementType)
    found = f"list_contains({array}, {value})" if plain else f"(spark_array_position({array}, [{value}]) > 0)"
    if not type.containsNull:
        return f"(CASE WHEN {value} IS NOT NULL THEN {found} END)"
    nulls = f"len(list_filter({array}, lambda e: e IS NULL)) > 0"
    return f"(CASE WHEN {value} IS NULL THEN NULL WHEN {found} THEN true WHEN {nulls} THEN NULL ELSE {found} END)"


fn("array_contains(array, any)", contained, rule=contains_type)


def position_type(call: Call) -> Typed:
    return Typed(LONG, call.any_nullable, met(call, call.types[1]))


def removed_type(call: Call) -> Typed:
    casts = met(call, call.types[1])
    return Typed(casts[0], call.any_nullable, casts)


fn(
    "array_position(array, any)",
    plain_or_native(
        "CAST(CASE WHEN {1} IS NOT NULL AND {0} IS NOT NULL THEN coalesce(list_position({0}, {1}), 0) END AS BIGINT)",
        "spark_array_position({0}, [{1}])",
    ),
    rule=position_type,
)
fn(
    "array_remove(array, any)",
    plain_or_native(
        "CASE WHEN {1} IS NOT NULL THEN list_filter({0}, lambda e: e IS DISTINCT FROM {1}) END",
        "CASE WHEN {1} IS NOT NULL THEN list_select({0}, spark_array_others({0}, [{1}])) END",
    ),
    rule=removed_type,
)


# ---- sets


def normalized(sql: str, type: DataType, depth: int = 0) -> str:
    """Every -0.0 becomes 0.0, as Spark does before it compares (NormalizeFloatingNumbers)."""
    if not has_floats(type):
        return sql
    if isinstance(type, ArrayType):
        key = f"n{depth}"
        return f"list_transform({sql}, lambda {key}: {normalized(key, type.elementType, depth + 1)})"
    if isinstance(type, StructType):
        parts = [
            f"{quoted_name(f.name)} := {normalized(f'({sql}).{quoted_name(f.name)}', f.dataType, depth)}"
            for f in type.fields
        ]
        return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
    return cast_to(f"{sql} + 0", type)


def distinct_type(call: Call) -> Typed:
    element_of(call.types[0])
    return Typed(call.types[0], call.any_nullable)


def distinct(call: Any, array: str) -> str:
    check_orderable(call.type, "array_distinct")
    clean = normalized(array, call.type)
    return f"list_select({clean}, spark_array_distinct({clean}))"


fn("array_distinct(array)", distinct, rule=distinct_type)


def two_arrays(call: Call) -> tuple[ArrayType, ArrayType]:
    left, right = call.types
    found = tightest_common_type(element_of(left), element_of(right), False)
    if found is None or not isinstance(left, ArrayType) or not isinstance(right, ArrayType):
        raise NotNative(f"{call.name} of arrays of different types")
    return ArrayType(found, left.containsNull), ArrayType(found, right.containsNull)


def set_type(nulls: Callable[[bool, bool], bool]) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        left, right = two_arrays(call)
        result = ArrayType(left.elementType, nulls(left.containsNull, right.containsNull))
        return Typed(result, call.any_nullable, (left, right))

    return rule


def sifted(name: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        check_orderable(call.type, call.name)
        if isinstance(call.type.elementType, IntegerType | LongType):  # the elements themselves, in one pass
            return f"spark_whole_{name}({left}, {right})"
        left, right = (normalized(side, call.type) for side in (left, right))
        return f"list_select({left}, spark_{name}({left}, {right}))"

    return write


def united(call: Any, left: str, right: str) -> str:
    check_orderable(call.type, "array_union")
    both = f"({normalized(left, call.type)} || {normalized(right, call.type)})"
    return f"list_select({both}, spark_array_distinct({both}))"


fn("array_union(array, array)", united, rule=set_type(lambda a, b: a or b))
fn("array_intersect(array, array)", sifted("array_intersect"), rule=set_type(lambda a, b: a and b))
fn("array_except(array, array)", sifted("array_except"), rule=set_type(lambda a, b: a))


def overlap_type(call: Call) -> Typed:
    left, right = two_arrays(call)
    return Typed(BOOLEAN, call.any_nullable or left.containsNull or right.containsNull, (left, right))


def overlapping(call: Any, left: str, right: str) -> str:
    check_orderable(call.arguments[0].type, "arrays_overlap")
    return f"spark_arrays_overlap({left}, {right})"


fn("arrays_overlap(array, array)", overlapping, rule=overlap_type)


# ---- orders


def sort_type(call: Call) -> Typed:
    if len(call.arguments) > 1 and is_string(call.types[1]):  # no text is read as an order
        raise unexpected_input_type(call, 1, '"BOOLEAN"')
    shown = [a.text for a in call.arguments] + ([] if len(call.arguments) > 1 else ["true"])
    return Typed(call.types[0], call.arguments[0].nullable, text=f"sort_array({', '.join(shown)})")


def array_sorted(call: Any, array: str, *ascending: str) -> str:
    """Nulls first ascending, last descending."""
    element = element_of(call.type)
    check_orderable(element, "sort_array")
    constant = getattr(call.arguments[1], "value", None) if len(call.arguments) > 1 else True
    if constant is None:
        raise NotNative("sort_array by an order that is no constant")
    if not is_plain(element):
        made = f"list_select({array}, spark_sort_positions({array}, {0 if constant else 1}))"
        quick = constant and isinstance(element, DoubleType | FloatType) and not call.type.containsNull
        return one_kind_of_zero(made, array) if quick else made
    order = "'ASC', 'NULLS FIRST'" if constant else "'DESC', 'NULLS LAST'"
    return f"list_sort({array}, {order})"


def one_kind_of_zero(made: str, array: str) -> str:
    """Generated code sorts numbers without nulls by Java's order, in which -0.0 is less; otherwise they are equal."""
    kinds = f"len(list_distinct([signbit(z_) for z_ in {array} if z_ = 0]))"
    both = not_native("sort_array of 0.0 and -0.0")
    return f"CASE WHEN list_contains({array}, 0) AND {kinds} = 2 THEN {both} ELSE {made} END"


fn("sort_array(array, boolean = true)", array_sorted, rule=sort_type)

# What Spark shows for array_sort without a comparator: the comparator it takes then.
DEFAULT_COMPARATOR = (
    "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, "
    "(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, "
    "(IF((namedlambdavariable() < namedlambdavariable()), -1, "
    "(IF((namedlambdavariable() > namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())"
)


def default_sort_type(call: Call) -> Typed:
    element_of(call.types[0])
    shown = f"array_sort({call.arguments[0].text}, {DEFAULT_COMPARATOR})"
    return Typed(call.types[0], call.any_nullable, text=shown)


fn(
    "array_sort(array)",
    plain_or_native("list_sort({0}, 'ASC', 'NULLS LAST')", "list_select({0}, spark_sort_positions({0}, 2))"),
    rule=default_sort_type,
)


def compared_type(call: Call) -> Typed:
    array, function = call.arguments
    if not hasattr(function, "parameters"):
        raise NotNative("array_sort by what is no comparator of ints")
    if not isinstance(function.type, IntegerType):
        raise SparkError(
            "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
            sqlExpr=quoted(call.text),
            functionName="`lambdafunction`",
            expectedType='"INT"',
            actualType=type_text(function.type),
        )
    return Typed(array.type, array.nullable)


def compared(call: Any, array: str, function: str) -> str:
    """Every pair is compared once; the extension sorts by that table, and leaves contradictions to Spark."""
    first, second = (p.key for p in call.arguments[1].parameters)
    body = function.partition(": ")[2]
    pairs = f"list_transform({array}, lambda {second}, j: CASE WHEN i = j THEN 0 ELSE {body} END)"
    table = f"list_transform({array}, lambda {first}, i: {pairs})"
    return f"list_select({array}, spark_sort_by({table}))"


fn("array_sort(array, any)", compared, rule=compared_type)
