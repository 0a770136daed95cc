"""Many PySpark clients at once on twinspark, Sail and Spark, one after the other in one run: queries in a second.

usage: clients.py [SECONDS] [ENGINE,…] [CLIENTS,…]   (10 seconds, twinspark,sail,spark and 8,32,100 unless given)

Each client has a session and a thread of its own; the threads are spread over processes, as one Python process would
itself be the limit. The clients share the machine with the server, which is the same for every engine."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from multiprocessing import get_context

from pyspark.sql import SparkSession
from tpch_servers import SERVERS, Server, install_sail

PROCESSES = 4
WARM_UP_SECONDS = 2.0
QUERIES = (
    "select 1",
    "select k, count(*), max(t) from v group by k",
    "select id, t from v where id between 100 and 120",
    "select a.k, sum(b.id) from v a join v b on a.id = b.id group by a.k",
    "select upper(t), length(t), id % 3 from v where k = 2 limit 20",
)
VIEW = "select id, id % 7 k, cast(id as string) t from range(1000)"
Latencies = list[float]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    engines = sys.argv[2].split(",") if len(sys.argv) > 2 else list(SERVERS)
    counts = [int(count) for count in (sys.argv[3] if len(sys.argv) > 3 else "8,32,100").split(",")]
    print(f"{seconds:g} seconds each, at a load of {os.getloadavg()[0]:.1f}\n")
    print(f"{'engine':12}{'clients':>8}{'queries/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms/query':>14}")
    for engine in engines:
        if engine != "sail" or install_sail():
            measure_engine(engine, counts, seconds)


def measure_engine(engine: str, counts: list[int], seconds: float) -> None:
    with SERVERS[engine]() as server:
        for clients in counts:
            print(f"{engine:12}{clients:>8}" + as_columns(*measure(server, clients, seconds), seconds), flush=True)


def measure(server: Server, clients: int, seconds: float) -> tuple[Latencies, float]:
    """The latencies of all answered queries, and the server's CPU seconds meanwhile."""
    shares = [len(range(first, clients, PROCESSES)) for first in range(PROCESSES)]
    start = time.time() + WARM_UP_SECONDS + clients / 10  # sessions are opened one after the other before it
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(ask_as_clients, server.url, share, start, seconds) for share in shares if share]
        time.sleep(max(0.0, start - time.time()))
        before = server.cpu_seconds()
        time.sleep(seconds)
        used = server.cpu_seconds() - before
        return [one for done in running for one in done.result()], used


def ask_as_clients(url: str, clients: int, start: float, seconds: float) -> Latencies:
    """In one process: as many sessions, each in a thread that asks one query after the other until the time is over."""
    with ThreadPoolExecutor(clients) as threads:
        asked = threads.map(lambda number: ask_until_end(url, number, start, seconds), range(clients))
        return [one for latencies in asked for one in latencies]


def ask_until_end(url: str, number: int, start: float, seconds: float) -> Latencies:
    with session(url) as spark:
        queries = cycle(QUERIES[number % len(QUERIES) :] + QUERIES[: number % len(QUERIES)])
        while time.time() < start:  # every plan is warm, and the servers' caches are filled
            spark.sql(next(queries)).collect()
        return list(latencies_until(spark, queries, start + seconds))


def latencies_until(spark: SparkSession, queries: Iterator[str], end: float) -> Iterator[float]:
    while (began := time.time()) < end:
        spark.sql(next(queries)).collect()
        yield time.time() - began


@contextmanager
def session(url: str) -> Iterator[SparkSession]:
    spark = SparkSession.builder.remote(url).create()
    spark.sql(VIEW).createOrReplaceTempView("v")
    try:
        yield spark
    finally:
        spark.stop()


def as_columns(latencies: Latencies, cpu: float, seconds: float) -> str:
    centiles = statistics.quantiles(latencies, n=100)
    middle, late = centiles[49] * 1000, centiles[98] * 1000
    return f"{len(latencies) / seconds:>11.0f}{middle:>9.1f}{late:>9.1f}{cpu / len(latencies) * 1000:>14.2f}"


if __name__ == "__main__":
    main()
