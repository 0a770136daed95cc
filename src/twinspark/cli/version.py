"""The version line of `twinspark --version`: twinspark, Spark, PySpark and DuckDB."""

from importlib.metadata import version

from twinspark.installed import pyspark_version
from twinspark.release import SPARK_VERSION


def version_line() -> str:
    pyspark = f"PySpark {pyspark_version()}" if pyspark_version() else "no PySpark"
    return f"twinspark {version('twinspark')} (Spark {SPARK_VERSION}, {pyspark}, DuckDB {version('duckdb')})"
