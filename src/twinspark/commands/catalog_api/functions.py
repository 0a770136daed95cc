"""spark.catalog's functions: Spark's built-in ones, the session's, and those stored in catalogs."""

from typing import Any

from pyspark.sql.connect.proto import catalog_pb2
from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.functions.show import user_functions
from twinspark.commands.names import QualifiedNamespace, exists, matching, parse_name
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.sessions.services import Services

FUNCTION = StructType([
    StructField("name", StringType(), True),
    StructField("catalog", StringType(), True),
    StructField("namespace", ArrayType(StringType(), True), True),
    StructField("description", StringType(), True),
    StructField("className", StringType(), True),
    StructField("isTemporary", BooleanType(), False),
])  # fmt: skip
BUILTIN = (("builtin",), ("system", "builtin"))


def function_exists(message: catalog_pb2.FunctionExists, context: Context, services: Services) -> bool:
    if message.HasField("db_name"):
        place = QualifiedNamespace("spark_catalog", (message.db_name.lower(),))
        parts: tuple[str, ...] = ("spark_catalog", message.db_name, message.function_name)
        return exists(place, services) and is_known(parts, context, services)
    return is_known(parse_name(message.function_name, context), context, services)


def is_known(parts: tuple[str, ...], context: Context, services: Services) -> bool:
    names = tuple(part.lower() for part in parts)
    if names[-1] in SPARK_FUNCTIONS and names[:-1] in ((), *BUILTIN):
        return True
    if services.functions.has(parts, context):
        return True
    if services.functions.unresolved_error(parts, context) is None:
        raise NotNative(reasons.FUNCTION_UNKNOWN, ".".join(parts))
    return False


def function_row(message: catalog_pb2.GetFunction, context: Context, services: Services) -> tuple[Any, ...]:
    if message.HasField("db_name"):
        parts: tuple[str, ...] = ("spark_catalog", message.db_name, message.function_name)
    else:
        parts = parse_name(message.function_name, context)
    return row_of(parts, context, services)


def row_of(parts: tuple[str, ...], context: Context, services: Services) -> tuple[Any, ...]:
    if parts[-1].lower() in SPARK_FUNCTIONS and len(parts) == 1:
        return services.functions.builtin_row(parts[0].lower())
    kept = services.functions.class_of(parts, context)
    if kept is not None:
        name, class_name = kept
        return (name.identifier.name, name.catalog, list(name.identifier.namespace), "N/A.", class_name, False)
    problem = services.functions.unresolved_error(parts, context)
    if services.functions.has(parts, context) or problem is None:
        raise NotNative(reasons.DESCRIBE_OUTPUT, "a SQL function")
    raise problem


def function_rows(
    place: QualifiedNamespace, pattern: str | None, context: Context, services: Services
) -> list[tuple[Any, ...]]:
    """Built-in functions first, then user-defined ones."""
    builtin = [services.functions.builtin_row(name) for name in matching(SPARK_FUNCTIONS, pattern)]
    users = user_functions(place, pattern, services)
    return builtin + [row_of(parse_name(name, context), context, services) for name in users]
