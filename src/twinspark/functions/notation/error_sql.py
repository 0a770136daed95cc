"""Writes DuckDB expressions that raise Spark's errors, or make the plan fall back to Spark."""

from twinspark.errors import Reason
from twinspark.errors.marker import JAVA, escape_sql, mark_error, mark_fall_back
from twinspark.types.duckdb import duck_text


def error(condition: str, **parameters: str) -> str:
    """An expression that raises; errors.marker decodes its text into a SparkError."""
    return f"error({duck_text(mark_error(condition, parameters))})"


def error_with(condition: str, **parameters: str) -> str:
    """Like `error`, with parameters that are SQL of VARCHARs."""
    parts = [duck_text(mark_error(condition, {}))]
    for name, sql in parameters.items():
        parts += [duck_text(f"|{name}="), f"coalesce({escape_sql(sql)}, 'null')"]
    return f"error({' || '.join(parts)})"


def java_error(message: str, java_class: str = "java.lang.ArithmeticException") -> str:
    """Raises an exception of Java that has no condition; the message is SQL of a VARCHAR."""
    return error_with(JAVA, **{"class": duck_text(java_class)}, message=message)


def not_native(reason: Reason, detail: str = "", crash: str = "") -> str:
    """An expression that makes the whole plan fall back to Spark, for causes that depend on the rows.

    `crash` is the message with which Spark would fail; it is reported if there is no Spark."""
    return f"error({duck_text(mark_fall_back(reason, detail, crash))})"


ANSI_CONFIG = '"spark.sql.ansi.enabled"'
