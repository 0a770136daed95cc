"""The statements of statements.sql, and how a session answers each: schema and rows, or why it is refused."""

import json
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

HERE = Path(__file__).parent
RECORDED = HERE / "recorded" / "statements.json"
DATABASE = "tables_sql"


def statements() -> list[str]:
    """One statement ends with a semicolon at the end of its line; comments are lines of their own."""
    lines = (HERE / "statements.sql").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("--"))
    return [each.strip().rstrip(";") for each in text.split(";\n") if each.strip()]


def answer(spark: Any, statement: str) -> dict[str, Any]:
    try:
        found = spark.sql(statement)
        rows = sorted(map(plain, found.collect()), key=repr)
        return {"schema": found.schema.jsonValue(), "rows": rows}
    except PySparkException as error:
        return {"condition": error.getCondition(), "parameters": error.getMessageParameters()}


def plain(row: Any) -> Any:
    return json.loads(json.dumps(row, default=repr))


def all_answers(spark: Any) -> list[dict[str, Any]]:
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}").collect()
    spark.sql(f"USE {DATABASE}").collect()
    return [{"statement": each, **answer(spark, each)} for each in statements()]
