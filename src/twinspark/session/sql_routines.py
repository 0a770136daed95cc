"""SHOW FUNCTIONS and DESCRIBE FUNCTION: Spark's own list, the session's functions and those of the catalogs."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.read.sql import parse_type, tree
from twinspark.session import function_texts
from twinspark.session.sql_functions import SqlFunction
from twinspark.session.sql_names import (
    SESSION_CATALOG,
    Place,
    catalog_at,
    check_exists,
    located,
    matching,
    parts_of,
    place_of,
)
from twinspark.session.sql_results import Answer, answer, text
from twinspark.types import quote_if_needed, sql_name

if TYPE_CHECKING:
    from twinspark.session.session import Session

FUNCTIONS = StructType([text("function")])
BUILTIN = ((), ("builtin",), ("system", "builtin"))
DESCRIPTION = StructType([text("function_desc")])


def show_functions(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = (context.database,) if statement.namespace is None else parts_of(
        statement.namespace, source, context, session
    )  # fmt: skip
    pattern = statement.pattern
    if isinstance(pattern, tree.Name):
        parts, pattern = (pattern.parts[:-1] or parts), pattern.parts[-1]
    place = place_of(parts, context, session)

    def show() -> Answer:
        return answer(FUNCTIONS, [(name,) for name in functions_in(place, statement.scope, pattern, session)])

    return show


def functions_in(place: Place, scope: str, pattern: str | None, session: "Session") -> list[str]:
    check_exists(place, session)
    names: list[str] = []
    if scope in ("ALL", "SYSTEM"):
        names += matching(SPARK_FUNCTIONS, pattern)
    if scope in ("ALL", "USER"):
        names += user_functions(place, pattern, session)
    return sorted(set(names))


def user_functions(place: Place, pattern: str | None, session: "Session") -> list[str]:
    own = matching(session.functions.temporary(), pattern)
    before = ".".join(map(quote_if_needed, (place.catalog, *place.namespace))) + "."
    kept = {each.name for each in catalog_at(place, session).list_functions(place.namespace)}
    kept |= {name.removeprefix(before).strip("`") for name in on_spark(place, session)}
    return own + [before + quote_if_needed(name) for name in matching(kept, pattern)]


def on_spark(place: Place, session: "Session") -> list[str]:
    spark = session.spark_catalog() if place.catalog == SESSION_CATALOG else None
    return [] if spark is None else spark.functions(place.namespace[0])


def describe_function(statement: Any, source: str, context: Context, session: "Session") -> Any:
    written = isinstance(statement.name, str)
    parts = (statement.name,) if written else parts_of(statement.name, source, context, session)
    name = parts[-1].lower()
    if name in SPARK_FUNCTIONS and tuple(part.lower() for part in parts[:-1]) in BUILTIN:
        lines = function_texts.description(name, statement.extended)
        return lambda: answer(DESCRIPTION, [(line,) for line in lines])
    if written:
        raise NotNative("SQL: DESCRIBE FUNCTION of an operator that is no function")
    found = session.functions.find(parts, context)
    if found is None:
        problem = session.functions.unresolved(parts, context)
        if problem is None:
            raise NotNative("SQL: DESCRIBE FUNCTION of one that Spark may know")
        raise located(problem, statement.name, source)
    if not isinstance(found, SqlFunction):
        raise NotNative("SQL: DESCRIBE FUNCTION of a Python function tells of a class of the JVM's")
    if statement.extended:
        raise NotNative("SQL: DESCRIBE FUNCTION EXTENDED tells the settings that Spark kept")
    return lambda: answer(DESCRIPTION, [(line,) for line in description(found)])


def description(function: SqlFunction) -> list[str]:
    inputs = [parameter_text(each) for each in function.parameters] or ["()"]
    return [
        f"Function: {function.name}",
        f"Type:     {'TABLE' if function.columns else 'SCALAR'}",
        *labelled("Input:    ", inputs),
        *labelled("Returns:  ", returned(function)),
    ]


def returned(function: SqlFunction) -> list[str]:
    if not function.columns:
        return [sql_name(parse_type(function.returns))]
    fields = StructType.fromJson(json.loads(function.columns)).fields
    return [f"{field.name} {sql_name(field.dataType)}" for field in fields]


def parameter_text(parameter: Any) -> str:
    default = f" DEFAULT {parameter.default}" if parameter.default is not None else ""
    return f"{parameter.name} {sql_name(parse_type(parameter.type))}{default}"


def labelled(label: str, values: Sequence[str]) -> list[str]:
    return [f"{label if at == 0 else ' ' * len(label)}{value}" for at, value in enumerate(values)]
