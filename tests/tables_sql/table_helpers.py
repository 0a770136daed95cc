"""Short words for tests: rows of a query, and what a statement is refused by."""

from typing import Any

from pyspark.errors import PySparkException


def rows(spark: Any, query: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in spark.sql(query).collect()), key=repr)


def run(spark: Any, *statements: str) -> None:
    for statement in statements:
        spark.sql(statement).collect()


def refusal(spark: Any, statement: str) -> str | None:
    try:
        spark.sql(statement).collect()
    except PySparkException as error:
        return error.getCondition()
    return None
