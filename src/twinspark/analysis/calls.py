"""Makes calls: of the signature that fits, with the name Spark shows, or the refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypedDict, Unpack

from twinspark.analysis.casts import implicit_cast
from twinspark.analysis.collated_calls import collated_call, is_for_collations
from twinspark.analysis.refusal_texts import shows_otherwise
from twinspark.analysis.signatures import resolve, with_defaults
from twinspark.errors import NotNative, SparkError
from twinspark.functions import overloads
from twinspark.functions.gathering import ORDER_FREE, is_plain, unordered
from twinspark.functions.geometries import GEOSPATIAL_FUNCTIONS
from twinspark.functions.known import REFUSALS, SPARK_FUNCTIONS
from twinspark.functions.registry import AGGREGATE, GENERATOR, Signature, Writer
from twinspark.functions.settings import Settings
from twinspark.functions.times import TIME_FUNCTIONS
from twinspark.functions.typing import Call as Typing
from twinspark.functions.typing import Typed, quoted
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Expression,
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
    nested_types,
)

OPERATORS = frozenset(["+", "-", "*", "/", "%", "==", "=", "<", "<=", ">", ">=", "<=>", "&", "|", "^", "div"])


def call_text(name: str, arguments: Sequence[Expression], distinct: bool = False) -> str:
    """Spark's pretty SQL of a call."""
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
    """What stands around a call's arguments."""

    distinct: bool
    filter: Expression | None
    ordering: tuple[SortOrder, ...]
    ignore_nulls: bool
    text: str | None


def call(name: str, arguments: Sequence[Expression], settings: Settings, **facts: Unpack[Facts]) -> Expression:
    """A call by any of the function's names; which overload, casts, type and nullability are decided here."""
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
    """Of strings of UTF8_BINARY, or where the collation does not matter."""
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
    shown = text or call_text(shown_name(name, fitting), shown_arguments, distinct)
    typing = Typing(name, arguments, settings, shown, distinct, ordering)
    try:
        signature, typed = resolve(signatures, typing)
        if typed.writer is not None:
            signature = with_writer(signature, typed.writer)
        return make_call(signature, typing, typed, distinct, filter, ordering, ignore_nulls)
    except SparkError as error:
        if shows_otherwise(name, error, arguments):
            raise NotNative("a refusal that shows what Spark made of the arguments", nearest=error) from error
        if refuses_as_spark(name, error.condition):
            raise
        raise NotNative(f"{name} of these arguments: {error.condition}") from error


def check_opaque(name: str, arguments: Sequence[Expression]) -> None:
    """Geometries and user-defined types are for few functions."""
    types = [argument.type for argument in arguments if has_opaque(argument.type)]
    if name not in GEOSPATIAL_FUNCTIONS and any(map(has_geospatial, types)):
        raise NotNative(f"{name} of a geometry")
    for type in types:
        inside = not isinstance(type, UserDefinedType)
        if has_user_type(type) and name not in TAKE_USER_TYPES and not (inside and name in TAKE_THEIR_ARRAYS):
            raise NotNative(f"{name} of a user-defined type")


TAKE_USER_TYPES = frozenset(
    ["isnull", "isnotnull", "count", "struct", "named_struct", "array", "map", "coalesce", "if", "first"]
) | {"last", "collect_list"}
TAKE_THEIR_ARRAYS = frozenset(["size", "explode", "posexplode", "explode_outer", "getarrayitem"])


def check_no_generator(arguments: Sequence[Expression]) -> None:
    if any(isinstance(a, Call) and a.signature.kind == GENERATOR for a in arguments):
        raise NotNative("a generator inside an expression")


@lru_cache(4096)
def with_writer(signature: Signature, writer: Writer) -> Signature:
    """One for equal calls: plans compare signatures by identity."""
    return replace(signature, writer=writer)


def without_order(argument: Expression) -> Expression:
    """A set, where its elements' order does not show in the answer."""
    if not isinstance(argument, AggregateCall) or argument.name != "collect_set":
        return argument
    if is_plain(argument.arguments[0].type):
        return replace(argument, signature=unordered(argument.signature))
    return argument


# Operators and kin whose refusals are recorded and equal; of functions, spark_refusals.txt says which are.
REFUSES_AS_SPARK = OPERATORS | {"and", "or", "not", "in", "negative", "sum", "avg", "upper", "lower", "case"}
REFUSES_AS_SPARK = REFUSES_AS_SPARK | {"coalesce", "if", "greatest", "least", "array", "nullif", "pmod"}


def refuses_as_spark(name: str, condition: str) -> bool:
    """Of other refusals Spark itself says what is wrong with the call."""
    recorded = condition in REFUSALS.get(name, ()) or condition in REFUSED_IN_QUERIES.get(name, ())
    return recorded or name in REFUSES_AS_SPARK or condition == "UNSUPPORTED_TIME_TYPE"


# What lambdas give is refused, and certain values are (tests/sql_queries/lambdas.sql and refused_values.sql).
REFUSED_IN_QUERIES = {
    "aggregate": ("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",),
    "reduce": ("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",),
    "transform_keys": ("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE",),
    "array_sort": ("DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",),
    "time_bucket": ("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",),
    "map_contains_key": ("DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",),
    "json_tuple": ("DATATYPE_MISMATCH.NON_STRING_TYPE",),
}


# An interval of months, days and microseconds is a struct in DuckDB: nothing else may look into it.
CALENDAR_FUNCTIONS = frozenset(
    ["+", "-", "*", "/", "try_multiply", "try_divide", "isnull", "isnotnull", "typeof", "to_pretty_string"]
)


READ_MAPS = frozenset(["from_json", "from_csv", "from_xml", "variant_get", "try_variant_get"])


def has_map(type: DataType) -> bool:
    return any(isinstance(inner, MapType) for inner in nested_types(type))


def is_calendar(type: DataType) -> bool:
    return isinstance(type, CalendarIntervalType)


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
        raise NotNative(f"{signature.function} of a calendar interval")
    if typing.settings.last_key_wins and signature.function in READ_MAPS and has_map(typed.type):
        raise NotNative(f"maps of {signature.function} where the last of equal keys wins")
    casts = typed.casts or ()
    arguments = tuple(
        implicit_cast(argument, casts[index], typing.settings)
        if index < len(casts) and casts[index] is not None
        else argument
        for index, argument in enumerate(with_defaults(signature, typing.arguments))
    )
    if signature.function not in TIME_FUNCTIONS and any(has_time(argument.type) for argument in arguments):
        raise NotNative(f"{signature.function} of a time of day")
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
        if ignore_nulls:  # then Spark forgets the alias: last_value is shown as last
            common["text"] = common["text"].replace(typing.name, signature.function, 1)
            common["text"] += " ignore nulls" if signature.function == "nth_value" else ""
        if filter is not None:
            check_filter(filter)
            common["text"] += f" FILTER (WHERE {filter.text})"
        return AggregateCall(**common, distinct=distinct, filter=filter, ordering=ordering, ignore_nulls=ignore_nulls)
    if distinct or filter is not None:
        raise not_an_aggregate(typing.name, distinct)
    if ignore_nulls:
        raise NotNative(f"{typing.name} that ignores nulls")
    return Call(**common)


def check_filter(filter: Expression) -> None:
    """In an order Spark shows names that it has not settled yet."""
    if not isinstance(filter.type, BooleanType):
        refused = SparkError("INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", filterExpr=quoted(filter.text))
        raise NotNative("a FILTER that is no condition", nearest=refused)


def not_an_aggregate(name: str, distinct: bool) -> SparkError:
    syntax = "DISTINCT" if distinct else "FILTER CLAUSE"
    return SparkError("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", prettyName=f"`{name}`", syntax=syntax)


def shown_name(name: str, signature: Signature) -> str:
    if signature.keeps_alias:
        return name
    return signature.shows or signature.function


def unknown_function(name: str) -> Exception:
    if name in SPARK_FUNCTIONS:
        return NotNative(f"function {name}")
    return NotNative(f"function {name}: not a built-in one")
