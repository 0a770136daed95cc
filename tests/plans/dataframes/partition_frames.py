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
    for topic in (spread, limited, ordered, anew, by_key, sql, over_sorts, hidden, quantiles, frequent):
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


LETTERS = [(3, "c", 1), (1, "a", None), (2, "b", 2), (5, "a", 1), (4, "c", None), (7, "b", 3), (6, "a", 2)]


def anew(spark: Any) -> dict[str, DataFrame]:
    """Rows that are spread, and what looks at them then."""
    d = spark.createDataFrame(LETTERS, "a int, b string, c int")
    groups = d.groupBy("b").agg(F.max("a").alias("m"))
    return {
        "sorted in tasks": d.sortWithinPartitions("c"),
        "sorted in tasks, descending": d.sortWithinPartitions(F.desc("c")),
        "sorted in tasks, filtered": d.sortWithinPartitions("c").where("a > 2"),
        "sorted in tasks, gathered": d.sortWithinPartitions("c").agg(F.collect_list("a"), F.first("a")),
        "sorted in tasks, grouped": d.sortWithinPartitions("c").groupBy("b").agg(F.collect_list("a")),
        "sorted in tasks, limited": d.sortWithinPartitions("c").limit(4),
        "a sort that is lost": d.orderBy("a").repartition(2, "b"),
        "a sort that is kept": d.orderBy("a").coalesce(1),
        "groups": groups.repartition(2, "m").sortWithinPartitions("m"),
        "twice": d.repartition(2, "a").repartition(3, "b"),
        "then coalesced": d.repartition(3, "a").coalesce(2),
        "then coalesced, gathered": d.repartition(3, "a").coalesce(1).agg(F.collect_list("a")),
        "coalesced before": d.coalesce(1).repartition(3, "b"),
        "by a constant": d.repartition(3, F.lit(1)),
        "by an expression": d.repartition(3, F.col("a") % 2, "b").sortWithinPartitions("a"),
        "by ranges, sorted in them": d.repartitionByRange(3, "a").sortWithinPartitions("b"),
        "by ranges of no number": d.repartitionByRange("a"),
        "over one": d.repartition(1).sortWithinPartitions("c"),
        "joined": d.repartition(2, "b").join(d.select("b", F.col("a").alias("x")), "b"),
        "a range": spark.range(0, 12, 1, 4).repartition(3, "id"),
        "a range, grouped": spark.range(0, 12, 1, 4).repartition(3, "id").groupBy("id").count(),
        "a range, distinct": spark.range(0, 12, 1, 4).repartition(3, "id").distinct(),
        "a range, sorted in tasks": spark.range(0, 12, 1, 4).sortWithinPartitions(F.desc("id")),
    }


def by_key(spark: Any) -> dict[str, DataFrame]:
    d = spark.createDataFrame(LETTERS, "a int, b string, c int")
    found = {}
    for name, rows in {
        "three by b": d.repartition(3, "b"),
        "three by c": d.repartition(3, "c"),
        "c": d.repartition("c"),
    }.items():
        looks = {
            "as they come": rows,
            "sorted in tasks": rows.sortWithinPartitions("c"),
            "gathered": rows.agg(F.collect_list("a"), F.first("a"), F.last("a")),
            "grouped": rows.groupBy("b").agg(F.collect_list("a"), F.first("c")),
            "counted": rows.groupBy("b").count(),
            "distinct": rows.select("b").distinct(),
            "without duplicates": rows.dropDuplicates(["b"]),
            "numbered": rows.select("*", F.row_number().over(Window.orderBy("b"))),
            "limited": rows.limit(3),
            "sorted": rows.orderBy("c"),
            "the first of a sort": rows.orderBy("b").limit(3),
            "filtered": rows.where("a > 2"),
            "computed": rows.select((F.col("a") + 1).alias("z"), "c").groupBy("c").count(),
            "exploded": rows.select("b", F.explode(F.array("a", "c")).alias("e")).groupBy("b").agg(F.collect_list("e")),
            "united": rows.union(d),
            "rolled up": rows.rollup("b").agg(F.collect_list("a"), F.first("a")),
            "summed": rows.select((F.col("a") / 3.0).alias("x")).agg(F.sum("x"), F.avg("x"), F.stddev("x")),
        }
        found |= {f"{name}, {look}": frame for look, frame in looks.items()}
    return found


def sql(spark: Any) -> dict[str, DataFrame]:
    rows = "values (3, 1), (2, 2), (1, 3), (null, 4), (3, 5), (null, 6) t(a, b)"
    texts = (
        f"select * from {rows} cluster by a",
        f"select * from {rows} distribute by a",
        f"select * from {rows} distribute by a, b",
        f"select * from {rows} distribute by a sort by a",
        f"select * from {rows} distribute by a % 2 sort by b desc",
        f"select * from {rows} distribute by 1",
        f"select * from {rows} sort by a",
        f"select * from {rows} sort by a desc nulls last, b",
        f"select a from {rows} distribute by b",
        f"select collect_list(b) from (select * from {rows} sort by a)",
        f"select first(b), last(b) from (select * from {rows} distribute by a)",
        f"select a, collect_list(b) from (select * from {rows} distribute by b) group by a",
        f"select a, b, row_number() over (order by a) from (select * from {rows} distribute by b)",
        f"select a, b, row_number() over (partition by a order by 1) from (select * from {rows} cluster by b)",
        f"select a, b from (select * from {rows} cluster by b) limit 3",
        f"select a, b from (select * from {rows} distribute by b) where b > 2",
        f"select a, max(b) from {rows} group by a sort by max(b) desc",
        f"select /*+ REPARTITION(3, a) */ * from {rows}",
        f"select /*+ REPARTITION(a) */ * from {rows}",
        f"select /*+ COALESCE(1) */ * from {rows}",
        f"select /*+ REPARTITION_BY_RANGE(2, b) */ * from {rows}",
        "select spark_partition_id() from (select /*+ COALESCE(1) */ id from range(10))",
        "select * from range(20) distribute by id % 3 sort by id desc",
        "select s, x from values ('b', 1), ('a', 2), ('c', 3) t(s, x) distribute by s",
        "select s, x from values (1.5BD, 1), (2.5BD, 2), (0.5BD, 3) t(s, x) distribute by s",
        "select s, x from values (true, 1), (false, 2), (true, 3) t(s, x) distribute by s",
    )
    return {text: spark.sql(text) for text in texts}


def over_sorts(spark: Any) -> dict[str, DataFrame]:
    """Groups over sorted rows, of grouping sets and of many rows."""
    rows = "(select * from values (30, 1, 1), (10, 1, 2), (20, 2, 1), (5, 2, 2) t(v, g, h) order by v desc)"
    many = "(select id, id % 3 g from range(200000) order by -id)"
    values = "first(v), last(v), collect_list(v), any_value(v), listagg(v, ',')"
    ends = "first(id), last(id), collect_list(id)[999], substr(listagg(cast(id as string), ' '), 1, 30)"
    texts = (
        f"select g, {values} from {rows} group by rollup(g)",
        f"select g, h, {values} from {rows} group by cube(g, h)",
        f"select g, h, {values} from {rows} group by grouping sets ((g), (h), ())",
        f"select g, collect_list(v) filter (where v > 10) from {rows} group by rollup(g)",
        f"select g, transform(collect_list(struct(v, g)), x -> x.v) from {rows} group by rollup(g)",
        f"select {ends} from {many}",
        f"select g, {ends} from {many} group by g order by g",
        f"select g, {ends} from {many} group by rollup(g) order by g",
        f"select g, first(id), last(id) from (select * from {many} where id > 100 limit 150000) group by g order by g",
    )
    return {text: spark.sql(text) for text in texts}


def hidden(spark: Any) -> dict[str, DataFrame]:
    """Columns that a projection hides, of the rows that are chosen by their order."""
    rows = spark.createDataFrame([(1, "x", 3), (2, "y", 1), (3, "x", 2)], "a int, b string, c int")
    a, ab = rows.select("a"), rows.select("a", "b")
    return {
        "distinct": rows.select("b").distinct().where(F.col("c") > 1),
        "distinct, sorted": rows.select("b").distinct().orderBy("c"),
        "duplicates dropped": ab.dropDuplicates(["b"]).where("c < 3"),
        "duplicates dropped, sorted": ab.dropDuplicates(["b"]).orderBy("c"),
        "sampled": a.sample(fraction=0.9, seed=1).orderBy("c"),
        "sampled with replacement": a.sample(True, 0.9, seed=1).orderBy("c"),
        "split": a.randomSplit([0.5, 0.5], 7)[0].orderBy("c"),
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
