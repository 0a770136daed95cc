"""Kinds of queries for the cold part of small_queries.py: each text is sent once, so no server has its plan in a cache.

Every kind is a function of a number that is different in each query: it is in an alias or a constant of the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

Kind = Callable[[SparkSession, int], Any]
TEXTS = {
    "constant": "select {n} c, 'x' d",
    "filter": "select id, t from v where id > {n} and k = 3",
    "order by, limit": "select id, t, k + {n} x from v order by k desc, id limit 10",
    "grouped": "select k, count(*) n{n}, sum(id) s, max(t) m from v group by k order by k",
    "grouped, unordered": "select k, count(*) n{n}, sum(id) s from v group by k",
    "having": "select k, sum(id) s from v group by k having sum(id) > {n}",
    "self join": "select a.id, b.t from v a join v b on a.id = b.id where a.id < 20 + {n}",
    "window": "select id, row_number() over (partition by k order by id) r{n} from v",
    "four functions": "select upper(t) a{n}, substring(t, 1, 2) b, abs(id - {n}) c, coalesce(t, 'x') d from v",
    "CTE": "with w as (select k, id + {n} x from v where id < 500) select k, max(x) m from w group by k",
    "IN subquery": "select id from v where k in (select k from v where id = {n})",
    "EXISTS subquery": "select id from v where exists (select 1 from v w where w.id = v.id + {n})",
    "scalar subquery": "select id, (select max(id) from v) + {n} m from v",
    "union": "select id x from v where id < {n} union select k from v",
    "union all": "select id x{n} from v union all select k from v",
    "distinct": "select distinct k + {n} d from v",
    "case": "select case when id < {n} then 'a' when id < 500 then 'b' else 'c' end c, id from v",
    "dates": "select date_add(date'2024-01-01', cast(id as int)) d{n}, year(date_add(date'2024-01-01', {n})) y from v",
    "casts": "select cast(id as string) a{n}, cast(t as int) b, cast(id as double) c, cast(id as decimal(9)) d from v",
    "grand total": "select count(*) c{n}, sum(id) s, avg(id) a, min(t) m from v where id > {n}",
    "lateral view": "select id, x from v lateral view explode(array(id, {n})) e as x where id < 50",
}


def twelve_steps(spark: SparkSession, number: int) -> Any:
    frame = spark.table("v").withColumn("n", F.lit(number))
    for step in range(5):
        frame = frame.withColumn(f"c{step}", F.col("id") + step)
    frame = frame.filter("id > 10").withColumn("d", F.upper("t")).filter(F.col("k") != 5)
    sums = [F.sum(F.col("id") + each).alias(f"s{each}") for each in range(10)]
    return frame.select("k", "id", "n", "c0", "d").groupBy("k").agg(*sums).orderBy("k").collect()


def frame_of_three_steps(spark: SparkSession, number: int) -> Any:
    return spark.table("v").filter(F.col("id") > number).select("id", "k").limit(20).collect()


def shown_frame(spark: SparkSession, number: int) -> Any:
    return spark.table("v").select("id", F.lit(number).alias("n"))._show_string(5)


def schema_of_frame(spark: SparkSession, number: int) -> Any:
    return spark.table("v").select("id", (F.col("k") + number).alias("n")).schema


def sent_text(text: str) -> Kind:
    return lambda spark, number: spark.sql(text.replace("{n}", str(number))).collect()


KINDS: dict[str, Kind] = {
    **{name: sent_text(text) for name, text in TEXTS.items()},
    "DataFrame, 3 steps": frame_of_three_steps,
    "DataFrame, 12 steps": twelve_steps,
    "show": shown_frame,
    "schema": schema_of_frame,
}
