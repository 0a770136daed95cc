"""How the server's CPU grows with the size of a query: columns, steps, joins, rows and files, doubled several times.

usage: growth.py   (the least of three runs of texts that differ, so no plan is found in a cache)

A line is one kind: milliseconds by size, and the power of the size with which they grew over the last doubling. One is
proportional; two would make large queries slow."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tpch_servers import Server, twinspark

TIMES = 3
Query = Callable[[SparkSession, int, int], DataFrame]


def columns(spark: SparkSession, size: int, number: int) -> DataFrame:
    return spark.range(10).select(*((F.col("id") + number + each).alias(f"c{each}") for each in range(size)))


def steps(spark: SparkSession, size: int, number: int) -> DataFrame:
    frame = spark.range(10)
    for each in range(size):
        frame = frame.withColumn(f"c{each}", F.col("id") + number + each)
    return frame


def sums(spark: SparkSession, size: int, number: int) -> DataFrame:
    return (
        spark.range(100)
        .groupBy((F.col("id") % 7).alias("k"))
        .agg(*(F.sum(F.col("id") + number + n) for n in range(size)))
    )


def joins(spark: SparkSession, size: int, number: int) -> DataFrame:
    more = " ".join(f"join range(10) t{each} on t{each}.id = t.id + {number}" for each in range(size))
    return spark.sql(f"select t.id from range(10) t {more}")


def unions(spark: SparkSession, size: int, number: int) -> DataFrame:
    return spark.sql(" union all ".join(f"select {number + each} x" for each in range(size)))


def rows(spark: SparkSession, size: int, number: int) -> DataFrame:
    return spark.range(size).select((F.col("id") + number).alias("x"), F.col("id").cast("string"))


def files(spark: SparkSession, size: int, number: int) -> DataFrame:
    return spark.read.parquet(*(f"{FOLDER.name}/{each}.parquet" for each in range(size))).filter(f"id > {number}")


FOLDER = tempfile.TemporaryDirectory()
KINDS: dict[str, tuple[Query, tuple[int, ...]]] = {
    "columns": (columns, (50, 100, 200, 400)),
    "steps": (steps, (25, 50, 100, 200)),
    "sums of one GROUP BY": (sums, (25, 50, 100, 200)),
    "joins": (joins, (2, 4, 8, 16)),
    "UNION ALL": (unions, (25, 50, 100, 200)),
    "rows": (rows, (125_000, 250_000, 500_000, 1_000_000)),
    "files": (files, (16, 32, 64, 128)),
}


def main() -> None:
    with twinspark() as server, FOLDER:
        spark = SparkSession.builder.remote(server.url).create()
        write_files(spark)
        for name, (query, sizes) in KINDS.items():
            found = [milliseconds(server, spark, query, size) for size in sizes]
            shown = ", ".join(f"{size:,}: {spent:.1f}" for size, spent in zip(sizes, found, strict=True))
            print(f"{name:22} {shown}   (power {math.log2(found[-1] / found[-2]):.1f})", flush=True)
        spark.stop()


def write_files(spark: SparkSession) -> None:
    table = spark.range(100).toArrow()
    for each in range(max(KINDS["files"][1])):
        pq.write_table(table, Path(FOLDER.name, f"{each}.parquet"))


def milliseconds(server: Server, spark: SparkSession, query: Query, size: int) -> float:
    return min(spent(server, spark, query, size, number) for number in numbers())


def numbers() -> Iterator[int]:
    return (next(NUMBERS) for _ in range(TIMES))


NUMBERS = count(1)


def spent(server: Server, spark: SparkSession, query: Query, size: int, number: int) -> float:
    began = server.cpu_seconds()
    query(spark, size, number).toArrow()
    return (server.cpu_seconds() - began) * 1000


if __name__ == "__main__":
    main()
