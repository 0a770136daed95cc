"""Groups for Python functions: keys that are structs or windows, aggregates where they may not stand, orders kept."""

from typing import Any

import pandas as pd
from function_cases import case, people
from pyspark.sql import functions as F


def total() -> Any:
    @F.pandas_udf("double")
    def total(v: pd.Series) -> float:
        return float(v.sum())

    return total


def counted() -> Any:
    return lambda key, rows: pd.DataFrame({"k": [str(key)], "n": [len(rows)]})


@case
def groups_by_structs(spark: Any) -> Any:
    rows = [((1, None), 1), ((1, 2), 2), (None, 3), ((1, None), 4), (None, 5), ((None, None), 6)]
    frame = spark.createDataFrame(rows, "k struct<a:int,b:int>, v int")
    return frame.groupBy("k").applyInPandas(
        lambda k, p: pd.DataFrame({"k": [str(k)], "n": [p.v.tolist()]}), "k string, n array<int>"
    )


@case
def groups_by_time_windows(spark: Any) -> Any:
    frame = people(spark).withColumn("t", F.timestamp_seconds(F.col("v")))

    return frame.groupBy("id", F.window("t", "2 seconds")).applyInPandas(counted(), "k string, n long")


@case
def groups_by_structs_for_aggregates(spark: Any) -> Any:
    return people(spark).groupBy(F.struct("id").alias("k")).agg(total()("v"))


@case
def aggregates_of_both_kinds(spark: Any) -> Any:
    return people(spark).groupBy("id").agg(total()("v"), total()("id"), F.mean("v"))


@case
def aggregates_in_a_pivot(spark: Any) -> Any:
    return people(spark).groupBy("id").pivot("s", ["a"]).agg(total()("v"))


@case
def functions_of_aggregates(spark: Any) -> Any:
    return people(spark).groupBy("id").agg(F.udf(lambda v: v + 1, "double")(total()("v")), total()(F.col("v") + 1) + 5)


@case
def groups_in_an_order_keep_their_rows(spark: Any) -> Any:
    """The rows are sorted when they are recorded: so each says where it stood."""
    frame = spark.range(6).select("id", F.explode(F.sequence(F.lit(1), F.lit(40))).alias("v")).coalesce(1)
    sorted_rows = frame.groupBy("id").applyInPandas(lambda p: p, "id long, v int").sort("id").collect()
    return spark.createDataFrame([(place, *row) for place, row in enumerate(sorted_rows)], "place int, id long, v int")


@case
def many_groups(spark: Any) -> Any:
    frame = spark.range(1400).select((F.col("id") % 700).alias("k"), F.col("id").alias("v"))
    return frame.groupBy("k").applyInArrow(lambda table: table.slice(1), "k long, v long")


@case
def many_groups_of_which_one_fails(spark: Any) -> Any:
    def failing(key: Any, table: Any) -> Any:
        if key[0].as_py() == 611:
            raise ValueError("no such group")
        return table

    frame = spark.range(1400).select((F.col("id") % 700).alias("k"), F.col("id").alias("v"))
    return frame.groupBy("k").applyInArrow(failing, "k long, v long")


@case
def sorts_by_functions(spark: Any) -> Any:
    """The rows are sorted when they are recorded: so each says where it stood."""
    frame = people(spark).orderBy(F.udf(lambda v: None if v > 4 else int(v) % 2, "int")("v"), F.desc("v"))
    told = (
        frame.select("v").collect()
        + people(spark).orderBy(F.udf(lambda v: -v, "double")("v")).limit(2).select("v").collect()
    )
    return spark.createDataFrame([(place, row.v) for place, row in enumerate(told)], "place int, v double")
