"""`make bench`: TPC-H through one PySpark client on raw DuckDB, twinspark, Sail and Apache Spark; ratios to raw DuckDB.

usage: tpch.py [--scale 1] [--engines duckdb,twinspark,sail,spark] [--best-of 3] [--results DIRECTORY]
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import data
import duckdb
import select1
import tpch_report
import tpch_servers
import tpch_sql
from pyspark.errors import PySparkException
from tpch_compare import FORMS, Client, connect

Result = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results"


def best_of(times: int, work: Callable[[], object]) -> float:
    """The shortest of several runs: what the machine can do when nothing else disturbs it."""
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def raw_duckdb(directory: Path, times: int) -> Result:
    """The same SQL texts in this process, over views of the same files."""
    connection = duckdb.connect()
    for table in data.TABLES:
        connection.execute(f"CREATE VIEW {table} AS FROM '{directory}/{table}.parquet'")
    before = time.process_time()
    queries = {
        number: best_of(times, lambda text=text: connection.sql(text).to_arrow_reader().read_all())  # type: ignore[misc]
        for number, text in tpch_sql.QUERIES.items()
    }
    cpu_seconds = (time.process_time() - before) / times
    to_arrow = best_of(times, lambda: connection.sql("FROM lineitem").to_arrow_reader(100_000).read_all())
    return {"sql": queries, "sql_cpu_seconds": cpu_seconds, "to_arrow_seconds": to_arrow}


def measured(engine: str, directory: Path, times: int) -> Result:
    """One server from its start to its end."""
    with tpch_servers.SERVERS[engine]() as server:
        client = connect(server.url, directory)
        result: Result = {"ready_seconds": server.ready_seconds}
        result |= smallest_query(client)
        for form in FORMS:
            before = server.cpu_seconds()
            result[form] = {number: timed(client, form, number, times) for number in tpch_sql.QUERIES}
            result[f"{form}_cpu_seconds"] = (server.cpu_seconds() - before) / times
        result |= to_arrow(server, client, times)
        client.spark.stop()
    return result


def smallest_query(client: Client) -> Result:
    """Latency of `select 1`; nothing when the server does not answer it."""
    try:
        return {"select_1": select1.summary(select1.latencies(client.spark))}
    except PySparkException as error:
        print(f"  select 1: {str(error).splitlines()[0][:160]}", flush=True)
        return {}


def timed(client: Client, form: str, number: int, times: int) -> float | None:
    """Seconds from building the query to having its rows; None when the server cannot answer it."""
    try:
        return best_of(times, lambda: client.frame(form, number).toArrow())
    except PySparkException as error:
        print(f"  {form} {number}: {str(error).splitlines()[0][:160]}", flush=True)
        return None


def to_arrow(server: tpch_servers.Server, client: Client, times: int) -> Result:
    """The whole of lineitem to the client, and what the server's memory grew to meanwhile."""
    server.reset_peak_memory()
    idle = server.peak_memory()
    try:
        seconds = best_of(times, lambda: client.tables["lineitem"].toArrow())
    except PySparkException as error:
        print(f"  toArrow: {str(error).splitlines()[0][:160]}", flush=True)
        return {"to_arrow_seconds": None}
    return {"to_arrow_seconds": seconds, "memory_before": idle, "memory_peak": server.peak_memory()}


def arguments() -> argparse.Namespace:
    """The engines in the order they are measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--engines", default="duckdb,twinspark,sail,spark")
    parser.add_argument("--best-of", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser.parse_args()


def main() -> None:
    """Measure each engine by itself, write JSON and Markdown, print the table."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers are ended too
    chosen = arguments()
    directory = data.tpch(chosen.scale)
    report: Result = {"scale": chosen.scale, "machine": tpch_servers.machine(), "engines": {}}
    for engine in chosen.engines.split(","):
        if engine == "sail" and not tpch_servers.install_sail():
            print("sail: pysail cannot be installed here, left out")
            continue
        print(f"{engine} …", flush=True)
        times = chosen.best_of
        measure = raw_duckdb(directory, times) if engine == "duckdb" else measured(engine, directory, times)
        report["engines"][engine] = measure
    chosen.results.mkdir(parents=True, exist_ok=True)
    (chosen.results / f"tpch-sf{chosen.scale}.json").write_text(json.dumps(report, indent=1) + "\n")
    (chosen.results / f"tpch-sf{chosen.scale}.md").write_text(tpch_report.markdown(report))
    print(tpch_report.markdown(report))


if __name__ == "__main__":
    main()
