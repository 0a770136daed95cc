"""DataFrames over the rarer relations and expressions of the protocol, in the manner of frames.py."""

from collections.abc import Iterator
from typing import Any

from frames import people, places
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType


def relation_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (empties, subqueries, laterals):
        for name, frame in topic(spark).items():
            yield f"{topic.__name__}: {name}", frame


def empties(spark: Any) -> dict[str, DataFrame]:
    none = people(spark).filter("id > 100")
    nothing = spark.createDataFrame([], StructType([]))
    return {
        "rollup of no rows": none.rollup("s").agg(F.sum("id")),
        "cube of no rows": none.cube("s", "b").count(),
        "grouping sets of no rows": none.groupingSets([["s"], []], "s").agg(F.sum("id")),
        "global aggregate of no rows": none.agg(F.sum("id"), F.count("*")),
        "no columns": nothing,
        "no columns counted": nothing.groupBy().count(),
        "no columns widened": nothing.withColumn("x", F.lit(1)),
        "rows without columns": people(spark).select().withColumn("x", F.lit(1)),
        "rows without columns crossed": people(spark).drop("id", "s", "d", "b").crossJoin(spark.range(2)),
        "when true": none.select(F.when(F.lit(True), 1), F.when(none.id > 1, none.s).when(F.lit(True), "x")),
    }


def subqueries(spark: Any) -> dict[str, DataFrame]:
    df, other = people(spark), places(spark).union(spark.createDataFrame([(None, "w")], "id int, t string"))
    around = df.alias("a")
    matching = other.where(other.id == F.col("a.id").outer())
    return {
        "scalar": df.select("id", other.agg(F.max("t")).scalar()),
        "scalar, named": df.withColumn("m", other.agg(F.max("id")).scalar()),
        "scalar, correlated": around.select("id", matching.agg(F.max("t")).scalar()),
        "scalar of a name that is inside too": df.select(
            other.where(other.id == F.col("id").outer()).agg(F.count("*")).scalar()
        ),
        "scalar of several rows": df.select(other.select("t").scalar()),
        "scalar of two columns": df.select(other.scalar()),
        "scalar of another plan's column": df.select(other.where(other.id == df.id).select("t").scalar()),
        "scalar of no such column": df.select(other.where(F.col("nosuch").outer() == 1).agg(F.max("t")).scalar()),
        "scalar in a sort": df.orderBy(other.agg(F.max("id")).scalar(), "id"),
        "scalar in an aggregate": df.agg(F.sum("id") + other.agg(F.max("id")).scalar()),
        "exists": around.where(matching.exists()),
        "exists as a column": around.select("id", matching.exists()),
        "not exists": around.where(~matching.exists()),
        "in": df.where(df.id.isin(other.select("id"))),
        "not in": df.where(~df.id.isin(other.select("id"))),
        "not in without nulls": df.where(~df.id.isin(other.select("id").na.drop())),
        "in as a column": df.select("id", df.id.isin(other.select("id")), ~df.id.isin(other.select("id"))),
        "in of pairs": df.where(F.struct(df.id, df.s).isin(other)),
        "in of another width": df.where(df.id.isin(other)),
        "in as a key": df.groupBy(df.id.isin(other.select("id"))).count(),
        "in or": df.where(df.id.isin(other.select("id")) | (df.s == "c")),
        "sql over frames": spark.sql("select * from {a} join {b} using (id)", a=df, b=other),
    }


def laterals(spark: Any) -> dict[str, DataFrame]:
    df, other = people(spark).alias("a"), places(spark)
    matching = other.where(other.id == F.col("a.id").outer()).select("t")
    return {
        "inner": df.lateralJoin(matching),
        "left": df.lateralJoin(matching, how="left"),
        "with a condition": df.lateralJoin(other, F.col("a.id") > F.col("t").isNull().cast("int") + 3),
        "computed": df.lateralJoin(spark.range(2).select((F.col("a.id").outer() + F.col("id")).alias("x"))),
    }
