"""Latency of the smallest query, `SELECT 1`, through the PySpark client.  usage: select1.py sc://host:port [TIMES]"""

from __future__ import annotations

import statistics
import sys
import time

from pyspark.sql import SparkSession

WARM_UP_SECONDS = 3.0


def latencies(spark: SparkSession, times: int = 200) -> list[float]:
    """Seconds of each `spark.sql("select 1").collect()`, once the server has imported or compiled what it needs."""
    warm = time.perf_counter() + WARM_UP_SECONDS
    while time.perf_counter() < warm:
        once(spark)
    return [once(spark) for _ in range(times)]


def once(spark: SparkSession) -> float:
    """One query, its answer checked."""
    started = time.perf_counter()
    rows = spark.sql("select 1").collect()
    seconds = time.perf_counter() - started
    if [tuple(row) for row in rows] != [(1,)]:
        raise AssertionError(f"select 1 answered {rows}")
    return seconds


def summary(seconds: list[float]) -> dict[str, float]:
    """Middle and slow end, in milliseconds."""
    ordered = sorted(seconds)
    return {
        "p50_ms": statistics.median(ordered) * 1000,
        "p95_ms": ordered[int(len(ordered) * 0.95)] * 1000,
        "best_ms": ordered[0] * 1000,
    }


if __name__ == "__main__":
    session = SparkSession.builder.remote(sys.argv[1]).create()
    print({name: round(value, 2) for name, value in summary(latencies(session, *map(int, sys.argv[2:3]))).items()})
