"""Array functions that search, sort or treat arrays as sets, with Spark's equality and order of values.

DuckDB orders nulls inside nested values differently and does not treat -0.0 and 0.0 as equal. For such types the
extension's functions return positions, and SQL takes the elements at these positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import tightest_common_type, wider_type_without_strings
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.sql_text import LambdaText
from twinspark.functions.notation.typing import Call, Typed, quote_expression, type_text, unexpected_input_type
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
from twinspark.types.duckdb import ValueRewriter, cast_to


def element_of(type: DataType) -> DataType:
    if not isinstance(type, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "a value that is not an array")
    return type.elementType


def has_floats(type: DataType) -> bool:
    return any(isinstance(t, FloatType | DoubleType) for t in nested_types(type))


def is_plain(type: DataType) -> bool:
    """Whether DuckDB compares values of the type as Spark does."""
    return not isinstance(type, ArrayType | MapType | StructType) and not has_floats(type) and not is_null(type)


def check_orderable(type: DataType, name: str) -> None:
    if any(isinstance(t, MapType | VariantType) for t in nested_types(type)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{name} of values that have no order")


def plain_or_native(plain: str, native: str) -> Callable[..., str]:
    """Writes one template for elements that DuckDB compares as Spark does, and one with the extension's functions for
    others."""

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


def common_element_type(
    call: Call, value: DataType, meeting: Meeting = tightest_common_type
) -> tuple[ArrayType, DataType]:
    """The common type of the elements and the value, by the rules without ANSI in every mode."""
    array = call.types[0]
    found = meeting(element_of(array), value, False)
    assert isinstance(array, ArrayType)
    if found is None or (is_null(value) and isinstance(found, ArrayType | MapType | StructType)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of a value of another type than the elements")
    return ArrayType(found, array.containsNull), found


def contains_type(call: Call) -> Typed:
    array, value = call.types
    if is_null(array) or is_null(value):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "array_contains of untyped nulls")
    casts = common_element_type(call, value, wider_type_without_strings)
    return Typed(BOOLEAN, call.any_nullable or casts[0].containsNull, casts)


def write_array_contains(call: Any, array: str, value: str) -> str:
    """Null if the value is not found but the array contains nulls."""
    type = call.arguments[0].type
    check_orderable(type, "array_contains")
    plain = is_plain(type.elementType)
    found = f"list_contains({array}, {value})" if plain else f"(spark_array_position({array}, [{value}]) > 0)"
    if not type.containsNull:
        return f"(CASE WHEN {value} IS NOT NULL THEN {found} END)"
    nulls = f"len(list_filter({array}, lambda e: e IS NULL)) > 0"
    return f"(CASE WHEN {value} IS NULL THEN NULL WHEN {found} THEN true WHEN {nulls} THEN NULL ELSE {found} END)"


fn("array_contains(array, any)", write_array_contains, rule=contains_type)


def position_type(call: Call) -> Typed:
    return Typed(LONG, call.any_nullable, common_element_type(call, call.types[1]))


def array_remove_type(call: Call) -> Typed:
    casts = common_element_type(call, call.types[1])
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
    rule=array_remove_type,
)


# ---- sets


def normalize_zeros(sql: str, type: DataType) -> str:
    """Replaces -0.0 by 0.0, as Spark does before comparisons (NormalizeFloatingNumbers)."""
    return ValueRewriter(lambda value, kind: cast_to(f"{value} + 0", kind), has_floats, "n").rewrite(sql, type)


def distinct_type(call: Call) -> Typed:
    element_of(call.types[0])
    return Typed(call.types[0], call.any_nullable)


def distinct(call: Any, array: str) -> str:
    check_orderable(call.type, "array_distinct")
    clean = normalize_zeros(array, call.type)
    return f"list_select({clean}, spark_array_distinct({clean}))"


fn("array_distinct(array)", distinct, rule=distinct_type)


def two_arrays(call: Call) -> tuple[ArrayType, ArrayType]:
    left, right = call.types
    found = tightest_common_type(element_of(left), element_of(right), False)
    if found is None or not isinstance(left, ArrayType) or not isinstance(right, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of arrays of different types")
    return ArrayType(found, left.containsNull), ArrayType(found, right.containsNull)


def set_type(nulls: Callable[[bool, bool], bool]) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        left, right = two_arrays(call)
        result = ArrayType(left.elementType, nulls(left.containsNull, right.containsNull))
        return Typed(result, call.any_nullable, (left, right))

    return rule


def filter_writer(name: str) -> Callable[..., str]:
    def write(call: Any, left: str, right: str) -> str:
        check_orderable(call.type, call.name)
        if isinstance(call.type.elementType, IntegerType | LongType):  # the extension returns the elements in one pass
            return f"spark_whole_{name}({left}, {right})"
        left, right = (normalize_zeros(side, call.type) for side in (left, right))
        return f"list_select({left}, spark_{name}({left}, {right}))"

    return write


def write_array_union(call: Any, left: str, right: str) -> str:
    check_orderable(call.type, "array_union")
    both = f"({normalize_zeros(left, call.type)} || {normalize_zeros(right, call.type)})"
    return f"list_select({both}, spark_array_distinct({both}))"


fn("array_union(array, array)", write_array_union, rule=set_type(lambda a, b: a or b))
fn("array_intersect(array, array)", filter_writer("array_intersect"), rule=set_type(lambda a, b: a and b))
fn("array_except(array, array)", filter_writer("array_except"), rule=set_type(lambda a, b: a))


def overlap_type(call: Call) -> Typed:
    left, right = two_arrays(call)
    return Typed(BOOLEAN, call.any_nullable or left.containsNull or right.containsNull, (left, right))


def overlapping(call: Any, left: str, right: str) -> str:
    check_orderable(call.arguments[0].type, "arrays_overlap")
    return f"spark_arrays_overlap({left}, {right})"


fn("arrays_overlap(array, array)", overlapping, rule=overlap_type)


# ---- sorting


def sort_type(call: Call) -> Typed:
    if len(call.arguments) > 1 and is_string(call.types[1]):  # a string is not cast to a boolean here
        raise unexpected_input_type(call, 1, '"BOOLEAN"')
    shown = [a.text for a in call.arguments] + ([] if len(call.arguments) > 1 else ["true"])
    return Typed(call.types[0], call.arguments[0].nullable, text=f"sort_array({', '.join(shown)})")


def write_sort_array(call: Any, array: str, *ascending: str) -> str:
    """sort_array: nulls first in ascending order, last in descending order."""
    element = element_of(call.type)
    check_orderable(element, "sort_array")
    constant = getattr(call.arguments[1], "value", None) if len(call.arguments) > 1 else True
    if constant is None:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "sort_array: the order")
    if not is_plain(element):
        made = f"list_select({array}, spark_sort_positions({array}, {0 if constant else 1}))"
        quick = constant and isinstance(element, DoubleType | FloatType) and not call.type.containsNull
        return one_kind_of_zero(made, array) if quick else made
    order = "'ASC', 'NULLS FIRST'" if constant else "'DESC', 'NULLS LAST'"
    return f"list_sort({array}, {order})"


def one_kind_of_zero(made: str, array: str) -> str:
    """Falls back for zeros of both signs: Spark's generated code sorts arrays without nulls by Java's order, in which
    -0.0 is less than 0.0, but other arrays with both zeros equal."""
    kinds = f"len(list_distinct([signbit(z_) for z_ in {array} if z_ = 0]))"
    both = not_native(reasons.SIGNED_ZEROS, "sort_array")
    return f"CASE WHEN list_contains({array}, 0) AND {kinds} = 2 THEN {both} ELSE {made} END"


fn("sort_array(array, boolean = true)", write_sort_array, rule=sort_type)

# The default comparator of array_sort, which Spark shows in column names.
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


def comparator_sort_type(call: Call) -> Typed:
    array, function = call.arguments
    if not hasattr(function, "parameters"):
        raise NotNative(reasons.LAMBDA, "array_sort with a comparator that does not return an int")
    if not isinstance(function.type, IntegerType):
        raise SparkError(
            "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
            sqlExpr=quote_expression(call.text),
            functionName="`lambdafunction`",
            expectedType='"INT"',
            actualType=type_text(function.type),
        )
    return Typed(array.type, array.nullable)


def write_comparator_sort(call: Any, array: str, function: str) -> str:
    """Compares every pair once; the extension sorts by that table, and contradictory comparators fall back."""
    first, second = (p.key for p in call.arguments[1].parameters)
    assert isinstance(function, LambdaText)
    body = function.with_values(first, second)
    pairs = f"list_transform({array}, lambda {second}, j: CASE WHEN i = j THEN 0 ELSE {body} END)"
    table = f"list_transform({array}, lambda {first}, i: {pairs})"
    return f"list_select({array}, spark_sort_by({table}))"


fn("array_sort(array, any)", write_comparator_sort, rule=comparator_sort_type)
