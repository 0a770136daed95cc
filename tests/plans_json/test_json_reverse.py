"""plan_of(df): for what the format can say, running the plan gives the DataFrame again; the rest is refused in words."""

# ruff: noqa: E501  (one frame, one line)

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from twinspark.plans_json import Unsayable, execute_plan, plan_of, source_of, validate_plan
from twinspark.plans_json.fixture import rows_difference, rows_json, schema_json

Make = Callable[[Any, Any], Any]


@pytest.fixture(scope="module")
def frames(on_twinspark: Any) -> tuple[Any, Any]:
    left = on_twinspark.createDataFrame(
        [(1, "a", 2.5, [1, 2]), (2, "b", None, [7]), (3, None, 1.0, None)], "id long, n string, d double, a array<int>"
    )
    return left, on_twinspark.createDataFrame([(1, "x"), (2, "y")], "id long, tag string")


def by_name() -> Any:
    """Made when asked for: PySpark wants a session before a window."""
    return Window.partitionBy("n").orderBy(F.desc("id"))


SAYABLE: dict[str, Make] = {
    "filter": lambda df, o: df.filter((F.col("id") > 1) | F.col("n").isNull()),
    "filter text": lambda df, o: df.filter("id > 1 and n = 'b'"),
    "select": lambda df, o: df.select("id", F.upper("n").alias("u"), df.d * 2, -df.id, ~(df.id == 1), df.id % 2),
    "select methods": lambda df, o: df.select(df.n.isin("a", "b"), df.n.like("a%"), df.n.startswith("a"), df.id.between(1, 2)),
    "literals": lambda df, o: df.select(
        F.lit(1), F.lit(2**40), F.lit(1.5), F.lit("x"), F.lit(True), F.lit(None), F.lit(date(2024, 2, 29)),
        F.lit(datetime(2024, 2, 29, 1, 2, 3)), F.lit(timedelta(seconds=1.5)), F.lit(b"ab"), F.lit([1, 2]),
        F.lit(float("nan")), F.lit(Decimal("1.50")).alias("dec"), F.lit(5).cast("long"),
    ),
    "casts": lambda df, o: df.select(df.id.cast("string"), df.n.try_cast("int"), df.a.cast("array<long>")),
    "when": lambda df, o: df.select(F.when(df.id > 2, "big").when(df.id > 1, "mid").otherwise("small"), F.when(df.id > 2, 1)),
    "items": lambda df, o: df.select(df.a[0], F.transform("a", lambda x: x + df.id), F.filter("a", lambda x, i: i > 0)),
    "structs": lambda df, o: df.select(F.struct("id", "n").alias("s")).select("s.n", F.col("s").withField("z", F.lit(1)), F.col("s").dropFields("n")),
    "sql text": lambda df, o: df.selectExpr("id + 1", "upper(n) as u", "*"),
    "generator": lambda df, o: df.select("id", F.posexplode("a").alias("p", "c")),
    "window": lambda df, o: df.select(
        "id", F.row_number().over(by_name()), F.sum("d").over(by_name().rowsBetween(-1, Window.currentRow)),
        F.count("*").over(Window.orderBy("id").rangeBetween(Window.unboundedPreceding, 1)),
    ),
    "withColumn": lambda df, o: df.withColumn("e", F.col("d") + 1).withColumnRenamed("n", "m").drop("a"),
    "withColumns": lambda df, o: df.withColumns({"x": F.lit(1), "y": F.col("id")}),
    "withColumns that cross": lambda df, o: df.withColumns({"id": F.col("id") + 1, "q": F.col("id") * 2}),
    "order and limit": lambda df, o: df.orderBy(F.desc_nulls_last("d"), "id").offset(1).limit(1),
    "aggregates": lambda df, o: df.groupBy("n").agg(F.sum("d"), F.count("*").alias("c"), F.countDistinct("id"), F.first("d", True)),
    "grouped count": lambda df, o: df.groupBy(F.col("id") % 2).count(),
    "rollup": lambda df, o: df.rollup("n", "id").agg(F.avg("d"), F.grouping("n")),
    "cube": lambda df, o: df.cube("n").agg(F.max("d")),
    "agg": lambda df, o: df.agg({"d": "max"}),
    "join using": lambda df, o: df.join(o, "id", "left"),
    "join on": lambda df, o: df.join(o, df.id == o.id, "inner"),
    "join on more": lambda df, o: df.join(o, (df.id == o.id) & (o.tag == "x"), "left_anti"),
    "crossJoin": lambda df, o: df.crossJoin(o),
    "union": lambda df, o: df.select("id", "n").union(o),
    "unionByName": lambda df, o: df.select("id").unionByName(o, allowMissingColumns=True),
    "distinct": lambda df, o: df.select("n").distinct(),
    "toDF": lambda df, o: df.filter("id > 0").toDF("p", "q", "r", "s").filter("p > 1"),
    "how, not what": lambda df, o: df.repartition(2).hint("broadcast").filter(df.id < 3),
    "range": lambda df, o: df.sparkSession.range(10).filter("id % 2 = 0").select((F.col("id") * 2).alias("x")),
}  # fmt: skip
UNSAYABLE: dict[str, Make] = {
    "fill na": lambda df, o: df.na.fill(0),
    "dropDuplicates of some columns": lambda df, o: df.dropDuplicates(["id"]),
    "a sort within partitions": lambda df, o: df.sortWithinPartitions("id"),
    "intersect, except": lambda df, o: df.intersect(df),
    "sample": lambda df, o: df.sample(0.5, seed=1),
    "a pivot": lambda df, o: df.groupBy("n").pivot("id", [1]).sum("d"),
    "subquery alias": lambda df, o: df.alias("x").select("x.id"),
    "which of the columns": lambda df, o: df.join(o, df.id == o.id).select(o.id),
    "column metadata": lambda df, o: df.select(df.id.alias("i", metadata={"a": 1})),
    "common inline user defined function": lambda df, o: df.select(F.udf(str)("id")),
}


@pytest.mark.parametrize("name", SAYABLE)
def test_the_plan_of_a_frame_makes_the_frame_again(name: str, frames: tuple[Any, Any]) -> None:
    frame = SAYABLE[name](*frames)
    plan = json.loads(json.dumps(plan_of(frame)))
    assert validate_plan(plan) == []
    again = execute_plan(source_of(frame), None, plan, frame.sparkSession)
    assert schema_json(again.schema) == schema_json(frame.schema)
    assert rows_difference(rows_json(frame), rows_json(again), ordered=False) is None


@pytest.mark.parametrize("what", UNSAYABLE)
def test_what_the_format_cannot_say_is_refused(what: str, frames: tuple[Any, Any]) -> None:
    with pytest.raises(Unsayable, match=what):
        plan_of(UNSAYABLE[what](*frames))


def test_a_stored_plan_runs_on_other_data(frames: tuple[Any, Any]) -> None:
    plan = plan_of(frames[0].filter("id > 1").groupBy("n").agg(F.sum("d").alias("t")))
    again = execute_plan(
        [[5, "q", 1.5, None], [0, "z", 9.0, None]],
        "id long, n string, d double, a array<int>",
        plan,
        frames[0].sparkSession,
    )
    assert list(map(tuple, again.collect())) == [("q", 1.5)]


def test_a_classic_frame_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="Spark Connect DataFrame"):
        plan_of(type("Classic", (), {"sparkSession": None})())
