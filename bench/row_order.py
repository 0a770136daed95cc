"""What the emulation of Spark's row order costs: each query under both values of twinspark.rowOrder, in one run.

usage: row_order.py [ROUNDS] [SCALE]   (small queries, and TPC-H at a scale factor; 0 leaves TPC-H out)
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Any

from data import TABLES, tpch
from pyspark.sql import SparkSession
from tpch_servers import Server, twinspark
from tpch_sql import QUERIES as TPCH

ROUNDS, SCALE = 20, "0.1"
VALUES = ("spark", "engine")
SMALL = {
    "select 1": "select 1",
    "filter": "select id + 1 x from range(1000) where id % 3 = 1",
    "groups of a range": "select id % 7 k, count(*) n from range(1000) group by 1",
    "sum of doubles": "select sum(id / 3) s from range(1000)",
    "groups of local rows": "select k, sum(v) s, max(t) m from rows group by k",
    "sort with ties": "select * from rows order by k",
    "distinct": "select distinct k, t from rows",
    "join": "select a.k, b.v from rows a join rows b on a.v = b.v",
    "window": "select v, row_number() over (partition by k order by t) n from rows",
    "union": "select k from rows union select id from range(100)",
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    scale = sys.argv[2] if len(sys.argv) > 2 else SCALE
    with twinspark() as server:
        sessions = {value: opened(server, value, scale) for value in VALUES}
        print(f"{rounds} of each by turns, at a load of {os.getloadavg()[0]:.0f}\n")
        print(f"{'':22} {'spark':>20} {'engine':>20}\n{'':22}" + f" {'p50 ms':>11} {'CPU ms':>8}" * 2)
        for name, text in queries(scale).items():
            print(f"{name:22}" + by_turns(text, server, sessions, rounds), flush=True)
    os._exit(0)


def queries(scale: str) -> dict[str, str]:
    return SMALL if scale == "0" else {**SMALL, **{f"TPC-H {number}": text for number, text in TPCH.items()}}


def opened(server: Server, value: str, scale: str) -> SparkSession:
    spark = SparkSession.builder.remote(server.url).create()
    spark.conf.set("twinspark.rowOrder", value)
    rows = [(number % 7, float(number), str(number % 13)) for number in range(1000)]
    spark.createDataFrame(rows, "k int, v double, t string").createOrReplaceTempView("rows")
    for table in TABLES if scale != "0" else ():
        spark.read.parquet(str(tpch(scale) / f"{table}.parquet")).createOrReplaceTempView(table)
    return spark


def by_turns(text: str, server: Server, sessions: dict[str, Any], rounds: int) -> str:
    """The first round of each is not counted: it plans, the others find the plan in the cache."""
    seconds: dict[str, list[float]] = {value: [] for value in sessions}
    used = dict.fromkeys(sessions, 0.0)
    for turn in range(rounds + 1):
        for value, spark in sessions.items():
            before, started = server.cpu_seconds(), time.perf_counter()
            spark.sql(text).toArrow()
            if turn:
                seconds[value].append(time.perf_counter() - started)
                used[value] += server.cpu_seconds() - before
    return "".join(
        f" {statistics.median(seconds[value]) * 1000:11.2f} {used[value] / rounds * 1000:8.2f}" for value in sessions
    )


if __name__ == "__main__":
    main()
