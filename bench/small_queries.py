"""Small queries by turns on twinspark and Sail, in one run: the middle of the latencies, and the server's CPU.

usage: small_queries.py [ROUNDS] [cold|warm] [KIND]   (Sail in `.data/sail-venv`; a busy machine is busy for both)

Warm queries are sent again and again, each of the cold ones is sent once (`cold_kinds.py`)."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pandas as pd
from cold_kinds import KINDS, Kind
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from tpch_servers import Server, sail, twinspark

ROUNDS = 20
AT_ONCE = 10  # queries of one server, before it is the other's turn
ROWS = pd.DataFrame({"a": range(20), "b": [str(i % 3) for i in range(20)], "c": [i / 2 for i in range(20)]})
Query = Callable[[SparkSession, Any], Any]
QUERIES: dict[str, Query] = {
    "select 1": lambda spark, rows: spark.sql("select 1").collect(),
    "a schema": lambda spark, rows: spark.range(10).selectExpr("id + 1 as x", "cast(id as string) y").schema,
    "filter and count": lambda spark, rows: spark.range(10).filter("id > 3").count(),
    "local rows": lambda spark, rows: rows.collect(),
    "local rows, filtered": lambda spark, rows: rows.filter(F.col("a") > 3).select("a", "b").limit(5).toPandas(),
    "local rows, grouped": lambda spark, rows: rows.groupBy("b").sum("a").collect(),
    "a view, grouped": lambda spark, rows: spark.sql("select k, count(*), max(t) from v group by k").collect(),
}
SERVERS = {"twinspark": twinspark, "Sail": sail}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    part, wanted = sys.argv[2] if len(sys.argv) > 2 else "", sys.argv[3] if len(sys.argv) > 3 else ""
    queries = {"cold": cold_queries(), "warm": QUERIES}.get(part, {**QUERIES, **cold_queries()})
    with ExitStack() as servers:
        started = {name: servers.enter_context(make()) for name, make in SERVERS.items()}
        sessions = {name: opened(server) for name, server in started.items()}
        print(f"{rounds * AT_ONCE} of each by turns, at a load of {os.getloadavg()[0]:.0f}\n")
        print(f"{'':26} {'twinspark':>20} {'Sail':>20}\n{'':26}" + f" {'p50 ms':>11} {'CPU ms':>8}" * 2)
        for query, ask in queries.items():
            if wanted in query:
                print(f"{query:26}" + as_columns(by_turns(ask, started, sessions, rounds)), flush=True)
    os._exit(0)


def cold_queries() -> dict[str, Query]:
    numbers = count(1)
    return {f"cold {name}": numbered(kind, numbers) for name, kind in KINDS.items()}


def numbered(kind: Kind, numbers: Iterator[int]) -> Query:
    """Sends another text each time."""
    return lambda spark, rows: kind(spark, next(numbers))


def opened(server: Server) -> tuple[SparkSession, Any]:
    spark = SparkSession.builder.remote(server.url).create()
    spark.sql("show tables").collect()  # what twinspark else imports when nobody asks
    spark.sql("select id, id % 7 k, cast(id as string) t from range(1000)").createOrReplaceTempView("v")
    return spark, spark.createDataFrame(ROWS)


def by_turns(
    ask: Query, servers: dict[str, Server], sessions: dict[str, Any], rounds: int
) -> dict[str, tuple[float, float]]:
    """By server: the median of the latencies and the server's CPU per query, in milliseconds."""
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    used = dict.fromkeys(servers, 0.0)
    for turn in range(rounds + 1):
        for name, server in servers.items():
            before = server.cpu_seconds()
            found = [timed(ask, *sessions[name]) for _ in range(AT_ONCE)]
            if turn:  # the first one warms up
                seconds[name] += found
                used[name] += server.cpu_seconds() - before
    return {name: (statistics.median(seconds[name]) * 1000, used[name] / len(seconds[name]) * 1000) for name in servers}


def as_columns(measured: dict[str, tuple[float, float]]) -> str:
    return "".join(f" {latency:11.2f} {cpu:8.2f}" for latency, cpu in measured.values())


def timed(ask: Query, spark: SparkSession, rows: Any) -> float:
    began = time.perf_counter()
    ask(spark, rows)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
