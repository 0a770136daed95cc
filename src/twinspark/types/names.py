"""Writes the SQL name of a Spark type (`dataType.sql`), and quotes identifiers as Spark does."""

import re
from functools import lru_cache

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType, UserDefinedType

from twinspark.types.values import is_collated


def quote_identifier(name: str) -> str:
    """The name in backquotes (toSQLId of a name with one part)."""
    return "`" + name.replace("`", "``") + "`"


def quote_if_needed(name: str) -> str:
    return name if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) else quote_identifier(name)


@lru_cache(4096)
def sql_name(type: DataType) -> str:
    """Spark's `dataType.sql`: `BIGINT`, `ARRAY<STRING>`, `STRUCT<a: INT NOT NULL>`."""
    if isinstance(type, ArrayType):
        return f"ARRAY<{sql_name(type.elementType)}>"
    if isinstance(type, MapType):
        return f"MAP<{sql_name(type.keyType)}, {sql_name(type.valueType)}>"
    if isinstance(type, StructType):
        return f"STRUCT<{', '.join(map(field_sql, type.fields))}>"
    if isinstance(type, UserDefinedType):
        return sql_name(type.sqlType())
    return type.simpleString().upper() if not is_collated(type) else f"STRING COLLATE {type.collation}"


def field_sql(field: StructField) -> str:
    return (
        f"{quote_if_needed(field.name)}: {sql_name(field.dataType)}"
        + ("" if field.nullable else " NOT NULL")
        + comment_sql((field.metadata or {}).get("comment"))
    )


def comment_sql(comment: str | None) -> str:
    """Only single quotes are escaped (StructField.getDDLComment)."""
    return " COMMENT '" + comment.replace("'", "\\'") + "'" if comment else ""
