"""Plans of users' programs that were answered otherwise once: values that pivots miss, recursions, fields, commas."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F


def hunted_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    numbers = spark.createDataFrame([("a", 1.0), ("b", float("nan")), ("b", None), ("a", 0.0)], "k string, x double")
    yield "pivot over values with NaN", numbers.groupBy("k").pivot("x").count()
    sold = spark.createDataFrame([("a", "x", 1), ("a", "y", None), ("b", "x", 2)], "k string, p string, n int")
    sums = [F.sum("n"), F.min("n"), F.avg("n"), F.sum("n") + 1, F.count("n")]
    yield "pivot of values that miss", sold.groupBy("k").pivot("p", ["x", "y", "z"]).agg(*sums)
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
    rows = spark.createDataFrame([(2, 1), (1, 2)], "id int, x int")
    other = spark.createDataFrame([(1, 3), (2, 0)], "id int, y int")
    joined = rows.join(other, rows.id == other.id)
    for name, frame in {
        "a join's": joined,
        "a projection's": joined.select(rows.id, other.id),
        "a union's": joined.union(joined),
        "one below": rows.select("id", F.col("x").alias("id")),
        "one below a filter": rows.select("id", F.col("x").alias("id")).filter("true"),
        "one below groups": rows.groupBy("id").agg(F.max("x").alias("id")),
        "one below dropped": rows.select("x", "id", F.col("x").alias("id")).drop(F.col("x")),
    }.items():
        yield f"sorted by a name of two columns, {name}", frame.orderBy("id")
    outer = rows.join(other, rows.id == other.id, "outer")
    yield "sorted by one side's column of a name of two", outer.sort(F.desc(rows.id), other["y"])
    yield "a group by a place out of range, written as SQL", ids.groupBy(F.expr(" -7 ")).count()
    yield "cubes by a place out of range, written as SQL", ids.cube("id", F.expr("9")).count()
    yield "what is suggested of a column that is there twice", ids.select("id", "id").select("nosuch")
    yield "a column that is not there below one that is not", ids.select("nope").select("nor")
    yield from ranges(spark)
    yield from samples(spark)
    yield "a join by what is no condition", ids.join(spark.range(2).toDF("b"), F.lit(None), "left")
    yield (
        "values of the keys of cubes",
        rows.cube("id").agg(F.col("id") + 1, F.struct("id"), F.coalesce("id", F.lit(0))),
    )


def ranges(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    """Bounds are longs: what they cannot be cast to is refused."""
    rows = spark.sql(
        "select i, date'2024-01-01' + i d, cast(d as timestamp) t, i * 1.5 n from values (1), (2), (9) v(i)"
    )
    for order, lower, upper in [
        *(("d", -1, 0), ("d", 0, 1), ("d", -2, -1), ("t", -1, 0), ("n", -2, 2), ("n", -(2**40), 1), ("i", -1, 2**40)),
        *(("d", Window.unboundedPreceding, 1), ("d", Window.unboundedPreceding, 0), ("i", -1, 1)),
    ]:
        window = Window.partitionBy(F.col("i") % 2).orderBy(order).rangeBetween(lower, upper)
        yield f"a range over {order} from {lower} to {upper}", rows.select("i", F.sum("i").over(window))


def samples(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    """An empty sample computes its input; the fraction is checked before the input is analyzed."""
    failing = spark.range(3).filter("1 / id > 0")
    for name, frame in {
        "none": failing.sample(False, 0.0, 1),
        "none with replacement": failing.sample(True, 0.0, 1),
        "none of what does not fail": spark.range(3).sample(0.0, 1),
        "all": spark.range(3).sample(1.0, 1),
        "twice without replacement": spark.range(3).select("nope").sample(2.0, 1),
        "a little more than all": spark.range(3).sample(1.0000005, 1),
        "more than all": spark.range(3).sample(1.000002, 1),
        "a little less than none": spark.range(3).sample(-0.0000005, 1),
        "less than none": spark.range(3).sample(-0.000002, 1),
    }.items():
        yield f"a sample of {name}", frame
    missing = [
        (1, None, True, None),
        (None, "a", None, None),
        (1, "b", False, 5),
        (None, None, None, 0),
        (2, "a", True, 7),
    ]
    frame = spark.createDataFrame(missing, "x int, y string, z boolean, w long")
    yield "frequent items beside nulls", frame.select("x", "y", "z").coalesce(1).freqItems(["x", "y", "z"])
    yield "frequent items beside null and zero", frame.coalesce(1).freqItems(["w"])
