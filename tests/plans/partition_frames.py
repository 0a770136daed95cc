"""DataFrames that ask in which partition a row is: of local rows, ranges, and of rows that the query spreads anew."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.connect.dataframe import DataFrame as Frame
from pyspark.sql.connect.plan import StatApproxQuantile
from pyspark.sql.window import Window

PEOPLE = [(14, "Tom"), (23, "Alice"), (16, "Bob"), (None, "Zoe"), (2, "Eve")]


def partition_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (spread, limited, ordered, quantiles, frequent):
        for name, frame in topic(spark).items():
            yield f"partitions, {topic.__name__}: {name}", frame


def spread(spark: Any) -> dict[str, DataFrame]:
    id, place = F.spark_partition_id(), F.monotonically_increasing_id()
    named = spark.range(0, 64, 1, 9).withColumn("name", F.concat(F.lit("n_"), F.col("id").cast("string")))
    people = spark.createDataFrame(PEOPLE, ["age", "name"])
    ten = spark.range(10)
    unknown = F.when(F.col("id") < 5, F.col("id")).cast("int")
    return {
        "coalesced to one": spark.range(0, 10, 1, 3).coalesce(1).select(id),
        "coalesced to two": spark.range(0, 10, 1, 3).coalesce(2).select("id", id),
        "coalesced to four of seven": spark.range(0, 23, 1, 7).coalesce(4).select("id", id, place),
        "coalesced to more": spark.range(0, 10, 1, 3).coalesce(9).select("id", id),
        "dealt out, the partitions alone": named.repartition(10).select(id.alias("p")).distinct().orderBy("p"),
        "dealt out to a power of two": named.repartition(4).select(id.alias("p")).groupBy("p").count().orderBy("p"),
        "by hash": named.repartition(7, "id").select("name", id),
        "by hash of text": named.repartition(3, "name", "id").select("id", id),
        "by hash of nulls": people.repartition(3, "age").select("*", id, place),
        "by id": ten.repartitionById(3, (F.col("id") % 3).cast("int")).select("id", id),
        "by negative ids": ten.repartitionById(10, (F.col("id") - 5).cast("int")).withColumn("p", id),
        "by null ids": ten.repartitionById(10, unknown).withColumn("p", id),
        "by range": people.repartitionByRange(2, "age").select("*", id),
        "by range, descending": people.repartitionByRange(3, F.desc("name")).select("*", id),
        "by range, of more partitions than rows": people.repartitionByRange(10, "name").select("*", id),
        "by range of numbers": spark.range(37).repartitionByRange(5, "id").select("id", id),
        "by range, cut at rounded places": ten.repartitionByRange(6, "id").select("id", id),
        "chance after a shuffle": named.repartition(3, "id").select("id", F.rand(5)),
        "projected in between": named.repartition(7, "id")
        .select("id")
        .withColumn("x", F.col("id") * 2)
        .select("x", id),
    }


def limited(spark: Any) -> dict[str, DataFrame]:
    id, place = F.spark_partition_id(), F.monotonically_increasing_id()
    people = spark.createDataFrame(PEOPLE, ["age", "name"])
    return {
        "local rows, numbered, limited, numbered": people.select("*", place.alias("a")).limit(3).select("*", place),
        "a range limited": spark.range(7).limit(3).select("*", place, id),
        "a limit that takes all": spark.range(7).limit(10).select("*", place, id),
        "an offset": spark.range(9).offset(3).select("*", place),
        "numbered by zipWithIndex": people.zipWithIndex().select("*", place),
        "local rows, filtered after": people.limit(4).select("*", id).filter("age > 1").select("*", place, F.rand(3)),
        "a range, filtered before": spark.range(20).filter("id % 3 = 0").select("id", id, place, F.rand(3)),
    }


def ordered(spark: Any) -> dict[str, DataFrame]:
    """Rows as they come, though nobody asks for their partition."""
    people = spark.createDataFrame(PEOPLE, ["age", "name"])
    numbers = spark.range(0, 30, 1, 4)
    many = numbers.withColumn("v", F.explode(F.array([F.lit(i * 1.0) + F.col("id") for i in range(20, 24)])))
    whole = Window.partitionBy("id").orderBy("v").rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    return {
        "by range": people.repartitionByRange(2, "name", "age"),
        "by hash": numbers.repartition(3, "id"),
        "coalesced": numbers.coalesce(2),
        "by id": numbers.repartitionById(3, (F.col("id") % 3).cast("int")),
        "exploded": many,
        "exploded, in windows": many.withColumn("m", F.max("v").over(whole)),
        "exploded, in groups of the range's numbers": many.groupBy("id").agg(F.mean("v")),
        "exploded, outer": people.select("name", F.explode_outer(F.when(F.col("age") > 10, F.array(F.lit(1), "age")))),
        "groups of a range's numbers": numbers.filter("id % 3 = 0").groupBy("id").agg(F.sum("id")),
        "groups of a falling range": spark.range(20, 0, -1).groupBy("id").count(),
    }


def quantiles(spark: Any) -> dict[str, DataFrame]:
    shares = [0.0, 0.1, 0.25, 0.5, 0.77, 0.9, 1.0, 0.3]
    mixed = [(i * 7919 % 331 / 7.0, None if i % 10 == 3 else i * 31 % 40) for i in range(333)]
    frame = spark.createDataFrame(mixed, "a double, b int")

    def asked(error: float) -> DataFrame:
        return Frame(StatApproxQuantile(frame._plan, ["a", "b"], shares, error), spark)

    return {f"within {error}": asked(error) for error in (0.0, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5)}


def frequent(spark: Any) -> dict[str, DataFrame]:
    rows = [(i * 7 % 60, (i * 13 % 45) * (1 << 33) - 7, f"s{i * 11 % 30}", i % 2 == 0) for i in range(200)]
    frame = spark.createDataFrame(rows, "a int, b bigint, c string, d boolean")
    return {
        "all values": frame.freqItems(["a", "b", "c", "d"]),
        "a support": frame.freqItems(["c"], 0.02),
        "no rows": frame.filter("a < 0").freqItems(["a"]),
    }
