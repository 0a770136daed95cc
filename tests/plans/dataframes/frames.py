"""DataFrames as users write them: every function gives one plan, whose answer is recorded from Spark."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType
from pyspark.sql.window import Window

PEOPLE = "id int, s string, d double, b boolean"


def frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    """(name, frame): names say what is looked at, and are unique."""
    for topic in (projections, rows, aggregations, joins, sets, windows, nulls, schemas, mistakes):
        for name, frame in topic(spark).items():
            yield f"{topic.__name__}: {name}", frame


def people(spark: Any) -> DataFrame:
    rows = [(1, "a", 1.5, True), (2, "b", None, False), (3, None, 2.5, None), (4, "c", -0.0, True)]
    return spark.createDataFrame(rows, PEOPLE)


def places(spark: Any) -> DataFrame:
    return spark.createDataFrame([(1, "x"), (2, "y"), (5, "z")], "id int, t string")


def projections(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    return {
        "local rows": df,
        "range": spark.range(3, 12, 4),
        "columns": df.select("id", "s"),
        "other spelling": df.select("ID"),
        "arithmetic": df.select(df.id + 1, df.id * 2, df.d / 2, df.id % 2, -df.id, df.id / df.id),
        "alias": df.select((df.id + 1).alias("x"), F.col("id").alias("k", metadata={"c": 1})),
        "withColumn": df.withColumn("x", df.id + df.d).withColumn("id", F.col("x") * 2),
        "withColumns twice": df.withColumns({"p": df.id + 1, "q": df.id + 2}).withColumn("r", F.col("p") + F.col("q")),
        "many withColumn": reduce(lambda f, i: f.withColumn(f"c{i}", F.col("id") + i), range(60), df),
        "when": df.select(F.when(df.id > 1, "big").when(df.id == 1, "one").otherwise("none"), F.when(df.b, 1)),
        "casts": df.select(df.id.cast("string"), df.d.cast("int"), df.id.cast("decimal(10,2)") / 3),
        "literals": df.select(F.lit(1), F.lit("x"), F.lit(None), F.lit(1.5), F.lit(True), F.lit(2**40)),
        "toDF": df.toDF("a", "b", "c", "d"),
        "renamed": df.withColumnRenamed("id", "key"),
        "dropped": df.drop("s", "nosuch").drop(df.b),
        "struct": df.select(F.struct("id", "s").alias("st")).select("st.id", "st.*", "st"),
        "explode": df.select("id", F.explode(F.array("id", F.lit(3)))),
        "expr": df.select(F.expr("id + 1 as y"), F.expr("case when b then 'yes' end")),
        "selectExpr": df.selectExpr("id", "id * 2 as twice", "*"),
        "coalesce": df.select(F.coalesce("d", F.lit(0.0)), F.coalesce("s", F.lit("none"))),
    }


def rows(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    return {
        "filter": df.filter(df.id > 1),
        "filter text": df.filter("id > 1 and s is not null"),
        "filter and": df.filter((df.id > 1) & df.s.isNotNull()),
        "isin": df.filter(df.id.isin(1, 2)),
        "between": df.filter(df.id.between(1, 2)),
        "sort": df.sort(df.d.desc(), "id"),
        "sort by a dropped column": df.select("s").sort(df.id.desc()),
        "filter by a dropped column": df.select("s").filter(df.id > 2),
        "limit": df.sort("id").limit(2),
        "offset": df.sort("id").offset(1).limit(2),
        "distinct": df.select("b").distinct(),
        "dropDuplicates": df.dropDuplicates(["b"]).select("b"),
        "sample of none": df.limit(0),
        "repartition": df.repartition(3, "id").sortWithinPartitions("id").select("id"),
    }


def aggregations(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    return {
        "groupBy": df.groupBy("b").agg(F.sum("d"), F.count("*"), F.avg("d"), F.max("s"), F.min("id")),
        "count": df.groupBy("b").count(),
        "whole": df.agg(F.sum("id"), F.countDistinct("id"), F.avg("id"), F.count("d")),
        "of an expression": df.groupBy((df.id % 2).alias("odd")).agg((F.sum("id") + 1).alias("x")),
        "select of aggregates": df.select(F.sum("id"), F.max("d") - F.min("d")),
        "rollup": df.rollup("id", "b").agg(F.sum("d").alias("x")),
        "cube": df.cube("b").count(),
        "pivot": df.groupBy("b").pivot("s", ["a", "b"]).agg(F.sum("d"), F.max("d").alias("m")),
        "zeros are one group": df.groupBy("d").count(),
        "collect_list": df.sort("id").groupBy("b").agg(F.collect_list("d")),
        "decimals": df.select(df.id.cast("decimal(10,2)").alias("x")).agg(F.sum("x"), F.avg("x")),
        "no rows": df.limit(0).agg(F.sum("id"), F.count("*")),
    }


def joins(spark: Any) -> dict[str, DataFrame]:
    df, other = people(spark), places(spark)
    both = df.join(other, df.id == other.id)
    kinds = ("inner", "left", "right", "full", "left_semi", "left_anti")
    return {
        **{f"using, {kind}": df.join(other, "id", kind) for kind in kinds},
        **{f"on, {kind}": df.join(other, df.id == other.id, kind) for kind in kinds},
        "cross": df.crossJoin(other),
        "with itself": df.join(df.select("id", df.s.alias("q")), "id"),
        "columns of a side": both.select(df.id, other.t, other["id"]),
        "drop of a side": both.drop(other.id),
        "hidden key": df.join(other, "id", "left").select(other.id, df.id),
        "aliases": df.alias("a").join(other.alias("b"), F.col("a.id") == F.col("b.id")).select("a.*", "b.t"),
    }


def sets(spark: Any) -> dict[str, DataFrame]:
    df, other = people(spark), places(spark)
    a, b = df.select("id"), other.select("id")
    return {
        "union": a.union(b),
        "union widens": a.union(df.select("d")),
        "unionByName": df.select("id", "s").unionByName(other.select(other.t.alias("s"), "id")),
        "unionByName, missing": df.select("id").unionByName(other, allowMissingColumns=True),
        "intersect": a.intersect(b),
        "exceptAll": a.exceptAll(b),
        "subtract": a.subtract(b),
    }


def windows(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    by = Window.partitionBy("b").orderBy("id")
    return {
        "ranks": df.select("*", F.row_number().over(by).alias("n"), F.rank().over(by), F.ntile(2).over(by)),
        "running": df.select("id", F.sum("id").over(by), F.lag("id").over(by), F.lead("id", 1, -1).over(by)),
        "whole partition": df.select("id", F.sum("id").over(Window.partitionBy("b"))),
        "rows": df.select("id", F.avg("id").over(Window.orderBy("id").rowsBetween(-1, 0))),
        "over an aggregate": df.groupBy("b").agg(F.sum("id").alias("t"), F.rank().over(Window.orderBy(F.sum("id")))),
    }


def nulls(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    return {
        "fill": df.fillna(0).fillna("x"),
        "fill by name": df.na.fill({"s": "q", "d": 2.5}),
        "drop": df.dropna(),
        "drop by threshold": df.dropna(thresh=3),
        "replace": df.replace(1, 10).replace(["a", "b"], ["A", "B"]),
        "replace by null": df.replace({"a": None}),
    }


def schemas(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    nested = df.select(F.struct("id", "s").alias("st"), F.array(F.struct("id")).alias("ar"))
    return {
        "to": df.to(StructType([StructField("S", StringType()), StructField("id", LongType())])),
        "to, filled in": df.to(StructType([StructField("new", IntegerType()), StructField("id", StringType())])),
        "to, refused": df.to(StructType([StructField("s", IntegerType())])),
        "to, missing": df.to(StructType([StructField("zz", IntegerType(), False)])),
        "to, not null": df.to(StructType([StructField("id", IntegerType(), False)])),
        "to, nested": nested.to(
            StructType([StructField("st", StructType([StructField("s", StringType()), StructField("x", LongType())]))])
        ),
        "to, in arrays": nested.to(
            StructType([StructField("ar", ArrayType(StructType([StructField("id", LongType())])))])
        ),
    }


def mistakes(spark: Any) -> dict[str, DataFrame]:
    df, other = people(spark), places(spark)
    return {
        "a typo": df.select("idd"),
        "a typo with a table": df.alias("t").select("t.idd"),
        "a number as condition": df.filter(df.id),
        "a boolean added": df.select(df.b + 1),
        "ambiguous": df.join(other, df.id == other.id).select("id"),
        "another frame's column": df.select(other.t),
        "not grouped": df.groupBy("b").agg(df.id),
        "division by zero": df.select(df.id / 0),
        "union of different widths": df.union(other),
        "withColumns of one name": df.withColumns({"x": df.id, "X": df.id}),
    }
