"""Functions that take lambdas: over arrays and over maps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.maps import checked_map, looked_up, map_as_is, map_of
from twinspark.functions.registry import fn
from twinspark.functions.sets import element_of
from twinspark.functions.spelling import duck_type
from twinspark.functions.typing import Call, Typed, quoted, type_text, unexpected_input_type
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


def require_lambdas(call: Call, *counts: int) -> None:
    """The last arguments are lambdas of so many parameters."""
    for function, count in zip(call.arguments[-len(counts) :], counts, strict=True):
        if len(getattr(function, "parameters", ())) != count:
            raise NotNative(f"{call.name} without a lambda of {count} parameters")


def may_see_positions(call: Call) -> int:
    return len(getattr(call.arguments[1], "parameters", (0,)))


def body_with(function: Any, sql: str, *values: str) -> str:
    """The body of a lambda, written, with SQL in the place of its parameters (their keys stand nowhere else)."""
    body = sql.partition(": ")[2]
    for parameter, value in zip(function.parameters, values, strict=True):
        body = re.sub(rf"\b{parameter.key}\b", lambda _, value=value: value, body)  # type: ignore[misc]
    return body


# ---- over arrays


def transform_type(call: Call) -> Typed:
    require_lambdas(call, may_see_positions(call))
    array, function = call.arguments
    return Typed(ArrayType(function.type, function.nullable), array.nullable)


def with_index(call: Any, function: str) -> str:
    """DuckDB counts positions from one."""
    parameters = call.arguments[1].parameters
    if len(parameters) < 2:
        return function
    item, index = (p.key for p in parameters)
    body = body_with(call.arguments[1], function, item, f"CAST({index} - 1 AS INTEGER)")
    return f"lambda {item}, {index}: {body}"


def transformed(call: Any, array: str, function: str) -> str:
    return f"list_transform({array}, {with_index(call, function)})"


fn("transform(array, any)", transformed, rule=transform_type)


def check_condition(call: Call) -> None:
    function = call.arguments[1]
    if not isinstance(function.type, BooleanType) and not is_null(function.type):
        raise unexpected_input_type(call, 1, '"BOOLEAN"')


def kept_type(call: Call) -> Typed:
    require_lambdas(call, may_see_positions(call))
    check_condition(call)
    return Typed(call.types[0], call.arguments[0].nullable)


def kept(call: Any, array: str, function: str) -> str:
    return f"list_filter({array}, {with_index(call, function)})"


fn("filter(array, any)", kept, rule=kept_type)


def quantified_type(call: Call) -> Typed:
    require_lambdas(call, 1)
    check_condition(call)
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


fn("exists(array, any)", quantified("true", "false"), rule=quantified_type, shows="exists")
fn("forall(array, any)", quantified("false", "true"), rule=quantified_type)


def zip_type(call: Call) -> Typed:
    require_lambdas(call, 2)
    left, right, function = call.arguments
    return Typed(ArrayType(function.type, function.nullable), left.nullable or right.nullable)


def zipped(call: Any, left: str, right: str, function: str) -> str:
    """The shorter one is filled with nulls."""
    pair, _ = (p.key for p in call.arguments[2].parameters)
    body = body_with(call.arguments[2], function, f"{pair}[1]", f"{pair}[2]")
    both = f"{left} IS NOT NULL AND {right} IS NOT NULL"
    return f"(CASE WHEN {both} THEN list_transform(list_zip({left}, {right}), lambda {pair}: {body}) END)"


fn("zip_with(array, array, any)", zipped, rule=zip_type)


# ---- folding


def folded_type(call: Call) -> Typed:
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


def folded(call: Any, array: str, zero: str, merge: str, finish: str = "") -> str:
    same = same_type(call.arguments[1].type, element_of(call.arguments[0].type))
    result = (plainly_folded if same else folded_in_pairs)(call, array, zero, merge)
    if not finish:
        return f"({result})"
    (last,) = (p.key for p in call.arguments[3].parameters)
    ended = f"list_transform([{result}], lambda {last}: {body_with(call.arguments[3], finish, last)})[1]"
    return f"(CASE WHEN {array} IS NOT NULL THEN {ended} END)"


def plainly_folded(call: Any, array: str, zero: str, merge: str) -> str:
    gathered, item = (p.key for p in call.arguments[2].parameters)
    type = duck_type(call.arguments[1].type)
    step = f"CAST({body_with(call.arguments[2], merge, gathered, item)} AS {type})"
    return f"list_reduce({array}, lambda {gathered}, {item}: {step}, CAST({zero} AS {type}))"


def folded_in_pairs(call: Any, array: str, zero: str, merge: str) -> str:
    """DuckDB folds elements of one type: so each is paired with the place of what was gathered so far."""
    gathered, item = (p.key for p in call.arguments[2].parameters)
    type = duck_type(call.arguments[1].type)
    body = body_with(call.arguments[2], merge, f"{gathered}.gathered", f"{item}.item")
    pairs = f"list_transform({array}, lambda element_: struct_pack(gathered := CAST(NULL AS {type}), item := element_))"
    no_item = f"CAST(NULL AS {duck_type(element_of(call.arguments[0].type))})"
    first = f"struct_pack(gathered := CAST({zero} AS {type}), item := {no_item})"
    step = f"struct_pack(gathered := CAST({body} AS {type}), item := {item}.item)"
    return f"list_reduce({pairs}, lambda {gathered}, {item}: {step}, {first}).gathered"


for arity in ("any", "any, any"):
    fn(f"aggregate(array, any, {arity})", folded, "reduce", rule=folded_type, keeps_alias=True)


# ---- over maps


def on_entries(function: Any, sql: str) -> str:
    """A lambda over entries instead of keys and values."""
    key = function.parameters[0].key
    return f"lambda {key}e: {body_with(function, sql, f'{key}e.key', f'{key}e.value')}"


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
            "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", sqlExpr=quoted(call.text), keyType=type_text(function.type)
        )
    return Typed(MapType(function.type, type.valueType, type.valueContainsNull), map.nullable)


def keys_transformed(call: Any, map: str, function: str) -> str:
    """Here a key stays -0.0, as with map_from_arrays."""
    keys = f"list_transform(map_entries({map}), {on_entries(call.arguments[1], function)})"
    return f"(CASE WHEN {map} IS NOT NULL THEN {map_as_is(call, keys, f'map_values({map})')} END)"


fn("transform_keys(map, any)", keys_transformed, rule=keys_type)


def map_zip_type(call: Call) -> Typed:
    require_lambdas(call, 3)
    left, right, function = call.arguments
    key = map_of(left.type, "map_zip_with").keyType
    if not same_type(key, map_of(right.type, "map_zip_with").keyType):
        raise NotNative("map_zip_with of maps whose keys are not alike")
    return Typed(MapType(key, function.type, function.nullable), left.nullable or right.nullable)


def map_zipped(call: Any, left: str, right: str, function: str) -> str:
    """The keys of both, the first map's first."""
    key = call.arguments[2].parameters[0].key
    both = f"(map_keys({left}) || map_keys({right}))"
    if isinstance(call.type.keyType, DoubleType | FloatType):  # there is one zero among keys (MapZipWith's normalizer)
        both = f"list_transform({both}, lambda key_: key_ + 0)"
    keys = f"list_select({both}, spark_array_distinct({both}))"
    values = [looked_up(map, call.arguments[i].type, key) for i, map in enumerate((left, right))]
    body = body_with(call.arguments[2], function, key, *values)
    return checked_map(call, keys, f"list_transform({keys}, lambda {key}: {body})", call.type.keyType)


fn("map_zip_with(map, map, any)", map_zipped, rule=map_zip_type)
