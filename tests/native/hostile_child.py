"""Runs statements that may end the process: a JSON list on standard input, a JSON line for each on standard output."""

import json
import sys
from typing import Any

import duckdb

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.read.sql_text import read_query_text


def plain(value: Any) -> Any:
    """What JSON can hold: bytes in hex, a struct as the list of its fields."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return [plain(item) for item in value.values()]
    return [plain(item) for item in value] if isinstance(value, list) else value


def outcome(connection: duckdb.DuckDBPyConnection, statement: dict[str, Any]) -> dict[str, Any]:
    """The whole value, or Spark's condition, or why the plan falls back to Spark."""
    try:
        return {"value": plain(first_value(connection, statement))}
    except SparkError as error:
        return {"condition": error.condition}
    except NotNative as error:
        return {"falls_back": str(error)}


def answer(connection: duckdb.DuckDBPyConnection, statement: dict[str, Any]) -> str:
    """The first value as text, or the error; `spark` is Spark's SQL, `duckdb` is that of DuckDB with BLOBs in hex."""
    try:
        return f"value {first_value(connection, statement)}"[:300]
    except (SparkError, NotNative) as error:
        return f"{type(error).__name__} {error}"[:300]
    except duckdb.Error as error:
        return f"error {error}"[:300]


def first_value(connection: duckdb.DuckDBPyConnection, statement: dict[str, Any]) -> Any:
    if "spark" in statement:
        plan = read_query_text(statement["spark"], Context()).plain()
        table = stream_rows(plan, Context(), connection.cursor()).read_all()
        return next(iter(table.to_pylist()[0].values()))
    blobs = [bytes.fromhex(blob) for blob in statement.get("blobs", [])]
    found = connection.execute(statement["duckdb"], blobs).fetchone()
    return found[0] if found else None


def main() -> None:
    connection = connect()
    for statement in json.load(sys.stdin):
        say = outcome if statement.get("whole") else answer
        print(json.dumps(say(connection, statement)), flush=True)


if __name__ == "__main__":
    main()
