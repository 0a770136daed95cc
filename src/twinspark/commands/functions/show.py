"""SHOW FUNCTIONS and DESCRIBE FUNCTION: built-in functions, the session's functions and those of catalogs."""

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.names import (
    SESSION_CATALOG,
    QualifiedNamespace,
    catalog_at,
    check_exists,
    matching,
    parts_of,
    place_of,
    with_position,
)
from twinspark.commands.results import Answer, answer, text
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation import descriptions as function_texts
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.read.sql import parse_type, tree
from twinspark.sessions.services import Services
from twinspark.sessions.sql_functions import SqlFunction
from twinspark.types import quote_if_needed, sql_name

FUNCTIONS = StructType([text("function")])
BUILTIN = ((), ("builtin",), ("system", "builtin"))
DESCRIPTION = StructType([text("function_desc")])


def show_functions(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = (context.database,) if statement.namespace is None else parts_of(
        statement.namespace, source, context, services
    )  # fmt: skip
    pattern = statement.pattern
    if isinstance(pattern, tree.Name):
        parts, pattern = (pattern.parts[:-1] or parts), pattern.parts[-1]
    place = place_of(parts, context, services)

    def show() -> Answer:
        return answer(FUNCTIONS, [(name,) for name in functions_in(place, statement.scope, pattern, services)])

    return show


def functions_in(place: QualifiedNamespace, scope: str, pattern: str | None, services: Services) -> list[str]:
    check_exists(place, services)
    names: list[str] = []
    if scope in ("ALL", "SYSTEM"):
        names += matching(SPARK_FUNCTIONS, pattern)
    if scope in ("ALL", "USER"):
        names += user_functions(place, pattern, services)
    return sorted(set(names))


def user_functions(place: QualifiedNamespace, pattern: str | None, services: Services) -> list[str]:
    own = matching(services.functions.temporary(), pattern)
    before = ".".join(map(quote_if_needed, (place.catalog, *place.namespace))) + "."
    kept = {each.name for each in catalog_at(place, services).list_functions(place.namespace)}
    kept |= {name.removeprefix(before).strip("`") for name in on_spark(place, services)}
    return own + [before + quote_if_needed(name) for name in matching(kept, pattern)]


def on_spark(place: QualifiedNamespace, services: Services) -> list[str]:
    spark = services.spark_catalog() if place.catalog == SESSION_CATALOG else None
    return [] if spark is None else spark.functions(place.namespace[0])


def describe_function(statement: Any, source: str, context: Context, services: Services) -> Any:
    written = isinstance(statement.name, str)
    parts = (statement.name,) if written else parts_of(statement.name, source, context, services)
    name = parts[-1].lower()
    if name in SPARK_FUNCTIONS and tuple(part.lower() for part in parts[:-1]) in BUILTIN:
        lines = function_texts.description(name, statement.extended)
        return lambda: answer(DESCRIPTION, [(line,) for line in lines])
    if written:
        raise NotNative(reasons.DESCRIBE_OUTPUT, "an operator that is not a function")
    found = services.functions.find(parts, context)
    if found is None:
        problem = services.functions.unresolved_error(parts, context)
        if problem is None:
            raise NotNative(reasons.FUNCTION_UNKNOWN, "the function to describe")
        raise with_position(problem, statement.name, source)
    if not isinstance(found, SqlFunction):
        raise NotNative(reasons.DESCRIBE_OUTPUT, "a Python function, which Spark describes by a class of the JVM")
    if statement.extended:
        raise NotNative(reasons.DESCRIBE_OUTPUT, "DESCRIBE FUNCTION EXTENDED lists the settings that Spark stored")
    return lambda: answer(DESCRIPTION, [(line,) for line in description(found)])


def description(function: SqlFunction) -> list[str]:
    inputs = [parameter_text(each) for each in function.parameters] or ["()"]
    return [
        f"Function: {function.name}",
        f"Type:     {'TABLE' if function.columns else 'SCALAR'}",
        *label_lines("Input:    ", inputs),
        *label_lines("Returns:  ", return_lines(function)),
    ]


def return_lines(function: SqlFunction) -> list[str]:
    if not function.columns:
        return [sql_name(parse_type(function.returns))]
    fields = StructType.fromJson(json.loads(function.columns)).fields
    return [f"{field.name} {sql_name(field.dataType)}" for field in fields]


def parameter_text(parameter: Any) -> str:
    default = f" DEFAULT {parameter.default}" if parameter.default is not None else ""
    return f"{parameter.name} {sql_name(parse_type(parameter.type))}{default}"


def label_lines(label: str, values: Sequence[str]) -> list[str]:
    return [f"{label if at == 0 else ' ' * len(label)}{value}" for at, value in enumerate(values)]
