"""Which twinspark, which Spark, which DuckDB."""

from importlib.metadata import version


def version_line() -> str:
    return f"twinspark {version('twinspark')} (Spark {version('pyspark')}, DuckDB {version('duckdb')})"
