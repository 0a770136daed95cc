"""Higher-order functions over arrays and maps: transform, filter, exists, aggregate, map_filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.nested.array_sets import element_of
from twinspark.functions.nested.maps import checked_map, lookup_sql, map_as_is, map_of
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.sql_text import LambdaText
from twinspark.functions.notation.typing import Call, Typed, quote_expression, type_text, unexpected_input_type
from twinspark.types import (
    BOOLEAN,
    ArrayType,
    BooleanType,
    DoubleType,
    FloatType,
    MapType,
    VariantType,
    is_null,
    nested_types,
    same_type,
)
from twinspark.types.duckdb import duck_type


def require_lambdas(call: Call, *counts: int) -> None:
    """Checks that the last arguments are lambda functions with these numbers of parameters."""
    for function, count in zip(call.arguments[-len(counts) :], counts, strict=True):
        if len(getattr(function, "parameters", ())) != count:
            raise NotNative(reasons.LAMBDA, f"{call.name} without a lambda of {count} parameters")


def may_see_positions(call: Call) -> int:
    return len(getattr(call.arguments[1], "parameters", (0,)))


def body_with(function: str, *values: str) -> str:
    """The SQL of a lambda's body with its parameters replaced by other SQL."""
    assert isinstance(function, LambdaText)
    return function.with_values(*values)


# ---- over arrays


def transform_type(call: Call) -> Typed:
    require_lambdas(call, may_see_positions(call))
    array, function = call.arguments
    return Typed(ArrayType(function.type, function.nullable), array.nullable)


def with_index(call: Any, function: str) -> str:
    """DuckDB's index counts from one, Spark's from zero."""
    parameters = call.arguments[1].parameters
    if len(parameters) < 2:
        return function
    item, index = (p.key for p in parameters)
    body = body_with(function, item, f"CAST({index} - 1 AS INTEGER)")
    return f"lambda {item}, {index}: {body}"


def write_transform(call: Any, array: str, function: str) -> str:
    return f"list_transform({array}, {with_index(call, function)})"


fn("transform(array, any)", write_transform, rule=transform_type)


def check_condition(call: Call) -> None:
    function = call.arguments[1]
    if not isinstance(function.type, BooleanType) and not is_null(function.type):
        raise unexpected_input_type(call, 1, '"BOOLEAN"')


def filter_type(call: Call) -> Typed:
    require_lambdas(call, may_see_positions(call))
    check_condition(call)
    return Typed(call.types[0], call.arguments[0].nullable)


def write_filter(call: Any, array: str, function: str) -> str:
    return f"list_filter({array}, {with_index(call, function)})"


fn("filter(array, any)", write_filter, rule=filter_type)


def quantifier_type(call: Call) -> Typed:
    require_lambdas(call, 1)
    check_condition(call)
    return Typed(BOOLEAN, call.any_nullable)


def quantifier_writer(decides: str, otherwise: str) -> Callable[..., str]:
    """One element decides; without it, the result is null if some elements are null
    (spark.sql.legacy.followThreeValuedLogicInArrayExists)."""

    def write(call: Any, array: str, function: str) -> str:
        flags = f"list_transform({array}, {function})"
        unknown = f"len(list_filter({flags}, lambda f: f IS NULL)) > 0"
        found = (
            f"CASE WHEN list_contains({flags}, {decides}) THEN {decides} WHEN {unknown} THEN NULL ELSE {otherwise} END"
        )
        return f"(CASE WHEN {array} IS NOT NULL THEN {found} END)"

    return write


fn("exists(array, any)", quantifier_writer("true", "false"), rule=quantifier_type, shows="exists")
fn("forall(array, any)", quantifier_writer("false", "true"), rule=quantifier_type)


def zip_type(call: Call) -> Typed:
    require_lambdas(call, 2)
    left, right, function = call.arguments
    return Typed(ArrayType(function.type, function.nullable), left.nullable or right.nullable)


def write_zip_with(call: Any, left: str, right: str, function: str) -> str:
    """Fills the shorter array with nulls."""
    pair, _ = (p.key for p in call.arguments[2].parameters)
    body = body_with(function, f"{pair}[1]", f"{pair}[2]")
    both = f"{left} IS NOT NULL AND {right} IS NOT NULL"
    return f"(CASE WHEN {both} THEN list_transform(list_zip({left}, {right}), lambda {pair}: {body}) END)"


fn("zip_with(array, array, any)", write_zip_with, rule=zip_type)


# ---- aggregate


def aggregate_type(call: Call) -> Typed:
    require_lambdas(call, *([2] if len(call.arguments) == 3 else [2, 1]))
    array, zero, merge = call.arguments[:3]
    shown = call.text
    if len(call.arguments) == 3:
        same = "lambdafunction(namedlambdavariable(), namedlambdavariable())"
        shown = f"{call.name}({', '.join([*(a.text for a in call.arguments), same])})"
    if not same_type(zero.type, merge.type):
        raise unexpected_input_type(replace(call, text=shown), 2, type_text(zero.type))
    if len(call.arguments) == 3:
        return Typed(zero.type, True, text=shown)
    finish = call.arguments[3]
    return Typed(finish.type, array.nullable or finish.nullable)


def write_aggregate(call: Any, array: str, zero: str, merge: str, finish: str = "") -> str:
    same = same_type(call.arguments[1].type, element_of(call.arguments[0].type))
    result = (fold_same_type if same else fold_pairs)(call, array, zero, merge)
    if not finish:
        return f"({result})"
    (last,) = (p.key for p in call.arguments[3].parameters)
    ended = f"list_transform([{result}], lambda {last}: {body_with(finish, last)})[1]"
    return f"(CASE WHEN {array} IS NOT NULL THEN {ended} END)"


def fold_same_type(call: Any, array: str, zero: str, merge: str) -> str:
    gathered, item = (p.key for p in call.arguments[2].parameters)
    type = duck_type(call.arguments[1].type)
    step = f"CAST({body_with(merge, gathered, item)} AS {type})"
    return f"list_reduce({array}, lambda {gathered}, {item}: {step}, CAST({zero} AS {type}))"


def fold_pairs(call: Any, array: str, zero: str, merge: str) -> str:
    """DuckDB's list_reduce needs elements of one type, so each element is paired with a field for the accumulator."""
    gathered, item = (p.key for p in call.arguments[2].parameters)
    type = duck_type(call.arguments[1].type)
    body = body_with(merge, f"{gathered}.gathered", f"{item}.item")
    pairs = f"list_transform({array}, lambda element_: struct_pack(gathered := CAST(NULL AS {type}), item := element_))"
    no_item = f"CAST(NULL AS {duck_type(element_of(call.arguments[0].type))})"
    first = f"struct_pack(gathered := CAST({zero} AS {type}), item := {no_item})"
    step = f"struct_pack(gathered := CAST({body} AS {type}), item := {item}.item)"
    return f"list_reduce({pairs}, lambda {gathered}, {item}: {step}, {first}).gathered"


for arity in ("any", "any, any"):
    fn(f"aggregate(array, any, {arity})", write_aggregate, "reduce", rule=aggregate_type, keeps_alias=True)


# ---- over maps


def on_entries(function: Any, sql: str) -> str:
    """A lambda over map entries instead of keys and values."""
    key = function.parameters[0].key
    return f"lambda {key}e: {body_with(sql, f'{key}e.key', f'{key}e.value')}"


def map_filter_type(call: Call) -> Typed:
    require_lambdas(call, 2)
    check_condition(call)
    return Typed(map_of(call.types[0], "map_filter"), call.arguments[0].nullable)


def map_filtered(call: Any, map: str, function: str) -> str:
    entries = f"list_filter(map_entries({map}), {on_entries(call.arguments[1], function)})"
    return f"(CASE WHEN {map} IS NOT NULL THEN map_from_entries({entries}) END)"


fn("map_filter(map, any)", map_filtered, rule=map_filter_type)


def values_type(call: Call) -> Typed:
    require_lambdas(call, 2)
    map, function = call.arguments
    type = map_of(map.type, "transform_values")
    return Typed(MapType(type.keyType, function.type, function.nullable), map.nullable)


def values_transformed(call: Any, map: str, function: str) -> str:
    values = f"list_transform(map_entries({map}), {on_entries(call.arguments[1], function)})"
    return f"(CASE WHEN {map} IS NOT NULL THEN MAP(map_keys({map}), {values}) END)"


fn("transform_values(map, any)", values_transformed, rule=values_type)


def keys_type(call: Call) -> Typed:
    require_lambdas(call, 2)
    map, function = call.arguments
    type = map_of(map.type, "transform_keys")
    if any(isinstance(each, MapType | VariantType) for each in nested_types(function.type)):
        raise SparkError(
            "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE",
            sqlExpr=quote_expression(call.text),
            keyType=type_text(function.type),
        )
    return Typed(MapType(function.type, type.valueType, type.valueContainsNull), map.nullable)


def keys_transformed(call: Any, map: str, function: str) -> str:
    """A key may be -0.0 here, as in map_from_arrays."""
    keys = f"list_transform(map_entries({map}), {on_entries(call.arguments[1], function)})"
    return f"(CASE WHEN {map} IS NOT NULL THEN {map_as_is(call, keys, f'map_values({map})')} END)"


fn("transform_keys(map, any)", keys_transformed, rule=keys_type)


def map_zip_type(call: Call) -> Typed:
    require_lambdas(call, 3)
    left, right, function = call.arguments
    key = map_of(left.type, "map_zip_with").keyType
    if not same_type(key, map_of(right.type, "map_zip_with").keyType):
        raise NotNative(reasons.LAMBDA, "map_zip_with of maps with different key types")
    return Typed(MapType(key, function.type, function.nullable), left.nullable or right.nullable)


def map_zipped(call: Any, left: str, right: str, function: str) -> str:
    """The keys of both maps, those of the first map first."""
    key = call.arguments[2].parameters[0].key
    both = f"(map_keys({left}) || map_keys({right}))"
    if isinstance(call.type.keyType, DoubleType | FloatType):  # -0.0 and 0.0 are the same key (MapZipWith's normalizer)
        both = f"list_transform({both}, lambda key_: key_ + 0)"
    keys = f"list_select({both}, spark_array_distinct({both}))"
    values = [lookup_sql(map, call.arguments[i].type, key) for i, map in enumerate((left, right))]
    body = body_with(function, key, *values)
    return checked_map(call, keys, f"list_transform({keys}, lambda {key}: {body})", call.type.keyType)


fn("map_zip_with(map, map, any)", map_zipped, rule=map_zip_type)
