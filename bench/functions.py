"""Every measured function over the same rows as DuckDB's closest plain expression, as a ratio of CPU seconds.

usage: functions.py [--rows 10000000] [--only WORD] [--write docs/reference/functions-speed.md]

Whole, it takes some ten minutes of CPU and 6 GB. A line that would take seconds is measured over a tenth of the rows.
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
from twinspark.compile.pipeline import compile_rows
from twinspark.duck.run import connect
from twinspark.plan.relations import Field, Scan
from twinspark.read.proto import read_relation  # noqa: F401 -- tells how schemas are read
from twinspark.read.sql import parse_type
from twinspark.read.sql_text import read_query_text

HERE = Path(__file__).parent
SLOW, NEAR = 3.0, 1.5
ALL, FEWER = "measured", "fewer"  # the tables; the second has a tenth of the rows
LONG, LONGER = 0.15, 0.3  # seconds: of a tenth of the rows, to stay with them; of all rows, to run only once
UNMEASURED = "not measured"
WHY = {  # of lines that may be beyond NEAR, in words
    "width_bucket": "bounds are looked at; a division alone stands beside it",
    "hypot": "no overflow on the way, and the last bit; a plain root stands beside it",
    "is_valid_variant": "keys are looked at for one that comes twice; DuckDB checks a text",
    "to_variant_object": "a variant is built, and read again",
    "vector_norm": "lists are made for it; a plain root stands beside it",
    "crc32": "a checksum of every byte; DuckDB's own hash stands beside it",
    "bitmap_construct_agg": "a bitmap of 4 KB; one number stands beside it",
}
HEADER = """\
# How fast the functions are

CPU seconds of a function on the embedded engine, as Spark means it, over those of DuckDB's closest plain expression,
which does not always give the same answer. One thread, the better of two runs in turns, a table in memory whose scan
counts on both sides; what is slow runs over a tenth of the rows (marked ¹). Written by `make bench-functions`; do
not edit.
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

    @property
    def shown(self) -> str:
        return f"{self.topic}: {self.name}"


@dataclass(frozen=True)
class Measured:
    """CPU seconds of both, and over which table."""

    line: Line
    plain: float
    ours: float
    table: str

    @property
    def ratio(self) -> float:
        return self.ours / self.plain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="lines whose name or topic holds this word")
    parser.add_argument("--write", type=Path, help="the page to write")
    asked = parser.parse_args()
    chosen = [line for line in lines() if asked.only in line.shown]
    queries = {line: queries_of(line) for line in chosen}  # what is wrong in a line is told before anything is measured
    connection = prepared(asked.rows)
    found: list[Measured] = []
    for line in chosen:
        found.append(measured(connection, line, *queries[line]))
        print(told(found[-1]), flush=True)
    if asked.write:
        asked.write.write_text(page(found, asked.rows))


def told(one: Measured) -> str:
    return f"{one.ratio:8.2f}  {one.plain:7.3f}s {one.ours:7.3f}s  {one.line.name}{mark(one)}"


def page(found: list[Measured], rows: int) -> str:
    """The page: what is far from DuckDB's speed, then everything, topic by topic, then what is not measured."""
    beyond = sorted((one for one in found if one.ratio > NEAR), key=lambda one: -one.ratio)
    slow, less = [one for one in beyond if one.ratio > SLOW], [one for one in beyond if one.ratio <= SLOW]
    counts = (
        f"{len(found) - len(beyond)} of {len(found)} within {NEAR} times DuckDB's own, "
        f"{len(slow)} beyond {SLOW:.0f} times ({rows:,} rows)."
    )
    far = slow_table(f"Slower than {SLOW:.0f} times", slow) + slow_table(f"Between {NEAR} and {SLOW:.0f} times", less)
    topics = dict.fromkeys(one.line.topic for one in found)
    parts = [(topic, [one for one in found if one.line.topic == topic]) for topic in topics]
    head = [HEADER, counts, "", *far, *chain(*starmap(table, parts))]
    return "\n".join([*head, "## Not measured", "", *(f"- {why}: {names}" for why, names in reasons()), ""])


def table(title: str, measured: list[Measured]) -> list[str]:
    head = [f"## {title}", "", "| what | Spark | DuckDB | ratio |", "|---|---|---|---|"]
    rows = [
        f"| {shown(m.line.name)} | `{shown(m.line.spark)}` | `{shown(m.line.duckdb)}` | {m.ratio:.1f}{mark(m)} |"
        for m in measured
    ]
    return [*head, *rows, ""]


def slow_table(title: str, measured: list[Measured]) -> list[str]:
    head = [f"## {title}", "", "| what | ratio | why |", "|---|---|---|"]
    rows = [f"| {shown(m.line.name)} | {m.ratio:.1f}{mark(m)} | {WHY.get(m.line.name, '')} |" for m in measured]
    return [*head, *rows, ""]


def mark(measured: Measured) -> str:
    return "¹" if measured.table == FEWER else ""


def shown(text: str) -> str:
    return text.replace("|", "\\|")


def prepared(rows: int) -> duckdb.DuckDBPyConnection:
    """One thread: CPU seconds of two threads that wait for each other say little."""
    connection = connect()
    connection.execute("SET threads = 1")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute((HERE / "function_data.sql").read_text(), [rows])
    connection.execute(f"CREATE TABLE {FEWER} AS FROM {ALL} LIMIT {max(1, rows // 10)}")
    return connection


def lines() -> Iterator[Line]:
    for topic, (name, *expressions) in texts():
        if topic != UNMEASURED:
            spark, plain = (text.replace("\\|", "|") for text in expressions)
            yield Line(topic, name, spark, plain)


def reasons() -> Iterator[tuple[str, str]]:
    """Why functions have no line, and their names; `kll_*` is all that begin so."""
    return ((parts[0], parts[1]) for topic, parts in texts() if topic == UNMEASURED)


def texts() -> Iterator[tuple[str, list[str]]]:
    topic = ""
    for text in (HERE / "function_lines.txt").read_text().splitlines():
        if text.startswith("# ----"):
            topic = text.removeprefix("# ----").strip()
        elif text and not text.startswith("#"):
            yield topic, [part.strip() for part in text.split(" | ")]


def measured(connection: duckdb.DuckDBPyConnection, line: Line, plain: str, ours: str) -> Measured:
    """The better of two, in turns; a first look at fewer rows says whether all of them would take too long."""
    look = pair(connection, plain, ours, FEWER)
    table = FEWER if max(look) > LONG else ALL
    first = pair(connection, plain, ours, table)
    second = first if max(first) > LONGER else pair(connection, plain, ours, table)
    return Measured(line, min(first[0], second[0]), min(first[1], second[1]), table)


def pair(connection: duckdb.DuckDBPyConnection, plain: str, ours: str, table: str) -> tuple[float, float]:
    return seconds(connection, plain.format(table=table)), seconds(connection, ours.format(table=table))


def queries_of(line: Line) -> tuple[str, str]:
    """first() takes every value and does nothing with it. `{table}` is where the table's name belongs."""
    plain, ours = f"SELECT {braced(line.duckdb)} FROM {{table}}", braced(translated(line.spark))
    ours = ours.replace(f" FROM {ALL} AS ", " FROM {table} AS ")
    assert "{table}" in ours, f"{line.shown}: {ours}"
    if line.topic != "aggregates":
        plain = f"SELECT first(COLUMNS(*)) FROM ({plain}) AS plain"
        ours = f"SELECT first(COLUMNS(*)) FROM ({ours}) AS ours"
    return plain, ours


def braced(sql: str) -> str:
    return sql.replace("{", "{{").replace("}", "}}")


def translated(expression: str) -> str:
    """What our engine makes of the expression, over DuckDB's own table."""
    columns = parse_type(COLUMNS).fields
    fields = tuple(Field(column.name, column.dataType, True) for column in columns)
    view = Scan(sql=ALL, names=tuple(column.name for column in columns), fields=fields)
    frame = read_query_text(
        f"SELECT {expression} FROM measured",
        Context(views={("measured",): view}, config={"spark.sql.timeType.enabled": "true"}),
    )
    return compile_rows(frame.plain(), Context()).text


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    started = time.process_time()
    connection.execute(query).fetchall()
    return max(time.process_time() - started, 1e-6)


if __name__ == "__main__":
    main()
