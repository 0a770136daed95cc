"""DataFrames that nest or repeat one thing n times, one kind each: plans as a client's loops make them."""

from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql.connect import functions as F

Frame = Callable[[Any, int], Any]


def looped(step: Callable[[Any, int], Any]) -> Frame:
    return lambda spark, n: reduce(step, range(n), spark.range(3))


def of_column(step: Callable[[Any, int], Any]) -> Frame:
    return lambda spark, n: spark.range(3).select(reduce(step, range(n), F.col("id")).alias("x"))


def lambdas(spark: Any, n: int) -> Any:
    made = F.array(F.lit(1))
    for _ in range(n):
        made = F.transform(F.array(F.lit(1)), lambda x, inner=made: inner)
    return spark.range(1).select(made.alias("x"))


def views(spark: Any, n: int) -> Any:
    spark.range(2).createOrReplaceTempView("v0")
    for i in range(1, n):
        spark.sql(f"select a.id from v{i - 1} a join v{i - 1} b on a.id = b.id").createOrReplaceTempView(f"v{i}")
    return spark.table(f"v{n - 1}")


FRAMES: dict[str, Frame] = {
    "withColumn": looped(lambda df, i: df.withColumn(f"c{i}", F.lit(i))),
    "withColumn of the same": looped(lambda df, i: df.withColumn("id", F.col("id") + 1)),
    "withColumn twice the same": looped(lambda df, i: df.withColumn("id", (F.col("id") + F.col("id")) % 7)),
    "filter": looped(lambda df, i: df.filter(F.col("id") != 100 + i)),
    "select": looped(lambda df, i: df.select((F.col("id") + 1).alias("id"))),
    "union": looped(lambda df, i: df.unionAll(df.sparkSession.range(1))),
    "join": looped(lambda df, i: df.join(df.sparkSession.range(3), "id")),
    "orderBy": looped(lambda df, i: df.orderBy("id")),
    "distinct": looped(lambda df, i: df.distinct()),
    "groupBy": looped(lambda df, i: df.groupBy("id").count().select("id")),
    "limit": looped(lambda df, i: df.limit(100 - i % 3)),
    "alias": looped(lambda df, i: df.alias(f"t{i}")),
    "drop": looped(lambda df, i: df.withColumn("x", F.lit(1)).drop("x")),
    "plus": of_column(lambda column, i: column + 1),
    "twice": of_column(lambda column, i: F.coalesce(column, F.lit(i))),
    "when": of_column(lambda column, i: F.when(F.col("id") == i, i).otherwise(column)),
    "cast": of_column(lambda column, i: column.cast("string").cast("long")),
    "round": of_column(lambda column, i: F.round(column, 1)),
    "concat": of_column(lambda column, i: F.concat(column.cast("string"), F.lit("a"))),
    "element": of_column(lambda column, i: F.array(column)[0]),
    "field": of_column(lambda column, i: F.struct(column.alias("a"))["a"]),
    "array": of_column(lambda column, i: F.array(column)),
    "map": of_column(lambda column, i: F.create_map(F.lit("a"), column)),
    "substring": of_column(lambda column, i: F.substring(column.cast("string"), 1, 3)),
    "and": lambda spark, n: spark.range(3).filter(reduce(lambda a, i: a & (F.col("id") != i), range(n), F.lit(True))),
    "isin": lambda spark, n: spark.range(3).filter(F.col("id").isin(list(range(n)))),
    "columns": lambda spark, n: spark.range(3).select(*[(F.col("id") + i).alias(f"c{i}") for i in range(n)]),
    "sums": lambda spark, n: spark.range(3).agg(*[F.sum(F.col("id") + i).alias(f"c{i}") for i in range(n)]),
    "lambdas": lambdas,
    "views": views,
    "schema text": lambda spark, n: spark.range(1).select(
        F.from_json(F.lit("[]"), f"{'array<' * n}int{'>' * n}").alias("x")
    ),
    "expr": lambda spark, n: spark.range(1).select(F.expr("(" * n + "1" + ")" * n).alias("x")),
}
