"""SQL queries with Spark's answers: what was recorded, and the same asked of the embedded engine."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery, stream_rows
from twinspark.duck.run import connect
from twinspark.errors import JavaError, SparkError
from twinspark.read.sql_text import read_query_text

BRACKETS = re.compile(r"\([^()]*\)")
HERE = Path(__file__).resolve().parent
# The answers were recorded by a local Spark with two tasks; rows that an ORDER BY leaves equal come in its order.
TASKS = {"spark.default.parallelism": "2"}
Place = tuple[str, int, int]  # the fragment, its first and last position


@dataclass(frozen=True)
class Answer:
    """Schema and rows, or an error: its condition, parameters and places in the text."""

    sql: str
    schema: dict[str, Any] | None = None
    rows: list[list[str]] | None = None
    condition: str = ""
    parameters: dict[str, str] | None = None
    places: list[list[Any]] | None = None

    @property
    def is_sorted(self) -> bool:
        """By the query itself: what stands in brackets, of a window say, orders other things."""
        text, inner = "", self.sql.lower()
        while text != inner:
            text, inner = inner, BRACKETS.sub("", inner)
        return "order by" in text


def topics() -> list[str]:
    return sorted(path.stem for path in (HERE / "queries").glob("*.sql"))


def queries(topic: str) -> list[str]:
    lines = (HERE / "queries" / f"{topic}.sql").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("--")]


def recorded(topic: str) -> list[Answer]:
    lines = (HERE / "recorded" / f"{topic}.jsonl").read_text().splitlines()
    return [Answer(**json.loads(line)) for line in lines]


def write(topic: str, answers: list[Answer]) -> None:
    """One line each, so that a changed answer is one line of a diff."""
    lines = [json.dumps({k: v for k, v in asdict(a).items() if v not in (None, "")}, sort_keys=True) for a in answers]
    (HERE / "recorded" / f"{topic}.jsonl").write_text("\n".join(lines) + "\n")


def as_text(table: pa.Table) -> list[list[str]]:
    columns = [[repr(value.as_py()) for chunk in column.chunks for value in chunk] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def rows_of(sql: str, schema: StructType, table: pa.Table) -> Answer:
    return Answer(sql, schema.jsonValue(), as_text(table))


def error_of(sql: str, condition: str, parameters: dict[str, str], places: list[Place]) -> Answer:
    return Answer(sql, None, None, condition, parameters, [list(place) for place in places])


@cache
def database() -> duckdb.DuckDBPyConnection:
    return connect()


def native(sql: str) -> Answer:
    """NotNative passes through."""
    context = Context(TASKS, collect=lambda plan, asked: stream_rows(plan, asked, database().cursor()).read_all())
    try:
        plan = read_query_text(sql, context).plain()
        table = CompiledQuery.of(plan, context, database().cursor()).stream().read_all()
    except SparkError as error:
        places = [(c.fragment, c.start_index, c.stop_index) for c in error.contexts]
        return error_of(sql, error.condition, error.parameters, places)
    except JavaError as error:
        return error_of(sql, "", {"message": str(error)}, [])
    return rows_of(sql, plan.schema, table)
