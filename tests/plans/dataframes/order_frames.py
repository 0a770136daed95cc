"""DataFrames over little data whose rows come in an order that nobody asked for, but Spark always gives; their sums."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

LEFT = [(3, "c", 1), (1, "a", 2), (None, "d", 3), (2, "a", 4), (1, None, 5), (5, "e", 6), (3, "c", 7), (2, "b", 8)]
RIGHT = [(1, "a", 10), (2, "b", 20), (1, "z", 30), (3, "c", 40), (None, "d", 50)]
MORE = [(i * 7 % 11 if i % 9 else None, "abcdefg"[i * 5 % 7], i) for i in range(40)]


def order_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for size, rows in (("few", LEFT), ("more", MORE)):
        left = spark.createDataFrame(rows, "k int, v string, w bigint")
        right = spark.createDataFrame(RIGHT, "k int, x string, y bigint")
        for topic in (windows, turns, groups, cubes, joins, sets, samples, sums, sketches, lists, unions, sorts, tasks):
            for name, frame in topic(left, right).items():
                yield f"{size} {topic.__name__}: {name}", frame
        for name, frame in collations(left, right).items():
            yield f"{size} collations: {name}", frame
    for name, frame in ranges(spark).items():
        yield f"ranges: {name}", frame


def collations(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """Of strings that are equal under their collation the first one is shown."""
    mixed = F.when(F.col("w") % 2 == 0, F.upper("v")).otherwise(F.col("v"))
    ours = left.select("k", F.collate(mixed, "UTF8_LCASE").alias("v"), "w")
    theirs = right.select(F.collate(F.upper("x"), "UTF8_LCASE").alias("v"))
    return {
        "groups": ours.groupBy("v").agg(F.sum("w").alias("s")),
        "groups by two keys": ours.groupBy("v", "k").count(),
        "distinct": ours.select("v").distinct(),
        "sorted": ours.orderBy("v"),
        "except": ours.select("v").subtract(theirs),
        "intersect": ours.select("v").intersect(theirs),
        "union": ours.select("v").union(theirs).distinct(),
        "row numbers": ours.withColumn("n", F.row_number().over(Window.partitionBy("v").orderBy("w"))),
        "joined": ours.join(theirs, "v"),
    }


def windows(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    by_value = Window.partitionBy("v").orderBy("k")
    return {
        "row_number": left.withColumn("n", F.row_number().over(by_value)),
        "lag, descending": left.withColumn("n", F.lag("w").over(Window.partitionBy("k").orderBy(F.desc("v")))),
        "whole partitions": left.withColumn("n", F.sum("w").over(Window.partitionBy("v", "k"))),
        "no partition": left.withColumn("n", F.row_number().over(Window.orderBy("v"))),
        "nobody looks": left.withColumn("n", F.row_number().over(by_value)).select("k", "w"),
        "after a join": left.join(right, "k", "left").withColumn(
            "n", F.rank().over(Window.partitionBy("v").orderBy("y"))
        ),
        "first of each": left.withColumn("n", F.row_number().over(by_value)).filter("n = 1"),
    }


def turns(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """The outer window is computed first where it parts rows by some of the inner one's keys."""
    fine = left.withColumn("s", F.sum("w").over(Window.partitionBy("v", "k")))
    coarse = Window.partitionBy("v").orderBy(F.expr("w % 2"))
    return {
        "outer first": fine.withColumn("n", F.row_number().over(coarse)),
        "outer first, no partition": fine.withColumn("n", F.first("v").over(Window.orderBy(F.expr("w % 3")))),
        "inner looked at": fine.withColumn("n", F.row_number().over(Window.partitionBy("v").orderBy("s"))),
        "under another name": fine.select("k", F.col("v").alias("u"), "w", "s").withColumn(
            "n", F.row_number().over(Window.partitionBy("u").orderBy(F.expr("w % 2")))
        ),
        "filtered between": fine.filter("s > 3").withColumn("n", F.row_number().over(coarse)),
    }


def sorts(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """Spark's radix sort makes room for nulls by moving rows that came before."""
    doubled = left.withColumn("d", F.expr("cast(k % 4 as double)"))
    return {
        "nulls": left.orderBy("k"),
        "nulls last, falling": left.orderBy(F.desc_nulls_last("k")),
        "nulls first, falling": left.orderBy(F.desc_nulls_first("k")),
        "nulls last": left.orderBy(F.asc_nulls_last("k")),
        "doubles": doubled.orderBy("d"),
        "texts": left.orderBy("v"),
        "two keys": left.orderBy("k", "v"),
        "first rows": left.orderBy("k").limit(6),
        "of a join": left.join(right, "k", "left").orderBy("y"),
        "of groups": left.groupBy("k", "v").count().orderBy("k"),
        "of a limit": left.limit(6).orderBy("k"),
        "of first rows": left.orderBy("v").limit(20).orderBy("k"),
        "in tasks": left.sortWithinPartitions("v"),
    }


def tasks(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """A join keeps the tasks of the side that is followed, and so does an explosion."""
    parts = left.select("k", "v", F.explode(F.array("k", "w", F.lit(7))).alias("part"))
    half = left.withColumn("d", F.expr("w / 3.0d"))
    return {
        "groups of a join": half.join(right, "k", "left").groupBy("v").agg(F.count("*"), F.sum("d"), F.first("w")),
        "groups of an inner join": half.join(right, "k").groupBy("v").agg(F.sum("d"), F.avg("d")),
        "groups of a half join": half.join(right, "k", "semi").groupBy("v").agg(F.sum("d")),
        "sums of a join": half.join(right, "k").agg(F.sum("d"), F.stddev("d"), F.collect_list("w")),
        "distinct of a join": left.join(right, "k").select("v").distinct(),
        "groups of parts": parts.groupBy("part").agg(F.count("*"), F.collect_list("v")),
        "distinct parts": parts.select("part").distinct(),
        "filtered parts": parts.filter("k > 1 and part > 2").groupBy("v").count(),
        "filtered left join": half.join(right, "k", "left").filter("w > 2").groupBy("v").agg(F.sum("d")),
        "only its keys": left.select("k").join(right, "k").groupBy("x").count(),
    }


def cubes(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    return {
        "rollup": left.rollup("k", "v").agg(F.sum("w"), F.grouping_id()),
        "cube": left.cube("v", "k").count(),
        "sorted": left.cube("v").agg(F.max("v"), F.grouping("v")),
        "sets": left.groupingSets([["v"], ["k", "v"], []], "k", "v").agg(F.avg("w")),
        "lists": left.rollup("v").agg(F.collect_list("w"), F.first("k"), F.last("w"), F.listagg("v")),
        "ordered by a set": left.cube("k", "v").agg(F.count("*")).orderBy("count(1)"),
        "no values": left.cube("k", "v").agg(F.grouping_id()),
        "computed": left.select("v", (F.col("k") + 1).alias("n"), "w").cube("v", "n", "w").count(),
    }


def groups(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    return {
        "count": left.groupBy("v").count(),
        "two keys": left.groupBy("k", "v").agg(F.sum("w"), F.avg("w")),
        "sorted": left.groupBy("k").agg(F.max("v")),
        "filtered before": left.filter("w > 3").groupBy("k").agg(F.min("w")),
        "collected": left.groupBy("k").agg(F.collect_list("v")),
        "median": left.groupBy("v").agg(F.median("w")),
        "distinct": left.select("k", "v").distinct(),
        "duplicates, sorted": left.na.fill(0).dropDuplicates(["k"]),
        "duplicates, hashed": left.select("k", "w").dropDuplicates(["k"]),
        "of a union": left.union(right).groupBy("v").count(),
        "ordered by counts": left.groupBy("v").count().orderBy("count"),
    }


def joins(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    return {
        "left": left.join(right, "k", "left"),
        "left by text": left.join(right, left.v == right.x, "left"),
        "right": left.join(right, "k", "right"),
        "inner": left.join(right, "k"),
        "inner, the other way": right.join(left, "k"),
        "semi": left.join(right, "k", "semi"),
        "anti": left.join(right, "k", "anti"),
        "cross": left.crossJoin(right),
        "cross, the other way": right.crossJoin(left),
        "less": left.join(right, left.k < right.k, "left"),
    }


def sets(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    ours, theirs = left.select("k", "v"), right.select("k", "x")
    return {
        "union": ours.union(theirs),
        "union, distinct": ours.union(theirs).distinct(),
        "subtract": ours.subtract(theirs),
        "exceptAll": ours.exceptAll(theirs),
        "intersect": ours.select("k").intersect(theirs.select("k")),
        "intersectAll": ours.select("k").intersectAll(theirs.select("k")),
    }


def sums(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    parts = left.withColumn("x", F.col("w") / 7)
    moments = (F.sum("x"), F.avg("x"), F.stddev("x"), F.var_pop("x"), F.skewness("x"), F.kurtosis("x"))
    return {
        "all": parts.agg(*moments),
        "groups": parts.groupBy("v").agg(*moments),
        "sorted groups": parts.groupBy("v").agg(F.max("v"), *moments),
        "filtered": parts.filter("w > 2").agg(*moments),
        "described": parts.describe("x", "w"),
    }


def samples(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    splits = left.randomSplit([1.0, 2.0], 24)
    return {
        "half": left.sample(0.5, seed=3),
        "half of some": left.filter("w > 2").sample(0.5, seed=1),
        "first split": splits[0],
        "second split": splits[1],
        "by number": left.sampleBy("k", {1: 0.5, 2: 0.9, 3: 0.2}, seed=3),
        "by text": left.sampleBy("v", {"a": 0.5, "c": 1.0}, seed=5),
        "random numbers": left.filter("w > 2").select("w", F.rand(3), F.randn(2), F.monotonically_increasing_id()),
        "with replacement": left.sample(True, 1.3, 4),
        "with replacement, filtered": left.filter("w % 3 = 0").sample(True, 1.0, 11).select("v"),
    }


def lists(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """Distinct values are joined as Spark finds them."""
    return {
        "distinct texts": left.select(F.listagg_distinct("v"), F.listagg_distinct("v", ", ")),
        "distinct bytes": left.select(F.listagg_distinct(F.encode("v", "utf-8"), b"/")),
        "distinct numbers": left.filter("w % 4 != 1").agg(F.string_agg_distinct(F.col("k").cast("string"), "-")),
        "distinct of no rows": left.filter("w < 0").agg(F.listagg_distinct("v")),
    }


def sketches(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """The bytes of KLL sketches list their items by the tasks that met them."""
    whole, real = F.kll_sketch_agg_bigint("w"), F.kll_sketch_agg_double(-F.sqrt("w"), F.lit(50))
    twice = left.agg(whole.alias("a"), real.alias("b")).select(F.kll_sketch_merge_bigint("a", "a"), "b")
    return {
        "kll": left.agg(whole, F.kll_sketch_agg_bigint("k"), real),
        "kll of groups": left.groupBy("k").agg(whole, F.count("v")),
        "kll of some": left.filter("w % 3 != 1").agg(whole),
        "kll merged": twice,
        "histograms": left.agg(F.histogram_numeric("w", F.lit(3)), F.histogram_numeric(F.sqrt("w"), F.lit(4))),
        "histograms of groups": left.groupBy("v").agg(F.histogram_numeric("k", F.lit(2))),
    }


def unions(left: DataFrame, right: DataFrame) -> dict[str, DataFrame]:
    """Of more than two: each part has tasks of its own."""
    three = left.union(right).union(left.filter("w > 2"))
    four = right.union(left).union(right.filter("y > 10").union(left.filter("w < 7")).toDF("k", "x", "y"))
    by_text = Window.orderBy("v")
    return {
        "numbered": three.withColumn("n", F.row_number().over(by_text)),
        "four numbered": four.withColumn("n", F.row_number().over(Window.orderBy("x"))),
        "grouped": three.groupBy("v").count(),
        "four grouped": four.groupBy("x").agg(F.min("y"), F.count("*")),
        "distinct": three.select("v").distinct(),
        "first of equals": three.withColumn("n", F.first("w").over(by_text)),
        "last of equals": four.withColumn("n", F.last("y").over(Window.orderBy(F.desc("x")))),
        "of other equals": left.withColumn("n", F.last("w").over(Window.partitionBy("v").orderBy("v"))),
    }


def ranges(spark: Any) -> dict[str, DataFrame]:
    third = (F.col("id") % 3).alias("third")
    twice = spark.range(20).withColumn("v", F.explode(F.array(F.lit(2), F.lit(1))))
    return {
        "groups": spark.range(20).groupBy(third).count(),
        "filtered": spark.range(20).filter("id > 5").groupBy(third).count(),
        "half": spark.range(50).sample(0.5, seed=3),
        "split": spark.range(50).randomSplit([0.3, 0.7], 11)[0],
        "by remainder": spark.range(0, 100, 1, 5).select(third).sampleBy("third", {0: 0.1, 1: 0.2}, seed=0),
        "random numbers": spark.range(10).select("id", F.rand(3), F.spark_partition_id()),
        "histograms": spark.range(0, 100, 1, 1).agg(F.histogram_numeric("id", F.lit(5))),
        "histograms of tasks": spark.range(0, 90, 1, 3).agg(F.histogram_numeric(F.expr("id * id % 31"), F.lit(6))),
        "kll": spark.range(0, 20, 1, 3).filter("id != 7").agg(F.kll_sketch_agg_float(F.col("id").cast("float"))),
        "four tasks": spark.range(0, 20, 1, 4).groupBy(third).count(),
        "with replacement": spark.range(50).sample(True, 0.7, 3),
        "with replacement, of parts": spark.range(0, 20, 1, 5).filter("id % 3 > 0").sample(True, 2.5, -7),
        "with replacement, of none": spark.range(20).sample(True, 0.0, 3),
        "distinct": spark.range(20).distinct(),
        "distinct, generated": twice.select("id").distinct(),
        "distinct by two": twice.select("v", "id").distinct(),
        "distinct backwards": spark.range(20, 0, -3).distinct(),
        "distinct of others": spark.range(20).select(third).distinct(),
        "distinct with nulls": spark.range(20).select("id", F.expr("if(id > 3, id, null)").alias("n")).distinct(),
        "duplicates": twice.dropDuplicates(["id"]),
        "duplicates of texts": spark.range(20).select("id", F.col("id").cast("string")).dropDuplicates(["id"]),
        "texts": spark.range(20).select(F.col("id").cast("string")).distinct(),
        "subtract": spark.range(20).subtract(spark.range(5)),
        "intersect": spark.range(20).intersect(spark.range(5)),
    }
