"""Python functions over a million rows, on each server it is given: `python bench/python_functions.py sc://… sc://…`."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROWS = 1_000_000
ROUNDS = 3
Case = Callable[[Any], Any]


def arrow_udf(spark: Any) -> Any:
    return numbers(spark).select(F.sum(F.udf(lambda x: x + 1, "long")("id")))


def pickled_udf(spark: Any) -> Any:
    return numbers(spark).select(F.sum(F.udf(lambda x: x + 1, "long", useArrow=False)("id")))


def pandas_udf(spark: Any) -> Any:
    def plus_one(values: pd.Series) -> pd.Series:
        return values + 1

    return numbers(spark).select(F.sum(F.pandas_udf(plus_one, "long")("id")))


def map_in_pandas(spark: Any) -> Any:
    def same(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    return numbers(spark).mapInPandas(same, "id long").select(F.sum("id"))


def apply_in_pandas(spark: Any) -> Any:
    grouped = numbers(spark).withColumn("k", F.col("id") % 1000).groupBy("k")
    return grouped.applyInPandas(lambda rows: rows.head(1), "id long, k long").select(F.sum("id"))


CASES: list[Case] = [arrow_udf, pickled_udf, pandas_udf, map_in_pandas, apply_in_pandas]


def numbers(spark: Any) -> Any:
    return spark.range(ROWS)


def seconds(case: Case, spark: Any) -> float:
    started = time.perf_counter()
    case(spark).collect()
    return time.perf_counter() - started


def main() -> None:
    for url in sys.argv[1:]:
        spark = SparkSession.builder.remote(url).create()
        type(spark)._active_session.session = spark
        for case in CASES:
            first, *rest = (seconds(case, spark) for _ in range(ROUNDS))
            print(f"{url} {case.__name__}: first {first:.2f} s, best {min(rest):.2f} s of {ROWS:,} rows", flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
