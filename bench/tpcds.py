"""TPC-DS beside raw DuckDB in one run: CPU seconds of the server and of DuckDB over the same Parquet files, by turns.

usage: tpcds.py [SCALE]   (0.1 unless given; the tables and texts are those of `tests/tpcds/tpcds_data.py`)

DuckDB's seconds are those of this process, which fetches the rows as Arrow; twinspark's are those of its server. Texts
that DuckDB or the native engine does not run are counted, and left out of the ratios."""

from __future__ import annotations

import statistics
import sys
import time
from importlib import import_module
from pathlib import Path

import duckdb
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tpch_servers import Server, twinspark

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tpcds"))
SLOWEST = 5


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "0.1"
    data, answers = import_module("tpcds_data"), import_module("tpcds_answers")
    data.generated(scale)
    raw = raw_views(data.tables(scale))
    with twinspark() as server:
        spark = answers.with_views(SparkSession.builder.remote(server.url).create(), scale)
        texts = {name: text.strip().rstrip(";") for name, text in data.queries(scale).items()}
        pairs = {name: (duckdb_seconds(raw, text), server_seconds(server, spark, text)) for name, text in texts.items()}
        spark.stop()
    report(scale, pairs)


def raw_views(tables: dict[str, Path]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, path in tables.items():
        connection.execute(f"CREATE VIEW {name} AS FROM '{path}'")
    return connection


def duckdb_seconds(connection: duckdb.DuckDBPyConnection, text: str) -> float | None:
    began = time.process_time()
    try:
        connection.sql(text).to_arrow_table()
    except duckdb.Error:
        return None
    return time.process_time() - began


def server_seconds(server: Server, spark: SparkSession, text: str) -> float | None:
    began = server.cpu_seconds()
    try:
        spark.sql(text).toArrow()
    except PySparkException:
        return None
    return server.cpu_seconds() - began


def report(scale: str, pairs: dict[str, tuple[float | None, float | None]]) -> None:
    both = {name: (raw, ours) for name, (raw, ours) in pairs.items() if raw and ours is not None}
    ratios = {name: ours / raw for name, (raw, ours) in both.items()}
    slowest = sorted(ratios, key=lambda name: -ratios[name])[:SLOWEST]
    ours, raws = sum(ours for _, ours in both.values()), sum(raw for raw, _ in both.values())
    print(f"TPC-DS SF {scale}: {len(both)} of {len(pairs)} texts run on both engines")
    print(f"CPU seconds: twinspark {ours:.2f}, DuckDB {raws:.2f}, {ours / raws:.2f}x")
    print(f"median of the ratios {statistics.median(ratios.values()):.2f}x")
    print("highest: " + ", ".join(f"{name} {ratios[name]:.1f}x" for name in slowest))


if __name__ == "__main__":
    main()
