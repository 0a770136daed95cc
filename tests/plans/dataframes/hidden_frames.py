"""DataFrames that name columns which a projection hides, columns listed twice, and functions without parentheses."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

NOTHING = "1 = 0"  # who the user is, and which day, is not recorded


def hidden_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    topics = (listed_twice, literal_functions, ambiguous, below, below_generators, below_groups, levels, below_sql)
    for topic in topics:
        for name, frame in topic(spark).items():
            yield f"hidden, {topic.__name__}: {name}", frame


def rows(spark: Any) -> DataFrame:
    return spark.createDataFrame([(1, "x", 3), (2, "y", 1), (3, "x", 2)], "a int, b string, c int")


def listed_twice(spark: Any) -> dict[str, DataFrame]:
    d = rows(spark)
    later = d.select("b", "b", "a")
    return {
        "dropped": d.select("a", "a", "b").drop(d.a),
        "dropped by name": d.select("a", "a", "b").drop("a"),
        "dropped by column": d.select("a", "a", "b").drop(col("a")),
        "dropped beside an alias": d.select("a", d.a.alias("q"), "b").drop(d.a),
        "dropped in another spelling": d.select("a", "b", "a", "A").drop(d.a),
        "dropped, its own": later.drop(later.b),
        "dropped, two columns": d.select("a", "a", "b", "c").drop(d.a, d.b),
        "a key of a join": d.join(d.select("a", "a"), "a").orderBy("c"),
        "a key of a join, dropped": d.join(d.select("a", "a"), "a").drop(d.a).orderBy("c"),
        "a key of a join in another spelling": d.join(d.select("a", "A"), "a").orderBy("c"),
        "selected": d.select("a", "a", "b").select(d.a),
        "grouped": d.select("a", "a", "b").groupBy(d.a).count().orderBy("a"),
        "replaced": d.select("a", "a", "b").withColumn("a", F.lit(1)),
    }


def literal_functions(spark: Any) -> dict[str, DataFrame]:
    users = spark.createDataFrame([(1, "alice"), (2, "bob")], "id int, user string")
    ids = spark.range(3)
    names = ["user", "session_user", "current_user", "current_date", "Current_Date", "current_timestamp"]
    return {name: ids.select(name).where(NOTHING) for name in names} | {
        "not these": ids.select("localtimestamp"),
        "not with a qualifier": ids.select("x.user"),
        "equal": ids.select(col("current_user") == col("user"), col("user") == F.expr("current_user()")),
        "under an alias": ids.select(col("user").alias("u")).where(NOTHING),
        "in a call": ids.select(F.concat(col("user"), F.lit("x"))).where(NOTHING),
        "as a new column": ids.withColumn("w", col("user")).where(NOTHING),
        "a column of the name": ids.withColumn("current_date", F.lit(1)).select("current_date"),
        "as a key": ids.groupBy("user").count().where(NOTHING),
        "as a key, not shown": ids.groupBy(col("current_date")).agg(F.count("*").alias("n")).select("n"),
        "aggregated": ids.agg(F.max("current_date")).where(NOTHING),
        "dropped": ids.drop(col("user")),
        "sorted by": ids.orderBy("user", "id"),
        "spread by": ids.repartition(2, "user"),
        "joined by": ids.join(spark.range(2).toDF("j"), col("user") == col("user")),
        "in a filter": ids.filter("`user` is not null"),
        "before an alias of the list": spark.sql("select 1 as `current_date`, `current_date`").where(NOTHING),
        "before a hidden column": users.select("id").where(col("user") == "alice"),
        "before a hidden column, in capitals": users.select("id").where(col("USER") == "alice"),
        "before a hidden column, sorted": users.select("id").orderBy(col("user").desc(), "id"),
        "before a hidden column, spread": users.select("id").repartition(2, "user"),
        "not before a column": users.where(col("user") == "alice"),
        "not before a DataFrame's column": users.select("id").where(users.user == "alice"),
        "not before a DataFrame's column, sorted": users.select("id").orderBy(users.user.desc()),
    }


def ambiguous(spark: Any) -> dict[str, DataFrame]:
    a = spark.createDataFrame([(1, 10), (2, 20)], "key int, value int").alias("a")
    b = spark.createDataFrame([(1, 100), (2, 200)], "key int, value int").alias("b")
    both = a.join(b, a.key == b.key)
    half = both.drop(b.key, b.value)
    d = rows(spark)
    part = d.select("a")
    return {
        "in the DataFrame that is named": half.select("a.key", "a.value").select("key").where(both.value > 15),
        "in the DataFrame that is named, sorted": half.select("a.key", "a.value").select("key").orderBy(both.value),
        "in the DataFrame that is named, selected": half.select(both.value),
        "in the DataFrame that is named, filtered": half.where(both.value > 1),
        "one side's": half.select("key").where(a.value > 15),
        "the other side's": half.select("key").where(b.value > 150),
        "the other side's, sorted": half.select("key").orderBy(b.value.desc()),
        "not any more": half.select("key").where("value > 15"),
        "below": both.select("a.key").where("value > 15"),
        "below, sorted": both.select("a.key").orderBy("value"),
        "below, with a qualifier": both.select("a.key").where("b.value > 150"),
        "below, sorted, with a qualifier": both.select("a.key").orderBy(col("b.value").desc()),
        "below the DataFrame that is named": part.where(part["b"] == "x"),
        "a DataFrame that is not below": d.where(part["a"] == 1),
    }


def below(spark: Any) -> dict[str, DataFrame]:
    d = rows(spark)
    a = d.select("a")
    return {
        "spread": a.repartition("b"),
        "spread over two": a.repartition(2, "b"),
        "spread over two, a DataFrame's": a.repartition(2, d.b),
        "spread by range": a.repartitionByRange(2, "c"),
        "spread, sorted": a.repartition(3, "b").orderBy("c"),
        "limited": a.limit(2).orderBy("c"),
        "after an offset": a.offset(1).orderBy("c"),
        "hinted": a.hint("broadcast").orderBy("c"),
        "coalesced": a.coalesce(1).orderBy("c"),
        "not below an alias": a.alias("q").orderBy("c"),
        "numbered": d.select(F.row_number().over(Window.orderBy("c")).alias("r")).orderBy("a"),
        "numbered, filtered": d.select(F.row_number().over(Window.orderBy("c")).alias("r")).where("a > 1"),
        "unpivoted": d.unpivot(["b"], ["a"], "k", "v").orderBy("c"),
        "unpivoted, filtered": d.unpivot(["b"], ["a"], "k", "v").where("c > 1"),
        "renamed": d.withColumnRenamed("c", "cc").orderBy("c"),
        "replaced": d.withColumn("c", -col("c")).orderBy("c"),
        "replaced, the one before": d.withColumn("c", -col("c")).orderBy(d.c),
        "replaced, the one before, filtered": d.withColumn("c", -col("c")).where(d.c > 1),
        "dropped": d.drop("c").orderBy("c"),
        "all renamed": d.toDF("p", "q", "r").orderBy("c"),
        "not below a union": a.union(a).orderBy("c"),
        "not below a join": a.join(a, "a").orderBy("c"),
        "filled": a.fillna(1).orderBy("c"),
        "nulls dropped": a.dropna().orderBy("c"),
        "values replaced": a.replace(1, 2).orderBy("c"),
        "filtered": a.where("a > 0").orderBy("c"),
        "sorted, filtered, selected": a.orderBy("c").where("c > 1").select("a"),
        "not in a list": a.orderBy("c").select("c"),
        "in a lambda": a.orderBy(F.transform(F.array("a"), lambda x: x * 0 + col("c"))),
    }


def below_generators(spark: Any) -> dict[str, DataFrame]:
    d = rows(spark)
    pair = F.array("a", "c")
    structs = spark.sql("select * from values (1, named_struct('x', 1), 5), (2, named_struct('x', 2), 4) t(k, s, z)")
    return {
        "sorted": d.select(F.explode(pair).alias("x")).orderBy("b", "x"),
        "filtered": d.select(F.explode(pair).alias("x")).where(col("b") == "x"),
        "of a name from below": d.select(F.explode(pair).alias("a")).orderBy("a"),
        "with positions": d.select(F.posexplode(pair)).orderBy("c", "pos"),
        "outer": d.select("b", F.explode_outer(pair).alias("q")).where("c > 1"),
        "selected from": d.select("b", F.explode(pair).alias("q")).select("q").orderBy("a", "b", "q"),
        "two": d.select(F.explode(pair).alias("x"), F.explode(F.array(F.lit(1), F.lit(2))).alias("y")).orderBy(
            "b", "x", "y"
        ),
        "of structs": structs.select(F.inline(F.array("s"))).orderBy("z"),
        "a column twice": d.select("a", "a", F.explode(pair).alias("x")).orderBy("c", "x"),
        "hidden twice": d.select(F.explode(pair).alias("x")).orderBy("c", "x").where("b = 'x'").orderBy("c", "x"),
    }


def below_groups(spark: Any) -> dict[str, DataFrame]:
    d = rows(spark)
    groups = d.groupBy("b").agg(F.max("a").alias("m"))
    hidden = spark.sql("select max(a) m from values (1, 2), (2, 1) t(a, b) group by b")
    by_sum = spark.sql("select max(a) m from values (1, 2), (2, 1) t(a, b) group by b + 1")
    rolled = spark.sql("select max(a) m from values (1, 2), (2, 1) t(a, b) group by rollup(b)")
    pivoted = d.groupBy("a").pivot("b", ["x", "y"]).agg(F.max("c"))
    return {
        "a key": groups.select("m").orderBy("b"),
        "no key": groups.select("m").where("c > 1"),
        "no key, sorted": groups.orderBy("c"),
        "a key that is not shown": hidden.orderBy("b"),
        "a key that is not shown, filtered": hidden.where("b > 1"),
        "a key that is not shown, spread": hidden.repartition(2, "b"),
        "a key that is not shown, with a qualifier": hidden.where("t.b > 1"),
        "a column of a computed key": by_sum.orderBy("b"),
        "a computed key": by_sum.where("b + 1 > 2"),
        "another aggregate": hidden.orderBy(F.min("a")),
        "another aggregate, filtered": hidden.where(F.min("a") > 1),
        "a key of grouping sets": rolled.orderBy("b"),
        "a pivot's key": pivoted.select("x").orderBy("a"),
        "a pivot's value": pivoted.orderBy("c"),
    }


def levels(spark: Any) -> dict[str, DataFrame]:
    """All names of an expression are found at one level of the plan, or none of them there."""
    t = spark.sql("select * from values (1, named_struct('x', 1), 5), (2, named_struct('x', 2), 4) t(k, s, z)")
    other = F.named_struct(F.lit("y"), F.lit(9)).alias("s")
    made = t.select((-col("k") * 100).alias("k"), other)
    number = t.select((-col("k") * 100).alias("k"), F.lit(1).alias("s"))
    twice = t.select((-col("k")).alias("k"), F.lit(1).alias("k"), (-col("z")).alias("z"))
    return {
        "a field that is not there": made.orderBy(col("k") + col("s.x")),
        "a field that is not there, alone": made.orderBy(col("s.x").desc()),
        "a field that is not there, in brackets": made.orderBy(col("k") + col("s")["x"]),
        "a field that is not there, in brackets, alone": made.orderBy(col("s")["x"].desc()),
        "a field that is not there, one of two keys": made.orderBy(col("k"), col("s.x")),
        "a field that is nowhere": made.orderBy(col("k") + col("s.q")),
        "a field that is not there, filtered": made.where(col("s.x") > 1),
        "a field that is nowhere, hidden, filtered": t.select("k").where(col("s.q") > 1),
        "a field that is nowhere, hidden, in brackets": t.select("k").where(col("s")["q"] > 1),
        "a field that is not there, spread": made.repartition(2, col("s.x")),
        "a field of a number": number.orderBy(col("k") + col("s.x")),
        "a name of two": twice.orderBy(col("k") + col("z") * 10),
        "a name of two, filtered": twice.where(col("k") > 1),
    }


def below_sql(spark: Any) -> dict[str, DataFrame]:
    values = "values (1, 2), (2, 1) t(a, b)"
    plain = spark.sql(f"select a from {values}")
    named = spark.sql(f"with c as (select * from {values}) select a from c")
    return {
        "sorted": plain.orderBy("b"),
        "sorted, with a qualifier": plain.orderBy("t.b"),
        "filtered": plain.where("b = 1"),
        "limited": spark.sql(f"select a from {values} limit 2").orderBy("b"),
        "sorted twice": spark.sql(f"select a from {values} order by b").where("b = 1"),
        "not below DISTINCT": spark.sql(f"select distinct a from {values}").orderBy("b"),
        "not below WITH": named.orderBy("b"),
        "not below WITH, filtered": named.where("b = 1"),
        "not below an unused WITH": spark.sql(f"with c as (select 1) select a from {values}").orderBy("b"),
        "not below UNION": spark.sql(f"select a from {values} union all select 1").where("b = 1"),
        "below QUALIFY": spark.sql(f"select a from {values} qualify row_number() over (order by b) < 3").orderBy("b"),
    }
