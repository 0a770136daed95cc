"""The statements of statements/*.sql, and how a session answers each: schema and rows, or why it is refused."""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

HERE = Path(__file__).parent
TOPICS = sorted(path.stem for path in (HERE / "statements").glob("*.sql"))
DATABASE = "tables_sql"
PLACE = "{place}"  # a directory of the run's own
CHANGING = {
    r'("Created Time"|Created Time:)(, ")? ?\w+ \w+ \d+ [\d:]+ UTC \d+': r"\1\2 then",
    r'("Location"|Location:)(, ")? ?file:[^"\\]*/': r"\1\2 file:/somewhere/",
    r"(file:/somewhere/\w+)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": r"\1",
    r"\d+ bytes": "some bytes",
}
WAREHOUSE = re.compile(r"file:\S*/(?=\w+\.db/)")


def recorded(topic: str) -> Path:
    return HERE / "recorded" / f"{topic}.json"


def statements(topic: str) -> list[str]:
    """One statement ends with a semicolon at the end of its line; comments are lines of their own."""
    lines = (HERE / "statements" / f"{topic}.sql").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("--"))
    return [each.strip().rstrip(";") for each in text.split(";\n") if each.strip()]


def answer(spark: Any, statement: str) -> dict[str, Any]:
    try:
        found = spark.sql(statement)
        rows = sorted(map(plain, found.collect()), key=repr)
        return {"schema": found.schema.jsonValue(), "rows": rows}
    except PySparkException as error:
        told = {key: WAREHOUSE.sub("file:/somewhere/", value) for key, value in error.getMessageParameters().items()}
        return {"condition": error.getCondition(), "parameters": told}


def plain(row: Any) -> Any:
    """Without what is never twice the same: when and where a table was made, and how long its files are."""
    told = json.dumps(row, default=repr)
    for changing, known in CHANGING.items():
        told = re.sub(changing, known, told)
    return json.loads(told)


def all_answers(spark: Any, topic: str) -> list[dict[str, Any]]:
    spark.sql("USE default").collect()
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE").collect()
    spark.sql(f"CREATE DATABASE {DATABASE}").collect()
    spark.sql(f"USE {DATABASE}").collect()
    with tempfile.TemporaryDirectory(prefix="tables_sql") as place:
        found = [{"statement": each, **answer(spark, each.replace(PLACE, place))} for each in statements(topic)]
        return json.loads(json.dumps(found).replace(place, PLACE))
