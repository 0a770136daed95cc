"""A JSON plan beside the same query written in PySpark: a million rows of Arrow, filter + groupBy, one server.

    python bench/json_plans.py [sc://…] [--rows 1000000] [--rounds 7]

Without an address it asks a twinspark session of its own. The goal is a ratio of at most 1.3.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import twinspark

PLAN = [
    {"op": "filter", "payload": {"op": "gt", "left": {"col": "v"}, "right": {"lit": 250}}},
    {
        "op": "groupBy",
        "payload": {
            "group_by": ["k"],
            "aggs": [{"agg": "sum", "column": "v", "alias": "total"}, {"agg": "count", "alias": "n"}],
        },
    },
]
SCHEMA = [{"name": "k", "type": "string"}, {"name": "v", "type": "bigint"}]


def table_of(rows: int) -> pa.Table:
    choose = random.Random(7)
    keys = [f"k{at % 1000}" for at in range(rows)]
    return pa.table({"k": keys, "v": pa.array([choose.randrange(1000) for _ in range(rows)], pa.int64())})


def by_plan(session: Any, data: Any, schema: Any) -> pa.Table:
    return twinspark.execute_plan(data, schema, PLAN, session).toArrow()


def by_pyspark(session: Any, data: pa.Table) -> pa.Table:
    frame = session.createDataFrame(data).filter(F.col("v") > 250)
    return frame.groupBy("k").agg(F.sum("v").alias("total"), F.count(F.lit(1)).alias("n")).toArrow()


def seconds(work: Callable[[], pa.Table]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    session = SparkSession.builder.remote(given.url).create() if given.url else twinspark.session()
    data = table_of(given.rows)
    ways: dict[str, Callable[[], pa.Table]] = {
        "PySpark": lambda: by_pyspark(session, data),
        "plan": lambda: by_plan(session, data, None),
        "plan with schema": lambda: by_plan(session, data, SCHEMA),
    }
    answers = {name: sorted(map(str, way().to_pylist())) for name, way in ways.items()}
    assert len({str(answer) for answer in answers.values()}) == 1, "the answers differ"
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(given.rounds):  # in turns: what else the machine does falls on all of them alike
        for name, way in ways.items():
            times[name].append(seconds(way))
    base = statistics.median(times["PySpark"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:18} {middle:7.3f} s  x {middle / base:4.2f}  (best {min(taken):.3f} s)")
    rows = [list(row) for row in zip(*(column.to_pylist() for column in data.columns), strict=True)]
    print(f"{'plan over rows':18} {seconds(lambda: by_plan(session, rows, SCHEMA)):7.3f} s  (lists of Python values)")


if __name__ == "__main__":
    main()
