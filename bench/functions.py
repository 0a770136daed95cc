"""Every measured function over the same rows as DuckDB's closest plain expression, as a ratio of CPU seconds.

usage: functions.py [--rows 10000000] [--only WORD] [--write docs/functions-speed.md]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, starmap
from pathlib import Path

import duckdb

from twinspark.analysis.context import Context
from twinspark.duck.run import connect, sql_of
from twinspark.plan.relations import Field, Scan
from twinspark.read.proto import read_relation  # noqa: F401 -- tells how schemas are read
from twinspark.read.sql import parse_type
from twinspark.read.text import read_query_text

HERE = Path(__file__).parent
SLOW, NEAR = 3.0, 1.5
HEADER = """\
# How fast the functions are

CPU seconds of a function on the embedded engine, as Spark means it, over those of DuckDB's closest plain expression,
which does not always give the same answer. One thread, the better of three runs in turns, a table in memory whose scan
counts on both sides. Written by `make bench-functions`; do not edit.
"""
COLUMNS = (
    "struct<i: int, j: int, b: bigint, k: bigint, d: double, s: double, u: double, p: decimal(15,2),"
    " q: decimal(15,2), r: decimal(15,2), w: decimal(38,6), n: string, f: string, t: string, y: string, yes: string,"
    " c: string, h: string, e: string, link: string, x: binary, bo: boolean, o: date, o2: date, z: timestamp,"
    " l: timestamp_ntz, a: array<int>, a2: array<int>, texts: array<string>, keys: array<string>, a3: array<int>,"
    " m: map<string,int>, st: struct<a: int, b: string>, g: string>"
)


@dataclass(frozen=True)
class Line:
    """A function: Spark's expression, and DuckDB's closest one."""

    topic: str
    name: str
    spark: str
    duckdb: str


@dataclass(frozen=True)
class Measured:
    """CPU seconds of both; none where our engine leaves the expression to Spark."""

    line: Line
    plain: float
    ours: float

    @property
    def ratio(self) -> float:
        return self.ours / self.plain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="lines whose name or topic holds this word")
    parser.add_argument("--write", type=Path, help="the page to write")
    asked = parser.parse_args()
    connection = prepared(asked.rows)
    found = [measured(connection, line) for line in lines() if asked.only in f"{line.topic}: {line.name}"]
    for each in sorted(found, key=lambda one: -one.ratio):
        print(f"{each.ratio:8.2f}  {each.plain:7.3f}s {each.ours:7.3f}s  {each.line.name}")
    if asked.write:
        asked.write.write_text(page(found, asked.rows))


def page(found: list[Measured], rows: int) -> str:
    """The page: what is far from DuckDB's speed, then everything, topic by topic."""
    slow = sorted((one for one in found if one.ratio > SLOW), key=lambda one: -one.ratio)
    near = sum(one.ratio <= NEAR for one in found)
    told = (
        f"{near} of {len(found)} within {NEAR} times DuckDB's own, {len(slow)} beyond {SLOW:.0f} times ({rows:,} rows)."
    )
    topics = dict.fromkeys(one.line.topic for one in found)
    parts = [(topic, [one for one in found if one.line.topic == topic]) for topic in topics]
    return "\n".join([HEADER, told, "", *table(f"Slower than {SLOW:.0f} times", slow), *chain(*starmap(table, parts))])


def table(title: str, measured: list[Measured]) -> list[str]:
    head = [f"## {title}", "", "| what | Spark | DuckDB | ratio |", "|---|---|---|---|"]
    rows = [
        f"| {shown(m.line.name)} | `{shown(m.line.spark)}` | `{shown(m.line.duckdb)}` | {m.ratio:.1f} |"
        for m in measured
    ]
    return [*head, *rows, ""]


def shown(text: str) -> str:
    return text.replace("|", "\\|")


def prepared(rows: int) -> duckdb.DuckDBPyConnection:
    """One thread: CPU seconds of two threads that wait for each other say little."""
    connection = connect()
    connection.execute("SET threads = 1")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute((HERE / "function_data.sql").read_text(), [rows])
    return connection


def lines() -> Iterator[Line]:
    topic = ""
    for text in (HERE / "function_lines.txt").read_text().splitlines():
        if text.startswith("# ----"):
            topic = text.removeprefix("# ----").strip()
        elif text and not text.startswith("#"):
            name, spark, plain = (part.strip() for part in text.split(" | "))
            yield Line(topic, name, spark, plain)


def measured(connection: duckdb.DuckDBPyConnection, line: Line) -> Measured:
    """The best of three, in turns; first() takes every value and does nothing with it."""
    aggregate = line.topic == "aggregates"
    plain = f"SELECT {line.duckdb if aggregate else f'first({line.duckdb})'} FROM measured"
    ours = translated(line.spark)
    ours = ours if aggregate else f"SELECT first(c0) FROM ({ours}) AS ours"
    times = [(seconds(connection, plain), seconds(connection, ours)) for _ in range(3)]
    return Measured(line, min(one for one, _ in times), min(one for _, one in times))


def translated(expression: str) -> str:
    """What our engine makes of the expression, over DuckDB's own table."""
    columns = parse_type(COLUMNS).fields
    fields = tuple(Field(column.name, column.dataType, True) for column in columns)
    view = Scan(sql="measured", names=tuple(column.name for column in columns), fields=fields)
    frame = read_query_text(f"SELECT {expression} FROM measured", Context(views={("measured",): view}))
    return sql_of(frame.plain())[0]


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    started = time.process_time()
    connection.execute(query).fetchall()
    return max(time.process_time() - started, 1e-6)


if __name__ == "__main__":
    main()
