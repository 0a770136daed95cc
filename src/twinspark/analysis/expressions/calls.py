"""Builds function calls: picks the overload, adds casts and the displayed name, or raises Spark's analysis error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypedDict, Unpack

from twinspark.analysis.collations.calls import collated_call, is_for_collations
from twinspark.analysis.expressions.casts import implicit_cast, may_raise
from twinspark.analysis.expressions.error_arguments import differs_in_spark
from twinspark.analysis.expressions.recorded_errors import OPERATORS, raises_same_error
from twinspark.analysis.expressions.signatures import resolve, with_defaults
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions import overloads
from twinspark.functions.aggregates.collect import ORDER_FREE, is_plain, order_free_signature
from twinspark.functions.documents.geometries import GEOSPATIAL_FUNCTIONS
from twinspark.functions.notation.registry import AGGREGATE, GENERATOR, Signature, Writer
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.functions.notation.typing import Call as Typing
from twinspark.functions.notation.typing import Typed, quote_expression
from twinspark.functions.time.times import TIME_FUNCTIONS
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Expression,
    Lambda,
    SortOrder,
)
from twinspark.types import (
    BooleanType,
    CalendarIntervalType,
    DataType,
    MapType,
    UserDefinedType,
    has_geospatial,
    has_opaque,
    has_time,
    has_user_type,
    is_null,
    nested_types,
)


def call_text(name: str, arguments: Sequence[Expression], distinct: bool = False) -> str:
    """The text of a call in Spark's automatic column names (toPrettySQL)."""
    texts = [argument.text for argument in arguments]
    if name in OPERATORS and len(texts) == 2:
        shown = {"==": "="}.get(name, name)
        return f"({texts[0]} {shown} {texts[1]})"
    special = SPECIAL_TEXTS.get(name)
    if special is not None and texts:
        return special(texts)
    return f"{name}({'DISTINCT ' if distinct else ''}{', '.join(texts)})"


SPECIAL_TEXTS: dict[str, Any] = {
    "and": lambda t: f"({t[0]} AND {t[1]})",
    "or": lambda t: f"({t[0]} OR {t[1]})",
    "not": lambda t: f"(NOT {t[0]})",
    "!": lambda t: f"(NOT {t[0]})",
    "isnull": lambda t: f"({t[0]} IS NULL)",
    "isnotnull": lambda t: f"({t[0]} IS NOT NULL)",
    "~": lambda t: f"~{t[0]}",
    "in": lambda t: f"({t[0]} IN ({', '.join(t[1:])}))",
    "if": lambda t: f"(IF({', '.join(t)}))",
    "like": lambda t: f"{t[0]} LIKE {t[1]}" + (f" ESCAPE '{t[2]}'" if t[2:] not in ([], ["\\"]) else ""),
    "rlike": lambda t: f"RLIKE({t[0]}, {t[1]})",
}


class Facts(TypedDict, total=False):
    """The clauses around a call's arguments: DISTINCT, FILTER, ORDER BY, IGNORE NULLS."""

    distinct: bool
    filter: Expression | None
    ordering: tuple[SortOrder, ...]
    ignore_nulls: bool
    text: str | None


def call(name: str, arguments: Sequence[Expression], settings: Settings, **facts: Unpack[Facts]) -> Expression:
    """A call by any of the function's names; decides overload, casts, type and nullability."""
    if is_for_collations(arguments):
        return collated_call(uncollated_call, name, arguments, settings, **facts)
    return uncollated_call(name, arguments, settings, **facts)


def uncollated_call(
    name: str,
    arguments: Sequence[Expression],
    settings: Settings,
    *,
    distinct: bool = False,
    filter: Expression | None = None,
    ordering: tuple[SortOrder, ...] = (),
    ignore_nulls: bool = False,
    text: str | None = None,
) -> Expression:
    """A call whose strings have the collation UTF8_BINARY, or whose result does not depend on the collation."""
    name = name.lower()
    check_no_generator(arguments)
    check_opaque(name, arguments)
    if name in ORDER_FREE:
        arguments = [without_order(argument) for argument in arguments]
    signatures = overloads(name)
    if not signatures:
        raise unknown_function(name)
    fitting = next((s for s in signatures if s.accepts(len(arguments))), signatures[0])
    shown_arguments = with_defaults(fitting, arguments) if fitting.shows_defaults else arguments
    shown = text or call_text(displayed_name(name, fitting), shown_arguments, distinct)
    typing = Typing(name, arguments, settings, shown, distinct, ordering)
    try:
        signature, typed = resolve(signatures, typing)
        if typed.writer is not None:
            signature = with_writer(signature, typed.writer)
        return make_call(signature, typing, typed, distinct, filter, ordering, ignore_nulls)
    except SparkError as error:
        if differs_in_spark(name, error, arguments):
            raise NotNative(
                reasons.ERROR_MESSAGE, "the message shows the arguments as Spark rewrote them", likely_error=error
            ) from error
        if raises_same_error(name, error.condition):
            raise
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{name} fails with {error.condition}") from error


def check_opaque(name: str, arguments: Sequence[Expression]) -> None:
    """Only few functions take geometries and user-defined types."""
    types = [argument.type for argument in arguments if has_opaque(argument.type)]
    if name not in GEOSPATIAL_FUNCTIONS and any(map(has_geospatial, types)):
        raise NotNative(reasons.GEOMETRY, name)
    for type in types:
        inside = not isinstance(type, UserDefinedType)
        if has_user_type(type) and name not in TAKE_USER_TYPES and not (inside and name in TAKE_THEIR_ARRAYS):
            raise NotNative(reasons.USER_DEFINED_TYPE, name)


TAKE_USER_TYPES = frozenset(
    ["isnull", "isnotnull", "count", "struct", "named_struct", "array", "map", "coalesce", "if", "first"]
) | {"last", "collect_list"}
TAKE_THEIR_ARRAYS = frozenset(["size", "explode", "posexplode", "explode_outer", "getarrayitem"])


def check_no_generator(arguments: Sequence[Expression]) -> None:
    if any(isinstance(a, Call) and a.signature.kind == GENERATOR for a in arguments):
        raise NotNative(reasons.GENERATOR_POSITION, "a generator inside an expression")


@lru_cache(4096)
def with_writer(signature: Signature, writer: Writer) -> Signature:
    """Cached, so that equal calls have one signature: plans compare signatures by identity."""
    return replace(signature, writer=writer)


def without_order(argument: Expression) -> Expression:
    """collect_set without sorting its elements, where their order does not change the result."""
    if not isinstance(argument, AggregateCall) or argument.name != "collect_set":
        return argument
    if is_plain(argument.arguments[0].type):
        return replace(argument, signature=order_free_signature(argument.signature))
    return argument


# A calendar interval (months, days, microseconds) is a struct in DuckDB: only these functions may take it.
CALENDAR_FUNCTIONS = frozenset(
    ["+", "-", "*", "/", "try_multiply", "try_divide", "isnull", "isnotnull", "typeof", "to_pretty_string"]
)


READ_MAPS = frozenset(["from_json", "from_csv", "from_xml", "variant_get", "try_variant_get"])


def has_map(type: DataType) -> bool:
    return any(isinstance(inner, MapType) for inner in nested_types(type))


def is_calendar(type: DataType) -> bool:
    return isinstance(type, CalendarIntervalType)


def check_untyped_errors(name: str, arguments: Sequence[Expression]) -> None:
    """To functions that do not cast their arguments an untyped one is a NULL literal: its error is never raised
    (ImplicitTypeCasts, ExpectsInputTypes). Other functions cast it, and so evaluate it."""
    for argument in arguments if name in TAKE_UNTYPED_AS_NULL else ():
        body = argument.body if isinstance(argument, Lambda) else argument
        if is_null(body.type) and may_raise(body):
            raise NotNative(reasons.ERROR_TIMING, f"{name} of an untyped expression that raises an error")


TAKE_UNTYPED_AS_NULL = frozenset(
    [
        *("any_match", "any_value", "array_distinct", "array_join", "array_repeat"),
        *("arrays_zip", "bit_and", "bit_count", "bit_or", "bit_xor", "cardinality", "date_add"),
        *("date_sub", "dateadd", "exists", "filter", "first", "forall", "format_number", "from_csv"),
        *("from_json", "from_xml", "get_json_object", "json_array_length", "json_object_keys"),
        *("last", "make_timestamp_ntz", "map_entries", "map_filter", "map_from_arrays"),
        *("map_keys", "map_values", "parse_json", "parse_url", "randstr", "size"),
        *("sort_array", "soundex", "str_to_map", "timestamp_micros", "timestamp_millis"),
        *("timestamp_seconds", "to_json", "to_timestamp", "unix_date", "unix_micros"),
        *("unix_millis", "unix_seconds", "~"),
    ]
)


def make_call(
    signature: Signature,
    typing: Typing,
    typed: Typed,
    distinct: bool,
    filter: Expression | None,
    ordering: tuple[SortOrder, ...],
    ignore_nulls: bool,
) -> Expression:
    if signature.function not in CALENDAR_FUNCTIONS and any(map(is_calendar, typing.types)):
        raise NotNative(reasons.INTERVAL_CALENDAR, signature.function)
    if typing.settings.last_key_wins and signature.function in READ_MAPS and has_map(typed.type):
        raise NotNative(reasons.MAP_KEYS, f"{signature.function} with spark.sql.mapKeyDedupPolicy = LAST_WIN")
    casts = typed.casts or ()
    check_untyped_errors(signature.function, typing.arguments)
    arguments = tuple(
        implicit_cast(argument, casts[index], typing.settings)
        if index < len(casts) and casts[index] is not None
        else argument
        for index, argument in enumerate(with_defaults(signature, typing.arguments))
    )
    if signature.function not in TIME_FUNCTIONS and any(has_time(argument.type) for argument in arguments):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{signature.function} of TIME values")
    nullable = typed.nullable or (typed.add_nullable_casts and any(a.nullable for a in arguments))
    common: dict[str, Any] = {
        "type": typed.type,
        "nullable": nullable,
        "text": typed.text if typed.text is not None else typing.text,
        "name": signature.function,
        "signature": signature,
        "arguments": arguments,
        "settings": typing.settings,
    }
    if signature.kind == AGGREGATE:
        if ignore_nulls:  # with IGNORE NULLS Spark does not show the alias: last_value is shown as last
            common["text"] = common["text"].replace(typing.name, signature.function, 1)
            common["text"] += " ignore nulls" if signature.function == "nth_value" else ""
        if filter is not None:
            check_filter(filter)
            common["text"] += f" FILTER (WHERE {filter.text})"
        return AggregateCall(**common, distinct=distinct, filter=filter, ordering=ordering, ignore_nulls=ignore_nulls)
    if distinct or filter is not None:
        raise not_an_aggregate(typing.name, distinct)
    if ignore_nulls:
        raise NotNative(reasons.FUNCTION_OPTION, f"IGNORE NULLS of {typing.name}")
    return Call(**common)


def check_filter(filter: Expression) -> None:
    """Falls back, since in ORDER BY Spark's error shows names that are not resolved yet."""
    if not isinstance(filter.type, BooleanType):
        error = SparkError("INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", filterExpr=quote_expression(filter.text))
        raise NotNative(
            reasons.ERROR_MESSAGE, "the FILTER clause of an aggregate function is not a condition", likely_error=error
        )


def not_an_aggregate(name: str, distinct: bool) -> SparkError:
    syntax = "DISTINCT" if distinct else "FILTER CLAUSE"
    return SparkError("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", prettyName=f"`{name}`", syntax=syntax)


def displayed_name(name: str, signature: Signature) -> str:
    if signature.keeps_alias:
        return name
    return signature.shows or signature.function


def unknown_function(name: str) -> Exception:
    if name in SPARK_FUNCTIONS:
        return NotNative(reasons.FUNCTION_UNKNOWN, name)
    return NotNative(reasons.FUNCTION_UNKNOWN, f"{name} is not a built-in function")
