"""Makes calls: which overload, which casts, which type and nullability, and the name Spark shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from twinspark.analysis.casts import implicit_cast
from twinspark.analysis.collated_calls import collated_call, is_for_collations
from twinspark.analysis.literals import literal
from twinspark.analysis.refusal_texts import shows_otherwise
from twinspark.errors import NotNative, SparkError
from twinspark.functions import overloads
from twinspark.functions.common_types import (
    common_type,
    common_type_without_strings,
    force_nullable,
)
from twinspark.functions.families import accepts, concrete, implicit_type, inner, is_variable
from twinspark.functions.gathering import ORDER_FREE, is_plain, unordered
from twinspark.functions.geometries import GEOSPATIAL_FUNCTIONS
from twinspark.functions.known import REFUSALS, SPARK_FUNCTIONS
from twinspark.functions.registry import AGGREGATE, GENERATOR, Parameter, Signature, Writer
from twinspark.functions.settings import Settings
from twinspark.functions.times import TIME_FUNCTIONS
from twinspark.functions.typing import Call as Typing
from twinspark.functions.typing import Typed, listed_types, quoted, unexpected_input_type
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Expression,
    SortOrder,
)
from twinspark.types import (
    NULL,
    ArrayType,
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
    same_type,
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


def call(
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
    """A call by any of the function's names; which overload, casts, type and nullability are decided here."""
    if is_for_collations(arguments):
        facts = {
            "distinct": distinct,
            "filter": filter,
            "ordering": ordering,
            "ignore_nulls": ignore_nulls,
            "text": text,
        }
        return collated_call(uncollated_call, name, arguments, settings, **facts)
    return uncollated_call(
        name,
        arguments,
        settings,
        distinct=distinct,
        filter=filter,
        ordering=ordering,
        ignore_nulls=ignore_nulls,
        text=text,
    )


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


def resolve(signatures: Sequence[Signature], typing: Typing) -> tuple[Signature, Typed]:
    """The first overload that takes the arguments; else the error of the last one tried."""
    problem: Exception | None = None
    for signature in signatures:
        if not signature.accepts(len(typing.arguments)):
            continue
        try:
            return signature, typed_call(signature, typing)
        except SparkError as error:
            problem = error
    raise problem or wrong_number(signatures, typing)


def wrong_number(signatures: Sequence[Signature], typing: Typing) -> SparkError:
    expected = sorted({n for s in signatures for n in range(12) if s.accepts(n)})
    text = str(expected[0]) if len(expected) == 1 else "[" + ", ".join(map(str, expected)) + "]"
    if any(s.variadic for s in signatures):
        text = f"> {expected[0] - 1}"
    return SparkError(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        functionName=f"`{typing.name}`",
        expectedNum=text,
        actualNum=len(typing.arguments),
        docroot="https://spark.apache.org/docs/latest",
    )


def typed_call(signature: Signature, typing: Typing) -> Typed:
    if signature.rule is not None:
        check_arguments(signature, typing)
        typed: Typed = signature.rule(typing)
        return typed
    arguments = with_defaults(signature, typing.arguments)
    parameters = spread(signature, len(arguments))
    bindings = bind_variables(parameters, arguments, typing)
    casts = [
        argument_type(typing, index, parameter, arguments[index], bindings)
        for index, parameter in enumerate(parameters)
    ]
    nullable = signature.nullable
    if nullable is None:
        nullable = any(
            made_nullable(argument, target)
            for argument, parameter, target in zip(arguments, parameters, casts, strict=True)
            if not parameter.null_passes
        )
    return Typed(result_type(signature.result, bindings, parameters, casts), nullable, casts)


def check_arguments(signature: Signature, typing: Typing) -> None:
    """Before a rule sees them: what a parameter's families cannot take is refused in Spark's words."""
    for index, parameter in enumerate(spread(signature, len(typing.arguments))):
        type = typing.arguments[index].type
        if not is_null(type) and implicit_type(type, parameter.types, typing.settings.ansi) is None:
            raise unexpected_input_type(typing, index, required_text(parameter))


def made_nullable(argument: Expression, target: DataType) -> bool:
    return argument.nullable or (not same_type(argument.type, target) and force_nullable(argument.type, target))


def with_defaults(signature: Signature, arguments: Sequence[Expression]) -> list[Expression]:
    missing = signature.parameters[len(arguments) :]
    return [*arguments, *(default_value(p) for p in missing if p.default is not None and not p.repeated)]


def default_value(parameter: Parameter) -> Expression:
    text = parameter.default or "null"
    if text.startswith("'"):
        return literal(text[1:-1])
    constants: dict[str, Any] = {"null": None, "true": True, "false": False}
    value = constants[text] if text in constants else float(text) if "." in text else int(text)
    made = literal(value)
    type = concrete(parameter.types[0])
    return made if value is None or is_null(type) else replace(made, type=type)


def spread(signature: Signature, count: int) -> Sequence[Parameter]:
    """One parameter per argument: the repeated one as often as needed."""
    if count == len(signature.parameters):
        return signature.parameters
    parameters: list[Parameter] = []
    extra = count - len(signature.parameters)
    for parameter in signature.parameters:
        parameters += [parameter] * (1 + extra if parameter.repeated else 1)
    return parameters[:count]


Bindings = dict[str, DataType]


def bind_variables(parameters: Sequence[Parameter], arguments: Sequence[Expression], typing: Typing) -> Bindings:
    met: dict[str, list[DataType]] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        for notation in parameter.types:
            collect(notation, argument.type, met)
    return {name: common(name, types, typing) for name, types in met.items()}


def common(name: str, types: list[DataType], typing: Typing) -> DataType:
    find = common_type if name == "W" else common_type_without_strings
    found = find(types, typing.settings.ansi)
    if found is None:
        raise SparkError(
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            sqlExpr=quoted(typing.text),
            functionName=f"`{typing.name}`",
            dataType=listed_types(typing),
        )
    return found


def collect(notation: str, type: DataType, met: dict[str, list[DataType]]) -> None:
    """Notes which types a variable stands for."""
    head, parts = inner(notation)
    if is_variable(notation):
        met.setdefault(notation.rstrip("!?"), []).append(type)
    elif head == "array" and parts and isinstance(type, ArrayType):
        collect(parts[0], type.elementType, met)
    elif head == "map" and parts and isinstance(type, MapType):
        collect(parts[0], type.keyType, met)
        collect(parts[1], type.valueType, met)


def argument_type(
    typing: Typing, index: int, parameter: Parameter, argument: Expression, bindings: Bindings
) -> DataType:
    """What the argument is cast to."""
    if is_null(argument.type) and not any(accepts(n, NULL) for n in parameter.types):
        return substitute(parameter.types[0], bindings, True)
    if any("T" in n or "K" in n or "V" in n or "W" in n for n in parameter.types) and has_variable(parameter):
        return variable_type(typing, index, parameter, argument, bindings)
    found = implicit_type(argument.type, parameter.types, typing.settings.ansi)
    if found is None:
        raise unexpected_input_type(typing, index, required_text(parameter))
    return found


def has_variable(parameter: Parameter) -> bool:
    return any(is_variable(n) or any(map(is_variable, inner(n)[1])) for n in parameter.types)


def variable_type(
    typing: Typing, index: int, parameter: Parameter, argument: Expression, bindings: Bindings
) -> DataType:
    for notation in parameter.types:
        if accepts(notation, argument.type):
            return substitute(notation, bindings, contains_null(argument.type))
    raise unexpected_input_type(typing, index, required_text(parameter))


def contains_null(type: DataType) -> bool:
    if isinstance(type, ArrayType):
        return bool(type.containsNull)
    return bool(type.valueContainsNull) if isinstance(type, MapType) else True


def substitute(notation: str, bindings: Bindings, nulls: bool) -> DataType:
    head, parts = inner(notation)
    if is_variable(notation):
        return bindings.get(notation.rstrip("!?"), NULL)
    if head == "array" and parts:
        return ArrayType(substitute(parts[0], bindings, True), inner_nulls(parts[0], nulls))
    if head == "map" and parts:
        key, value = (substitute(part, bindings, True) for part in parts)
        return MapType(key, value, inner_nulls(parts[1], nulls))
    return concrete(notation)


def inner_nulls(notation: str, otherwise: bool) -> bool:
    return {"?": True, "!": False}.get(notation[-1:], otherwise)


def result_type(
    notation: str, bindings: Bindings, parameters: Sequence[Parameter], casts: Sequence[DataType]
) -> DataType:
    """The result's type; an unmarked element nullability is that of the arguments written alike."""
    alike = [
        contains_null(type)
        for parameter, type in zip(parameters, casts, strict=True)
        if notation in parameter.types and isinstance(type, ArrayType | MapType)
    ]
    return substitute(notation, bindings, any(alike) if alike else True)


def required_text(parameter: Parameter) -> str:
    shown = [f'"{REQUIRED.get(n, n.upper())}"' for n in parameter.types]
    return shown[0] if len(shown) == 1 else "(" + " or ".join(shown) + ")"


REQUIRED = {
    "array<T>": "ARRAY",
    "map<K,V>": "MAP",
    "map<K, V>": "MAP",
    "anytimestamp": "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)",
}
