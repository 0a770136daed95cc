"""DataFrames of joins with the nearest rows: as-of joins and joins NEAREST BY."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def nearest_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (as_of, as_of_times, nearest_by):
        for name, frame in topic(spark).items():
            yield f"nearest, {topic.__name__}: {name}", frame


def as_of(spark: Any) -> dict[str, DataFrame]:
    left = spark.createDataFrame([(1, "a"), (5, "b"), (10, "c"), (None, "n"), (5, "b2")], ["a", "v"])
    right = spark.createDataFrame([(1, 1), (2, 2), (3, 3), (6, 6), (9, 9), (None, 0)], ["a", "w"])
    cases = {}
    for direction in ("backward", "forward", "nearest"):
        for exact in (True, False):
            for how in ("inner", "left"):
                made = left._joinAsOf(right, "a", "a", how=how, allowExactMatches=exact, direction=direction)
                cases[f"{direction}, {how}{', exact' if exact else ''}"] = made
        near = left._joinAsOf(right, "a", "a", tolerance=F.lit(2), direction=direction, how="left")
        cases[f"{direction}, within two"] = near
    ours, theirs = left.withColumn("g", F.col("a") % 2), right.withColumn("g", F.col("a") % 2)
    return cases | {
        "using": ours._joinAsOf(theirs, "a", "a", on="g", how="left"),
        "with a condition": ours._joinAsOf(theirs, "a", "a", on=ours.g == theirs.g),
        "with itself": left._joinAsOf(left, "a", "a", allowExactMatches=False).select("v"),
        "columns of both": left._joinAsOf(right, "a", "a").select(left.a, right.a, "v", "w"),
        "no rows on the right": left._joinAsOf(right.filter("w > 100"), "a", "a", how="left"),
    }


def as_of_times(spark: Any) -> dict[str, DataFrame]:
    def at(second: int) -> dt.datetime:
        return dt.datetime(2024, 1, 1, 0, 0, second)

    left = spark.createDataFrame([(at(1), "a"), (at(6), "b")], ["t", "v"])
    right = spark.createDataFrame([(at(0), 1), (at(2), 2), (at(9), 3)], ["t", "w"])
    within = F.expr("interval 2 seconds")
    return {
        "backward": left._joinAsOf(right, "t", "t"),
        "forward": left._joinAsOf(right, "t", "t", direction="forward"),
        "backward, within": left._joinAsOf(right, "t", "t", tolerance=within, how="left"),
    }


def nearest_by(spark: Any) -> dict[str, DataFrame]:
    users = spark.createDataFrame([(1, 10.0), (2, 20.0), (3, 30.0), (4, None)], ["user", "score"])
    products = spark.createDataFrame([("A", 11.0), ("B", 22.0), ("C", 5.0), ("D", None)], ["product", "worth"])
    far = F.abs(users.score - products.worth)
    cases = {}
    for how in ("inner", "leftouter"):
        for count in (1, 2, 5):
            cases[f"distance, {how}, {count}"] = users.nearestByJoin(
                products, far, count, "approx", "distance", joinType=how
            )
            cases[f"similarity, {how}, {count}"] = users.nearestByJoin(
                products, -far, count, "exact", "similarity", joinType=how
            )
    none = products.filter("worth > 100")
    return cases | {
        "of no rows": users.nearestByJoin(
            none, F.abs(users.score - none.worth), 1, "exact", "distance", joinType="leftouter"
        ),
        "chosen": users.nearestByJoin(products, far, 1, "exact", "distance").select("user", "product").orderBy("user"),
    }
