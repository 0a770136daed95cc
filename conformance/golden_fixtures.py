"""The tables that Spark's SQL golden files expect, and the clearing up after each file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from golden_files import RESOURCES
from pyspark.errors import PySparkException

ONEK = (
    "unique1 int, unique2 int, two int, four int, ten int, twenty int, hundred int, thousand int, "
    "twothousand int, fivethous int, tenthous int, odd int, even int, stringu1 string, stringu2 string, string4 string"
)
CAST: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "string": str}


def tab_separated(spark: Any, file: str, schema: str) -> Any:
    """One of PostgreSQL's test tables."""
    kinds = [CAST[column.split()[1]] for column in schema.split(", ")]
    lines = (RESOURCES / "test-data/postgresql" / file).read_text().splitlines()
    rows = [[kind(x) for kind, x in zip(kinds, line.split("\t"), strict=True)] for line in lines if line.strip()]
    return spark.createDataFrame(rows, schema)


def letters(first: int) -> dict[int, str]:
    """The five maps of mapdata: a1 to e1, a2 to d2 and so on."""
    return {k + 1: f"{'abcde'[k]}{first}" for k in range(6 - first)}


ARRAYS = "arraycol array<int>, nestedarraycol array<array<int>>"
FIXTURES: dict[str, Callable[[Any], Any]] = {
    "testdata": lambda s: s.createDataFrame([(i, str(i)) for i in range(1, 101)], "key int, value string"),
    "arraydata": lambda s: s.createDataFrame([([1, 2, 3], [[1, 2, 3]]), ([2, 3, 4], [[2, 3, 4]])], ARRAYS),
    "mapdata": lambda s: s.createDataFrame([(letters(n),) for n in range(1, 6)], "mapcol map<int,string>"),
    "aggtest": lambda s: tab_separated(s, "agg.data", "a int, b float"),
    "onek": lambda s: tab_separated(s, "onek.data", ONEK),
    "tenk1": lambda s: tab_separated(s, "tenk.data", ONEK),
}


def ensure(spark: Any, names: list[str]) -> None:
    """Tables where the server can keep them, else temporary views of this session."""
    for name in names:
        if not exists(spark, name):
            frame = FIXTURES[name](spark)
            try:
                frame.coalesce(1).write.format("parquet").mode("overwrite").saveAsTable(name)
            except PySparkException:
                frame.createOrReplaceTempView(name)


def exists(spark: Any, name: str) -> bool:
    """Whether the name can be read."""
    try:
        spark.sql(f"SELECT * FROM {name} LIMIT 0").collect()
    except PySparkException:
        return False
    return True


def catalog_state(spark: Any) -> tuple[set[str], set[str]]:
    """Databases and tables, so that leftovers of one file can be removed before the next."""
    return column(spark, "SHOW DATABASES", 0), column(spark, "SHOW TABLES IN default", 1)


def column(spark: Any, sql: str, index: int) -> set[str]:
    """Empty where the server has no such command."""
    try:
        return {row[index] for row in spark.sql(sql).collect()}
    except PySparkException:
        return set()


def clean(spark: Any, databases: set[str], tables: set[str]) -> None:
    """Drop what was not there before."""
    now_databases, now_tables = catalog_state(spark)
    for database in now_databases - databases:
        attempt(spark, f"DROP DATABASE IF EXISTS `{database}` CASCADE")
    for table in now_tables - tables:
        attempt(spark, f"DROP VIEW IF EXISTS default.`{table}`")
        attempt(spark, f"DROP TABLE IF EXISTS default.`{table}`")


def attempt(spark: Any, sql: str) -> None:
    """Dropping a table as a view is an error, and the other way round: one of the two is right."""
    try:
        spark.sql(sql).collect()
    except PySparkException:
        return
