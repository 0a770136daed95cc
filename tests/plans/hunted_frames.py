"""Plans of users' programs that were answered otherwise once: values that pivots miss, recursions, fields, commas."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def hunted_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    numbers = spark.createDataFrame([("a", 1.0), ("b", float("nan")), ("b", None), ("a", 0.0)], "k string, x double")
    yield "pivot over values with NaN", numbers.groupBy("k").pivot("x").count()
    yield "pivot over values with NaN, in one step", numbers.groupBy("k").pivot("x").agg(F.collect_list("k"))
    ids = spark.range(1)
    yield "a field of what has none", ids.select(F.col("id")[0])
    yield "a field that is not there", ids.select(F.struct("id")["zz"])
    yield "a cast to no type", ids.select(F.col("id").cast("strin"))
    yield "a cast to digits beyond all", ids.select(F.col("id").cast("decimal(99,2)"))
    prices = spark.createDataFrame([(Decimal("-5"), 1), (Decimal("2.25"), 2)], "d decimal(7,2), i int")
    yield "a summary of decimals", prices.summary()
    yield "a field of structs that are gathered", prices.agg(F.collect_list(F.struct("i"))["i"])
    odd = spark.sql("select 1 as `t.s`, date'2024-01-01' as x")
    yield "unpivot of types that never meet, oddly named", odd.unpivot([], ["`t.s`", "x"], "k", "v")
    twice = spark.sql("select struct(1 as a) c, 2 c")
    yield "the fields of one of two columns of a name", twice.select("c.*")
    missing = {"new": F.col("nope"), "id": F.col("nor")}
    yield "two columns that are not there", ids.withColumns(missing)
    yield "columns given anew, and new ones before them", ids.withColumns({"b": F.lit(1), "ID": F.col("id") + 1})
    yield "the fields of a column that is not there", ids.select("nope.*")
