"""Asks two Spark Connect servers TPC-H's queries and compares their answers: names, types, nullability, rows, order.

usage: tpch_compare.py [--ours sc://…] [--spark sc://…] [--scale 1] [--form sql|dataframe] [--queries 1,5,13]
A server whose address is not given is started for the comparison.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import tpch_dataframe
import tpch_servers
import tpch_sql
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

FORMS = ("dataframe", "sql")


@dataclass(frozen=True)
class Answer:
    """What one server said to one query."""

    schema: StructType
    rows: list[tuple[Any, ...]]
    seconds: float


class Client:
    """A session on one server, with the eight tables as frames and as temporary views."""

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self.spark = spark
        self.tables = tpch_dataframe.tables(self.spark, str(directory), data.TABLES)
        for name, frame in self.tables.items():
            frame.createOrReplaceTempView(name)

    def frame(self, form: str, number: int) -> DataFrame:
        """The query, not run yet."""
        if form == "sql":
            return self.spark.sql(tpch_sql.QUERIES[number])
        return tpch_dataframe.QUERIES[number](self.tables)

    def answer(self, form: str, number: int) -> Answer:
        """The query's schema and rows."""
        started = time.perf_counter()
        frame = self.frame(form, number)
        rows = [tuple(row) for row in frame.collect()]
        return Answer(frame.schema, rows, time.perf_counter() - started)


def connect(url: str, directory: Path) -> Client:
    """A session of its own on that server."""
    return Client(SparkSession.builder.remote(url).create(), directory)


def difference(ours: Answer, theirs: Answer, ordered_by: Sequence[str]) -> str | None:
    """The first thing that is not the same, in words; None when all is."""
    if ours.schema != theirs.schema:
        return f"schema {described(ours.schema)} but Spark {described(theirs.schema)}"
    if ours.rows == theirs.rows:
        return None
    if Counter(ours.rows) != Counter(theirs.rows):
        return first_odd_row(ours.rows, theirs.rows)
    # Ties of the sort may stand in either order, and without ORDER BY all rows are ties.
    keys = [ours.schema.names.index(name) for name in ordered_by]
    if [picked(row, keys) for row in ours.rows] != [picked(row, keys) for row in theirs.rows]:
        return "the same rows in another order"
    return None


def described(schema: StructType) -> str:
    """Names, types, nullability and metadata on one line."""
    return ", ".join(described_field(field) for field in schema)


def described_field(field: StructField) -> str:
    """One column; Spark marks some with metadata, which is part of the schema too."""
    words = [field.name, field.dataType.simpleString(), "" if field.nullable else "not null", str(field.metadata or "")]
    return " ".join(word for word in words if word)


def first_odd_row(ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]]) -> str:
    """Rows as a bag: one that only one side has."""
    missing, extra = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
    return (
        f"{len(ours)} rows, Spark {len(theirs)}; only ours {next(iter(extra), None)}, "
        f"only Spark's {next(iter(missing), None)}"
    )


def picked(row: tuple[Any, ...], keys: list[int]) -> tuple[Any, ...]:
    """The columns that were sorted by."""
    return tuple(row[key] for key in keys)


def compare(ours: Client, spark: Client, form: str, number: int) -> bool:
    """Ask both, print one line, say whether they agree."""
    try:
        mine = ours.answer(form, number)
    except PySparkException as error:
        print(f"{form:9} {number:2}  error   {str(error).splitlines()[0][:200]}", flush=True)
        return False
    theirs = spark.answer(form, number)
    wrong = difference(mine, theirs, tpch_sql.ORDERED_BY[number])
    words = f"DIFFERS {wrong}" if wrong else f"equal   {len(mine.rows)} rows"
    print(f"{form:9} {number:2}  {mine.seconds:7.3f} s  {theirs.seconds:7.3f} s  {words}", flush=True)
    return wrong is None


def arguments() -> argparse.Namespace:
    """Both servers, and which queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours")
    parser.add_argument("--spark")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--form", choices=FORMS, action="append")
    parser.add_argument("--queries", default=",".join(map(str, tpch_sql.QUERIES)))
    return parser.parse_args()


def main() -> None:
    """Compare the chosen queries; the exit code says whether all agreed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers are ended too
    chosen = arguments()
    directory = data.tpch(chosen.scale)
    numbers = [int(number) for number in chosen.queries.split(",")]
    with ExitStack() as started:
        ours = connect(chosen.ours or started.enter_context(tpch_servers.twinspark()).url, directory)
        spark = connect(chosen.spark or started.enter_context(tpch_servers.spark()).url, directory)
        equal = [compare(ours, spark, form, number) for form in chosen.form or FORMS for number in numbers]
    print(f"TPCH COMPARE {sum(equal)} of {len(equal)} equal")
    sys.exit(not all(equal))


if __name__ == "__main__":
    main()
