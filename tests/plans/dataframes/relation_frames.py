"""DataFrames over the rarer relations and expressions of the protocol, in the manner of frames.py."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from dataframes.frames import people, places
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.connect.dataframe import DataFrame as Frame
from pyspark.sql.connect.plan import StatApproxQuantile
from pyspark.sql.types import StructType


def relation_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (
        empties,
        subqueries,
        laterals,
        fields,
        generators,
        reshapes,
        statistics,
        references,
        positions,
        lateral_names,
        lengths,
    ):
        for name, frame in topic(spark).items():
            yield f"{topic.__name__}: {name}", frame


def lengths(spark: Any) -> dict[str, DataFrame]:
    """Lengths of time that come with the rows."""
    day = timedelta(days=-1, seconds=5, microseconds=7)
    type = "interval day to second"
    rows = [(day, [timedelta(hours=1), None], {"a": timedelta(0)}, (timedelta(days=400),)), (None, None, None, None)]
    frame = spark.createDataFrame(rows, f"a {type}, b array<{type}>, c map<string,{type}>, d struct<x:{type}>")
    return {
        "local rows": frame,
        "local rows without a schema": spark.createDataFrame([(timedelta(1),)], ["a"]).groupBy("a").count(),
        "sums": frame.select(F.col("a") + F.lit(timedelta(1)), F.lit(datetime(2020, 1, 1)) + F.col("a")),
        "texts": frame.select(F.col("a").cast("string"), F.col("d.x").cast("string")),
    }


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


def fields(spark: Any) -> dict[str, DataFrame]:
    inner = F.struct(F.lit(1).alias("d"), F.lit(2).alias("e"))
    df = spark.range(2).select(F.struct(F.lit(1).alias("a"), F.lit("x").alias("b"), inner.alias("c")).alias("s"), "id")
    odd = df.select(F.when(df.id == 0, df.s).alias("s"), "id")
    return {
        "added": df.select(df.s.withField("z", F.lit(1))),
        "added to what may be null": odd.select(odd.s.withField("z", odd.id).getField("z")),
        "replaced in another spelling": df.select(df.s.withField("B", df.id)),
        "nested": odd.select(odd.s.withField("c.d", odd.id).getField("c").getField("d")),
        "nested, added": df.select(df.s.withField("c.x", F.col("s.a")).alias("k")),
        "dropped": df.select(df.s.dropFields("a")),
        "dropped, nested": df.select(df.s.dropFields("c.d", "b")),
        "dropped, not there": df.select(df.s.dropFields("nosuch")),
        "all dropped": df.select(df.s.dropFields("a", "b", "c")),
        "of no struct": df.select(df.id.withField("a", F.lit(1))),
        "into no field": df.select(df.s.withField("q.d", df.id)),
        "by pattern": df.select(df.colRegex("`(S|id)`")),
        "by possessive pattern": df.select(df.colRegex("`(s)?+.+`")),
        "by pattern of a table": df.alias("t").select(df.alias("t").colRegex("t.`i.*`")),
        "by pattern in an expression": df.select(df.colRegex("`i.*`") + 1, F.struct(df.colRegex("`i.*`"))),
        "by plain name": df.select(df.colRegex("id")),
    }


def generators(spark: Any) -> dict[str, DataFrame]:
    tvf = spark.tvf
    df = spark.sql("select id, array(3, 4) a, map('a', 1, 'b', 2) m from range(2)")
    rows = [(1, [(1, "a"), (2, None)]), (2, None), (3, []), (4, [None, (5, "z")])]
    nested = spark.createDataFrame(rows, "id int, a array<struct<x:int,y:string>>")
    return {
        "several names": df.select("id", F.explode("m").alias("x", "y"), F.lit(1)),
        "positions": df.select(F.posexplode("a").alias("x", "y")),
        "too few names": df.select(F.posexplode("a").alias("x")),
        "too many names": df.select(F.explode("a").alias("x", "y")),
        "several names of no generator": df.select((df.id + 1).alias("x", "y")),
        "withColumn": df.withColumn("e", F.explode("a")),
        "several generators": df.select(F.explode("a"), "id", F.explode("m")),
        "inline": nested.select("id", F.inline("a")),
        "inline_outer": nested.select("id", F.inline_outer("a").alias("p", "q")),
        "stack": df.select("id", F.stack(F.lit(2), F.col("id").cast("int"), F.lit(2), F.lit(3))),
        "tvf explode": tvf.explode(F.array(F.lit(1), F.lit(2))),
        "tvf explode of a map": tvf.explode(F.create_map(F.lit(1), F.lit("a"))),
        "tvf explode_outer": tvf.explode_outer(F.array().cast("array<int>")),
        "tvf posexplode": tvf.posexplode(F.array(F.lit(1), F.lit(2))),
        "tvf inline": tvf.inline(F.array(F.struct(F.lit(1).alias("p"), F.lit("a").alias("q")))),
        "tvf range": tvf.range(1, 9, 3),
        "tvf stack": tvf.stack(F.lit(2), F.lit(None), F.lit("a"), F.lit(3), F.lit(None)),
        "lateral explode": nested.lateralJoin(tvf.explode(F.col("a").outer())).select("id", "col.x"),
        "lateral inline": nested.select("id", "a").lateralJoin(tvf.inline(F.col("a").outer()).alias("z")).select("z.*"),
    }


def reshapes(spark: Any) -> dict[str, DataFrame]:
    df = spark.createDataFrame([(1, 11, 1.5, "a"), (2, 12, None, "b")], "id int, i int, d double, s string")
    days = df.selectExpr("id", "date_add(date'2020-01-01', id) dt", "i = 11 b", "i")
    return {
        "unpivot": df.unpivot("id", ["i", "d"], "var", "val"),
        "unpivot of the rest": df.drop("s").unpivot("id", None, "var", "val"),
        "unpivot of texts and numbers": df.unpivot("id", None, "var", "val"),
        "unpivot of expressions": df.unpivot([df.id + 1], [df.i, (df.i + 1).alias("q")], "var", "val"),
        "unpivot without ids": df.unpivot([], ["i", "id"], "var", "val"),
        "unpivot of the rest of an expression": df.unpivot([df.id + 1], None, "var", "val"),
        "unpivot of nothing": df.unpivot("id", [], "var", "val"),
        "unpivot of no such column": df.unpivot("id", ["nosuch"], "var", "val"),
        "unpivot of what is never null": spark.range(2).unpivot("id", ["id"], "var", "val"),
        "unpivot of dates and moments": days.selectExpr("id", "dt", "timestamp(dt) t").unpivot("id", None, "k", "v"),
        "transpose": df.drop("s").transpose(),
        "transpose by a column": df.drop("s").transpose("i"),
        "transpose of texts and numbers": df.transpose(df.i),
        "transpose by a text": df.select("s", "i", "d").transpose(),
        "transpose by nulls": df.selectExpr("if(id = 1, null, s) x", "i").transpose(),
        "transpose of one column": df.select("id").transpose(),
        "transpose of no rows": df.drop("s").filter("id > 5").transpose(),
        "transpose by an expression": df.drop("s").transpose(df.i + 1),
        "pivot": df.groupBy("s").pivot("id").sum("i"),
        "pivot of two": df.groupBy("s").pivot("d").agg(F.sum("i"), F.max("id").alias("m")),
        "pivot of all": df.groupBy().pivot("s").count(),
        "pivot of lists": df.groupBy("id").pivot("s").agg(F.collect_list("i")),
        "pivot over given values": df.groupBy("id").pivot("s", ["a", "zz"]).agg(F.count("i"), F.avg("d")),
        "pivot of first": df.groupBy("id").pivot("s").agg(F.first("i"), F.countDistinct("i").alias("cd")),
        "pivot over dates": days.groupBy("id").pivot("dt").sum("i"),
        "pivot over truths": days.groupBy("id").pivot("b").sum("i"),
        "pivot of an expression": df.groupBy("id").pivot("s").agg(F.sum("i") + 1),
    }


def quantiles(df: Any, columns: list[str], shares: list[float], error: float) -> DataFrame:
    """approxQuantile asks at once: this is the plan it asks with."""
    return Frame(StatApproxQuantile(df._plan, columns, shares, error), df.sparkSession)


def statistics(spark: Any) -> dict[str, DataFrame]:
    rows = [(1, 11, 1.5, "a"), (1, 12, None, "b"), (2, 11, 2.5, None), (None, 12, 0.5, "a`x")]
    df = spark.createDataFrame(rows, "k int, v int, d double, s string")
    return {
        "crosstab": df.crosstab("k", "v"),
        "crosstab of texts": df.crosstab("k", "s"),
        "crosstab of doubles": df.crosstab("d", "k"),
        "crosstab of no such column": df.crosstab("nosuch", "k"),
        "crosstab of no rows": df.filter("k > 10").crosstab("v", "k"),
        "summary": df.summary("count", "mean", "min", "max", "count_distinct"),
        "summary of nothing known": df.summary("foo"),
        "describe": df.filter("d > 1").describe("k", "d", "s"),  # of two rows: no order of adding up can show
        "quantiles": quantiles(df, ["k", "d"], [0.0, 0.25, 0.5, 1.0], 0.0),
        "quantiles, nearly": quantiles(df, ["v"], [0.9], 0.001),
        "quantiles of no rows": quantiles(df.filter("k > 10"), ["k"], [0.5], 0.0),
        "sample of all": df.sample(1.0),
        "sample of none": df.sample(0.0),
    }


def references(spark: Any) -> dict[str, DataFrame]:
    """df.c is that frame's column, wherever it has gone to."""
    df = spark.sql("select 1 as c, 5 as d")
    pairs = spark.createDataFrame([(1, 2), (3, 4)], ["a", "b"])
    renamed = pairs.select(pairs.a.alias("aa"), pairs.b)
    left, right = spark.sql("select 1 as c union all select 2"), spark.sql("select 2 as c union all select 3")
    other = df.withColumn("c", F.lit(7))
    return {
        "hidden by an alias": df.select(df.c.cast("string").alias("c")).select(df.c),
        "hidden by an aggregate": df.groupBy().agg(F.sum("c").alias("c")).select(df.c),
        "hidden, in withColumn": other.withColumn("e", df.c + 1),
        "hidden, in a filter": other.filter(df.c == 1),
        "hidden, in a sort": other.sort(df.c),
        "hidden, as a key": other.groupBy(df.c).count(),
        "hidden, dropped": other.drop(df.c),
        "after an intersection": left.intersect(right).select(left.c),
        "of the other side of an intersection": left.intersect(right).select(right.c),
        "after a difference": left.exceptAll(right).select(left.c),
        "after a union": left.union(right).select(left.c),
        "by alias after a union": left.alias("q").union(right).select("q.c"),
        "by alias after a wider union": left.alias("q").union(spark.range(2)).select("q.c"),
        "by alias after a difference": left.alias("q").subtract(right.alias("r")).select("q.c"),
        "by the other alias after a difference": left.alias("q").subtract(right.alias("r")).select("r.c"),
        "joined to what was made of it": renamed.join(pairs, renamed.b == pairs.b),
        "joined to itself": pairs.join(pairs, pairs.a == pairs.a),
        "joined, then both": pairs.join(renamed, pairs.b == renamed.b).select(pairs.a, renamed.aa),
        "joined, then of two": pairs.join(renamed, pairs.b == renamed.b).select(pairs.b),
        "of the other side of a semi join": pairs.join(renamed, pairs.b == renamed.b, "left_semi").select(renamed.aa),
        "keys of a full join": pairs.join(renamed, "b", "full").select(pairs.b, "b"),
    }


def positions(spark: Any) -> dict[str, DataFrame]:
    """Constants in sorts and groups are places."""
    df = people(spark)
    return {
        "sort": df.select("s", "id").sort(F.lit(2).desc(), F.lit(1)),
        "sort out of range": df.sort(F.lit(9)),
        "sort by another constant": df.sort(F.lit("x"), "id"),
        "group": df.groupBy("b", F.lit(1)).count(),
        "group by a constant": df.groupBy(F.lit(1)).count(),
        "group out of range": df.groupBy(F.lit(9)).count(),
        "group by another constant": df.groupBy(F.lit("x")).count(),
        "deduplicate by no such column": df.dropDuplicates(["nosuch"]),
    }


def lateral_names(spark: Any) -> dict[str, DataFrame]:
    """Names given earlier in a list, used later in it."""
    df = people(spark)
    made = (F.col("id") + 1).alias("x")
    once, again = places(spark), places(spark).withColumnRenamed("t", "u")
    return {
        "select": df.select(made, (F.col("x") + 1).alias("y"), F.col("X")),
        "select, unnamed": df.select(made, F.col("x") + 1),
        "a column of the name comes first": df.select((F.col("id") + 1).alias("s"), F.col("s")),
        "two of the name": df.select(made, F.col("id").alias("x"), F.col("x") + 1),
        "used too early": df.select((F.col("y") + 1).alias("x"), F.col("id").alias("y")),
        "aggregates": df.groupBy("b").agg(F.sum("id").alias("x"), (F.col("x") + 1).alias("y")),
        "withColumns": df.withColumns({"x": F.col("id") + 1, "y": F.col("x") + 1}),
        "fields": df.select(F.struct("id", "s").alias("t"), F.col("t.id").alias("q")),
        "stars of joined frames": once.join(again, "id").select(once["*"], again["u"]),
        "stars of a side": once.join(again, "id").select(again["*"]),
        "row numbers": df.zipWithIndex().select("index", "id"),
        "row numbers of some": df.filter("id > 1").zipWithIndex("n").filter("n > 0").select("n", "id"),
        "row numbers of rows spread anew": df.repartition(3).zipWithIndex(),
        "spread by partition id": df.repartitionById(3, "id"),
        "spread by what is no partition id": df.repartitionById(3, "s"),
        "row numbers of sorted rows": df.sort("s").zipWithIndex(),
    }
