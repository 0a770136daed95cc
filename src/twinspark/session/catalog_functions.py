"""spark.catalog's functions: Spark's own, the session's and those that catalogs keep."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.session.sql_names import Place, exists, matching, parsed
from twinspark.session.sql_routines import user_functions

if TYPE_CHECKING:
    from twinspark.session.session import Session

FUNCTION = StructType([
    StructField("name", StringType(), True),
    StructField("catalog", StringType(), True),
    StructField("namespace", ArrayType(StringType(), True), True),
    StructField("description", StringType(), True),
    StructField("className", StringType(), True),
    StructField("isTemporary", BooleanType(), False),
])  # fmt: skip
BUILTIN = (("builtin",), ("system", "builtin"))


def function_exists(message: Any, context: Context, session: "Session") -> bool:
    if message.HasField("db_name"):
        place = Place("spark_catalog", (message.db_name.lower(),))
        parts: tuple[str, ...] = ("spark_catalog", message.db_name, message.function_name)
        return exists(place, session) and known(parts, context, session)
    return known(parsed(message.function_name, context), context, session)


def known(parts: tuple[str, ...], context: Context, session: "Session") -> bool:
    names = tuple(part.lower() for part in parts)
    if names[-1] in SPARK_FUNCTIONS and names[:-1] in ((), *BUILTIN):
        return True
    if session.functions.has(parts, context):
        return True
    if session.functions.unresolved(parts, context) is None:
        raise NotNative(f"function {'.'.join(parts)}: Spark may know it")
    return False


def function_row(message: Any, context: Context, session: "Session") -> tuple[Any, ...]:
    if message.HasField("db_name"):
        parts: tuple[str, ...] = ("spark_catalog", message.db_name, message.function_name)
    else:
        parts = parsed(message.function_name, context)
    return row_of(parts, context, session)


def row_of(parts: tuple[str, ...], context: Context, session: "Session") -> tuple[Any, ...]:
    if parts[-1].lower() in SPARK_FUNCTIONS and len(parts) == 1:
        return session.functions.builtin_row(parts[0].lower())
    kept = session.functions.class_of(parts, context)
    if kept is not None:
        name, class_name = kept
        return (name.identifier.name, name.catalog, list(name.identifier.namespace), "N/A.", class_name, False)
    problem = session.functions.unresolved(parts, context)
    if session.functions.has(parts, context) or problem is None:
        raise NotNative("what Spark tells of a SQL function")
    raise problem


def function_rows(place: Place, pattern: str | None, context: Context, session: "Session") -> list[tuple[Any, ...]]:
    """Builtin ones first, then the user's."""
    builtin = [session.functions.builtin_row(name) for name in matching(SPARK_FUNCTIONS, pattern)]
    users = user_functions(place, pattern, session)
    return builtin + [row_of(parsed(name, context), context, session) for name in users]
