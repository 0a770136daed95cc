"""DuckDB's types for columns of tables, which are fewer than those in queries."""

from twinspark.errors import NotNative, reasons
from twinspark.types import DataType, TimeType, UserDefinedType, VariantType, has_inner, plain_type
from twinspark.types.duckdb import duck_type

ONLY_IN_QUERIES = (TimeType, VariantType, UserDefinedType)


def column_type(type: DataType) -> str:
    """DuckDB's type for a column; types that files store differently than DuckDB does fall back to Spark."""
    if has_inner(type, ONLY_IN_QUERIES):
        raise NotNative(reasons.TYPE_UNSUPPORTED, f"{type.simpleString()} as a column of a table")
    return duck_type(plain_type(type))
