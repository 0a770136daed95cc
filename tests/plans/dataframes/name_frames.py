"""DataFrames whose columns' names and metadata come from within: aliases inside expressions, fields, unions by name."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.window import Window


def name_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (inner_aliases, metadata, unions):
        for name, frame in topic(spark).items():
            yield f"names, {topic.__name__}: {name}", frame


def inner_aliases(spark: Any) -> dict[str, DataFrame]:
    b = spark.range(2).select("id", F.lit("x").alias("t"))
    i, k = F.col("id").alias("w"), F.lit(3).alias("k k")
    return {
        "operators": b.select(1 + i, i * k, -i, ~(i > k)),
        "casts": b.select(i.cast("int"), (i + 1).cast("int"), i.cast("int").cast("string")),
        "functions": b.select(F.abs(i), F.concat(F.col("t").alias("q"), F.lit("z"))),
        "aggregates": b.groupBy().agg(F.sum(i), F.count(i), F.collect_list(F.struct(i, k))),
        "groups": b.groupBy(i + 1).count(),
        "windows": b.select(F.sum(i).over(Window.partitionBy(F.col("t").alias("u")).orderBy(i))),
        "conditions": b.select(F.when(i > 0, k).otherwise(i), i.isin(1, 2), i.between(0, k), i.isNull()),
        "structs": b.select(F.struct(i, k), F.struct(F.struct(i).alias("in")), F.struct(i)["w"], F.array(i)[0]),
        "twice": b.select(F.col("id").alias("a").alias("b"), F.abs(F.col("id").alias("a").alias("b"))),
        "odd names": b.select(F.abs(F.col("id").alias("é")), F.abs(F.col("id").alias("1a"))),
        "pivots": b.groupBy("id").pivot("t", ["x"]).agg(F.sum(i), F.max(i).alias("m")),
        "lambdas": b.select(F.transform(F.array(i), lambda x: (x + 1).alias("z"))),
        "updates": b.select(F.struct(i).withField("z", k)),
    }


def metadata(spark: Any) -> dict[str, DataFrame]:
    b = spark.range(2).select(F.col("id").alias("i", metadata={"m": 1}))
    s = b.select(F.struct("i").alias("s"))
    return {
        "structs": b.select(F.struct("i"), F.struct("*"), F.struct(F.col("i").alias("j")), F.array(F.struct("i"))),
        "fields": s.select("s.i", F.col("s")["i"], F.col("s.i").alias("z"), F.col("s.i") + 1),
        "star": s.select("s.*"),
        "new columns": s.withColumn("t", F.col("s.i")),
        "fields of structs": s.select(F.struct("s.i"), F.struct(F.col("s.i").alias("w"))),
        "groups": s.groupBy("s.i").count(),
        "unions": s.unionByName(s).union(s),
        "outer joins": b.join(spark.range(1).toDF("i"), "i", "full"),
        "inner joins": b.join(spark.range(1).toDF("i"), "i"),
    }


def unions(spark: Any) -> dict[str, DataFrame]:
    def of(text: str) -> DataFrame:
        return spark.sql(f"SELECT {text}")

    rows = [(1, Row(a=1, b=Row(c="x", d=[1]))), (2, None)]
    nested = spark.createDataFrame(rows, "id int, s struct<a:int,b:struct<c:string,d:array<int>>>")
    other = spark.createDataFrame([(9, Row(z=1, a=5))], "id int, s struct<z:int,a:int>")
    deep = spark.createDataFrame(
        [(9, Row(b=Row(q=1.5, c="y")), "n")], "id long, s struct<b:struct<q:double,c:string>>, e string"
    )
    x = of("named_struct('x', 1, 'y', 2) s")
    return {
        "fields missing": nested.unionByName(other, allowMissingColumns=True),
        "fields missing, deeper": nested.unionByName(deep, allowMissingColumns=True),
        "fields missing, not allowed": nested.unionByName(other),
        "fields in another order": x.unionByName(of("named_struct('Y', 1, 'x', 'q') s")),
        "arrays of structs": of("array(named_struct('x', 1)) s").unionByName(
            of("array(null, named_struct('z', 1)) s"), True
        ),
        "maps of structs": of("map('k', named_struct('x', 1, 'y', 2)) s").unionByName(
            of("map('k', named_struct('y', 1, 'x', 2)) s"), True
        ),
        "columns missing": of("1 a, 2 b").unionByName(of("2 b")),
        "columns more": of("1 a").unionByName(of("2 b, 3 a")),
        "columns missing and more": of("1 a").unionByName(of("2 b, 3 A"), True),
        "a name twice": of("1 a, 2 A").unionByName(of("1 a"), True),
        "other names inside": of("named_struct('x', 1) s").union(of("named_struct('y', 2)")),
        "other names in maps": of("map('k', named_struct('x', 1)) s").union(of("map('k', named_struct('y', 2))")),
        "other letters inside": of("if(true, named_struct('x', 1), named_struct('X', 2)) s"),
        "other letters in unions": of("named_struct('x', 1) s").union(of("named_struct('X', 2)")),
        "other names, intersected": of("named_struct('x', 1) s").intersect(of("named_struct('y', 1)")),
    }
