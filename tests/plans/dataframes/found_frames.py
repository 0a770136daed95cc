"""Plans that the random queries found: names of a struct's fields, constants beside what overflows, rows looked for."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

ROW = """select map('a', 1) as m, named_struct('q', 2, 'Z', named_struct('w', 1)) as r, array(1, 2) as ar, 3 as k,
  array(named_struct('f', 1)) as af"""
LARGE = "values (1, 2147483647), (2, 0) as t(k, i)"
QUERIES = [
    f"select i + 1 > 5 from {LARGE}",
    f"select k from {LARGE} where i * 2 = 4",
    f"select k from {LARGE} where -2 - i < 5",
    f"select k, i + 1L > 5 from {LARGE}",
    "select struct(map('a', 1)['a'], named_struct('q', 1)['q'], array(1)[0], named_struct('b', 2).b) as s",
    "select struct(af.f, m.a, af[0].f as g) from (select array(named_struct('f', 1)) as af, map('a', 1) as m)",
    "select (k, r.y, m['z'], k + 1, 3, 'x', true) in (select 1, 'b', 1, 2, 3, 'x', true) from (select 1 as k,"
    " named_struct('y', 'b') as r, map('z', 1) as m)",
    "select x, n from values (1, 2) as t(x, y) lateral view stack(2, y, null) v as n",
    "select cast('2024-02-29 10:11:12 America/New_York' as timestamp)",
    "select first(v), last(v), any_value(named_struct('d', v)) from values (array(-0.0D, 1D)) as t(v)",
    "select try_cast('2024-02-29 10:11:12 America//New_York' as timestamp)",
]


STRUCTS = [
    "struct(k)",
    "struct(k AS z)",
    "named_struct('y', k, 'z', k + 1)",
    "(k, r.q)",
    "struct(k + 0)",
    "struct(r.*, k)",
]


def found_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    row = spark.sql(ROW)
    for text, column in fields(row).items():
        yield f"found, struct of: {text}", row.select(F.struct(column))
    yield "found, struct in an aggregate", row.agg(F.min(F.struct(row.m["a"], row.k)))
    yield "found, struct in a lambda", row.select(F.transform("af", lambda x: F.struct(x.f, x)))
    for text in QUERIES:
        yield f"found: {text}", spark.sql(text)
    yield "found, named: in a sum", row.select(F.expr("k as q") + 1)
    yield "found, named: in a call", row.select(F.abs(F.expr("k AS `q r`")))
    told = row.select(F.col("k").alias("k", metadata={"known": 1}), "r")
    for text in STRUCTS:
        yield f"found, named: {text}", told.selectExpr(f"{text} AS s")
    yield "found, named: all columns", told.selectExpr("struct(*)")
    yield "found, named: grouping of an alias", row.rollup(F.col("k").alias("w")).agg(F.grouping("w"))
    chosen = F.when(F.col("id") > 10, F.lit(1) / 0).otherwise(F.lit(2.0))
    yield "found, named: a constant that fails where nobody looks", spark.range(2).select(chosen.alias("x"))


def fields(row: DataFrame) -> dict[str, Column]:
    named = {text: F.col(text) for text in ("r.q", "r.Z.w", "af.f", "m.a", "k")}
    parts = {
        "a map's value": F.col("m")["a"],
        "a field": F.col("r")["q"],
        "a field of a field": row.r.Z.w,
        "a field, spelled otherwise": F.col("r").getField("z"),
        "an element": F.col("ar")[0],
        "a field of elements": F.col("af")["f"],
        "a field of an element": F.col("af")[0]["f"],
        "a sum": F.col("k") + 1,
        "a constant": F.lit(5),
        "a cast": F.col("k").cast("string"),
        "an alias": F.col("m")["a"].alias("b"),
    }
    texts = ("r.Z.w", "m['a']", "r['q']", "af[0].f", "ar[0]", "k", "m.a", "struct(m['a'])", "k + 1")
    return named | parts | {f"text {text}": F.expr(text) for text in texts}
