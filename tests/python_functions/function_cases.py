"""Frames with Python functions in them, one case each; what Spark made of them is in recorded_functions.json.

Functions stand inside the cases: what a worker can import it would be sent by name only."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql.window import Window

Case = Callable[[Any], Any]
CASES: dict[str, Case] = {}
VALUES = {
    "int": ["1", "1.0", "True", "2**40", "None"],
    "tinyint": ["127", "300"],
    "string": ["'x'", "1", "1.5", "True", "[1]", "None"],
    "double": ["1", "1.5", "'x'", "float('nan')"],
    "boolean": ["True", "1"],
    "binary": ["b'ab'", "'ab'"],
    "date": ["__import__('datetime').date(2020, 1, 2)", "'2020-01-01'"],
    "timestamp": ["__import__('datetime').datetime(2020, 1, 1, 2, 3, 4, 5)"],
    "decimal(10,2)": ["__import__('decimal').Decimal('1.5')", "1"],
    "array<int>": ["[1, None]", "(1, 2)"],
    "map<string,int>": ["{'a': 1}"],
    "struct<a:int,b:string>": ["(1, 'x')", "{'a': 1, 'b': 'x'}", "[1, 'x']"],
    "interval day to second": ["__import__('datetime').timedelta(days=1)"],
}
PICKLED = {
    **VALUES,
    "string": ["'x'", "1", "True", "None"],
    "bigint": ["2**70"],
    "array<int>": ["[1, 'x']", "(1, 2)", "1"],
}
EVERY_TYPE = """select 1Y a, 2S b, 3 c, 4L d, 1.5F e, 2.5D f, 1.250BD g, true h, date'2020-02-03' i,
    timestamp'2020-02-03 04:05:06' j, timestamp_ntz'2020-02-03 04:05:06' k, X'0102' l, array(1, 2) m,
    named_struct('x', 1, 'y', date'2020-01-01') n, interval 2 days o, cast(null as string) p"""


def case(make: Case) -> Case:
    CASES[make.__name__] = make
    return make


def plus_one() -> Any:
    return F.udf(lambda x: x + 1, "long")


def people(spark: Any) -> Any:
    rows = [(1, 1.0, "a"), (1, 2.0, "b"), (2, 3.0, None), (2, 5.0, "x"), (None, 10.0, "y")]
    return spark.createDataFrame(rows, "id int, v double, s string").coalesce(1)


def returning(kind: str, value: str, arrow: bool) -> Case:
    """A function that is said to return one type and returns another."""
    return lambda spark: spark.range(2).select(F.udf(eval(f"lambda x: {value}"), kind, useArrow=arrow)("id").alias("r"))


for kind, values in VALUES.items():
    CASES |= {f"arrow returns {kind} {value}": returning(kind, value, True) for value in values}
for kind, values in PICKLED.items():
    CASES |= {f"pickled returns {kind} {value}": returning(kind, value, False) for value in values}


# ---- scalar functions


@case
def plain_calls(spark: Any) -> Any:
    one = plus_one()
    return spark.range(3).select(one("id"), one(F.col("id") * 2).alias("b"), one(one("id")), F.lit(1) + one("id"))


@case
def every_type_as_arrow(spark: Any) -> Any:
    show = F.udf(lambda x: f"{type(x).__name__}:{x!r}")
    return spark.sql(EVERY_TYPE).select(*[show(c).alias(c) for c in "abcdefghijklmnop"])


@case
def every_type_pickled(spark: Any) -> Any:
    show = F.udf(lambda x: f"{type(x).__name__}:{x!r}", useArrow=False)
    return spark.sql(EVERY_TYPE).select(*[show(c).alias(c) for c in "abcdefghijklmnop"])


@case
def names_of_arguments(spark: Any) -> Any:
    spark.udf.register("named", F.udf(lambda *x: 1, "long"))
    arguments = (
        "-id|cast(id as int)|id is null|not (id = 1)|'a'|1.5|upper('a')|id + 1|x => id|date'2020-01-01'|coalesce(id, 1)"
    )
    return spark.sql(f"select {', '.join(f'named({each})' for each in arguments.split('|'))} from range(1)")


@case
def by_name(spark: Any) -> Any:
    return spark.range(2).select(F.udf(lambda x, y: x - y, "long")(y=F.col("id"), x=F.lit(10)))


@case
def no_arguments(spark: Any) -> Any:
    return spark.range(2).select(F.udf(lambda: 7, "long")(), F.udf(lambda: 8, "long", useArrow=False)())


@case
def filters_first(spark: Any) -> Any:
    inverse = F.udf(lambda x: 1 / x, "double")
    return spark.range(3).filter((inverse("id") > 0) & (F.col("id") > 0))


@case
def filters_above(spark: Any) -> Any:
    return spark.range(3).withColumn("a", F.udf(lambda x: 1 / x, "double")("id")).filter("id > 0")


@case
def unused_is_not_called(spark: Any) -> Any:
    return spark.range(3).withColumn("a", F.udf(lambda x: 1 // 0, "long")("id")).select("id")


@case
def counted_is_not_called(spark: Any) -> Any:
    return spark.range(3).withColumn("a", F.udf(lambda x: 1 // 0, "long")("id")).agg(F.count("*"))


@case
def limits_first(spark: Any) -> Any:
    return spark.range(0, 100, 1, 1).select(F.udf(lambda x: 10 // (50 - x), "long")("id").alias("x")).limit(3)


@case
def in_a_sort(spark: Any) -> Any:
    return spark.range(4).sort(F.udf(lambda x: -x, "long")("id"))


@case
def in_groups(spark: Any) -> Any:
    key = F.udf(lambda x: x % 3, "long")("id").alias("k")
    return spark.range(10).groupBy(key).agg(F.sum(plus_one()("id")), plus_one()(F.sum("id")))


@case
def in_joins(spark: Any) -> Any:
    follows = F.udf(lambda x, y: x == y + 1, "boolean")
    return spark.range(4).alias("a").join(spark.range(4).alias("b"), follows(F.col("a.id"), F.col("b.id")))


@case
def in_windows(spark: Any) -> Any:
    odd = F.udf(lambda x: x % 2, "long")("id")
    return spark.range(4).select("id", F.sum("id").over(Window.partitionBy(odd)).alias("s"))


@case
def exploded(spark: Any) -> Any:
    return spark.range(3).select("id", F.explode(F.udf(lambda x: list(range(x)), "array<int>")("id")))


@case
def chained_of_two_kinds(spark: Any) -> Any:
    pickled = F.udf(lambda x: x * 2, "long", useArrow=False)
    return spark.range(3).select(pickled(plus_one()("id")).alias("a"), plus_one()(pickled("id")).alias("b"))


@case
def chained_pickled_values_stay_python(spark: Any) -> Any:
    wrong = F.udf(lambda x: x + 0.5, "int", useArrow=False)
    return spark.range(2).select(F.udf(lambda x: str(x), useArrow=False)(wrong("id")).alias("s"))


@case
def not_deterministic(spark: Any) -> Any:
    chance = F.udf(lambda x: __import__("random").random(), "double").asNondeterministic()
    return spark.range(3).select(chance("id").alias("r")).select((F.col("r") - F.col("r")).alias("zero"))


@case
def vectorized(spark: Any) -> Any:
    def pandas_plus(x: pd.Series) -> pd.Series:
        return x + 1

    def arrow_plus(x: pa.Array) -> pa.Array:
        return pc.add(x, 1)

    return spark.range(3).select(F.pandas_udf(pandas_plus, "long")("id"), F.arrow_udf(arrow_plus, "long")("id"))


@case
def iterators(spark: Any) -> Any:
    def doubled(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for batch in batches:
            yield batch * 2

    def tripled(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for batch in batches:
            yield pc.multiply(batch, 3)

    frame = spark.range(25_000).select(
        "id", F.pandas_udf(doubled, "long")("id").alias("a"), F.arrow_udf(tripled, "long")("id").alias("b")
    )
    return frame.filter("id % 8000 = 1")


@case
def frames_as_structs(spark: Any) -> Any:
    def split(x: pd.Series) -> pd.DataFrame:
        return pd.DataFrame({"a": x, "b": x.astype(str)})

    return spark.range(3).select(F.pandas_udf(split, "a long, b string")("id").alias("q")).select("q.*")


@case
def an_exception(spark: Any) -> Any:
    def fail(x: int) -> int:
        raise ValueError("50% | of\nall = lost")

    return spark.range(2).select(F.udf(fail, "long")("id"))


@case
def an_argument_that_fails(spark: Any) -> Any:
    return spark.range(2).select(plus_one()(F.lit(1) / F.col("id")).alias("x"))


# ---- aggregates over windows


def valued(spark: Any) -> Any:
    rows = [
        (1, 1.0, "a"),
        (1, 2.0, "b"),
        (2, 3.0, "c"),
        (2, 5.0, "d"),
        (2, 10.0, None),
        (None, 4.0, "z"),
        (1, 2.0, "e"),
    ]
    return spark.createDataFrame([*rows, (1, 2.0, "e")], "id int, v double, s string")


def over_windows(spark: Any, *windows: Any) -> Any:
    text = F.pandas_udf(lambda values: ",".join(map(str, values)), "string", F.PandasUDFType.GROUPED_AGG)
    columns = [text(name).over(window).alias(f"w{at}") for at, (name, window) in enumerate(windows)]
    return valued(spark).select("*", *columns).orderBy("id", "v", "s")


@case
def over_whole_partitions(spark: Any) -> Any:
    ordered = Window.partitionBy("id").orderBy("v", "s")
    whole = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    return over_windows(spark, ("s", whole), ("v", ordered))


@case
def over_frames_of_rows(spark: Any) -> Any:
    down = Window.partitionBy("id").orderBy(F.desc("v"), "s")
    frames = [(-1, 1), (-2, -1), (0, Window.unboundedFollowing)]
    return over_windows(spark, *(("s", down.rowsBetween(*frame)) for frame in frames))


@case
def over_frames_of_values(spark: Any) -> Any:
    ordered = Window.partitionBy("id").orderBy("v")
    return over_windows(spark, ("v", ordered.rangeBetween(-1, 1)), ("v", ordered.rangeBetween(5, 8)))


@case
def over_all_rows(spark: Any) -> Any:
    return over_windows(spark, ("v", Window.orderBy("v", "s").rowsBetween(-1, 1)), ("v", Window.partitionBy()))


@case
def beside_windows_of_sparks(spark: Any) -> Any:
    mean, by = F.pandas_udf(lambda v: v.mean(), "double", F.PandasUDFType.GROUPED_AGG), Window.partitionBy("id")
    weighted = F.pandas_udf(lambda v, w: float((v * w).sum() / w.sum()), "double", F.PandasUDFType.GROUPED_AGG)
    last = weighted(w=F.col("v") + 1, v=F.col("v")).over(by.orderBy("v", "s").rowsBetween(-1, 0))
    own = [F.sum("v").over(by), mean("v").over(by), F.row_number().over(by.orderBy("v", "s")), last]
    columns = [each.alias(f"w{at}") for at, each in enumerate(own)]
    return valued(spark).select("*", *columns).filter("v >= w1").orderBy("id", "v", "s")


@case
def of_arrow_over_windows(spark: Any) -> Any:
    total = F.arrow_udf(lambda v: pc.sum(v).as_py(), "double", F.ArrowUDFType.GROUPED_AGG)
    by = Window.partitionBy("id")
    return valued(spark).select("*", total("v").over(by), total("v").over(by.orderBy("v", "s"))).orderBy("id", "v", "s")


@case
def an_exception_over_a_window(spark: Any) -> Any:
    fails = F.pandas_udf(lambda v: 1 // 0, "int", F.PandasUDFType.GROUPED_AGG)
    return valued(spark).select(fails("v").over(Window.partitionBy("id")).alias("x"))


# ---- functions under a name


@case
def registered(spark: Any) -> Any:
    spark.udf.register("myPlus", lambda x: x + 1, "long")
    spark.udf.register("arrow_plus", plus_one())
    return spark.sql("select MYPLUS(id), arrow_plus(x => id) y from range(3) where arrow_plus(id) > 1")


@case
def registered_in_groups(spark: Any) -> Any:
    spark.udf.register("arrow_plus", plus_one())
    return spark.sql("select arrow_plus(id % 2) k, sum(arrow_plus(id)) s from range(5) group by arrow_plus(id % 2)")


@case
def registered_twice_read(spark: Any) -> Any:
    spark.udf.register("arrow_plus", plus_one())
    return spark.sql("with t as (select arrow_plus(id) z from range(2)) select a.z, b.z from t a, t b")


@case
def registered_in_subqueries(spark: Any) -> Any:
    spark.udf.register("arrow_plus", plus_one())
    return spark.sql("select * from range(5) where id in (select arrow_plus(id) from range(2))")


@case
def called_by_name(spark: Any) -> Any:
    spark.udf.register("arrow_plus", plus_one())
    return spark.range(2).select(F.call_udf("ARROW_PLUS", "id"), F.call_function("arrow_plus", F.col("id")))


@case
def builtin_names_win(spark: Any) -> Any:
    spark.udf.register("arrow_plus", plus_one())
    return spark.sql("select upper('a'), session.arrow_plus(1)")


# ---- batches


@case
def mapped_in_pandas(spark: Any) -> Any:
    return spark.range(5).mapInPandas(lambda batches: (batch[batch.id > 2] for batch in batches), "id long")


@case
def mapped_in_arrow(spark: Any) -> Any:
    def texts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_arrays([batch.column(0), pc.cast(batch.column(0), pa.string())], ["id", "s"])

    return spark.range(3).mapInArrow(texts, "id long, s string").mapInPandas(lambda it: it, "id long, s string")


@case
def mapped_types(spark: Any) -> Any:
    schema = "a tinyint, b smallint, c int, d long, e float, f double, g decimal(4,3), h boolean, i date, j timestamp"
    more = "k timestamp_ntz, l binary, m array<int>, n struct<x:int,y:date>, o interval day, p string"
    return spark.sql(EVERY_TYPE).mapInArrow(lambda batches: batches, f"{schema}, {more}")


@case
def mapped_to_nothing(spark: Any) -> Any:
    return spark.range(3).mapInPandas(lambda batches: iter(()), "id long")


@case
def mapped_to_other_columns(spark: Any) -> Any:
    return spark.range(0, 3, 1, 1).mapInPandas(lambda batches: batches, "other long")


# ---- groups


@case
def groups_in_pandas(spark: Any) -> Any:
    schema = "id int, v double, s string"
    return people(spark).groupBy("id").applyInPandas(lambda group: group.assign(v=group.v - group.v.mean()), schema)


@case
def groups_with_keys(spark: Any) -> Any:
    by = people(spark).groupBy("id", F.ceil(F.col("v") / 2))
    return by.applyInPandas(lambda key, group: pd.DataFrame([(*key, group.v.sum())]), "id int, c long, v double")


@case
def groups_in_arrow(spark: Any) -> Any:
    return people(spark).groupBy("id").applyInArrow(lambda table: table.select(["id", "v"]), "id int, v double")


@case
def one_group(spark: Any) -> Any:
    return people(spark).groupBy().applyInPandas(lambda group: pd.DataFrame([[len(group)]]), "n long")


@case
def large_groups(spark: Any) -> Any:
    frame = spark.range(30_000).withColumn("k", F.col("id") % 2)
    return frame.groupBy("k").applyInPandas(
        lambda group: pd.DataFrame([[int(group.k[0]), len(group), int(group.id.sum())]]), "k long, n long, t long"
    )


@case
def two_groups(spark: Any) -> Any:
    other = spark.createDataFrame([(1, "p"), (3, "q"), (None, "z")], "id int, w string")
    return (
        people(spark)
        .groupBy("id")
        .cogroup(other.groupBy("id"))
        .applyInPandas(lambda key, a, b: pd.DataFrame([[str(key), len(a), len(b)]]), "k string, l long, r long")
    )


@case
def two_groups_in_arrow(spark: Any) -> Any:
    other = spark.createDataFrame([(1, "p"), (3, "q")], "id int, w string")
    return (
        people(spark)
        .groupBy("id")
        .cogroup(other.groupBy("id"))
        .applyInArrow(lambda a, b: pa.table({"l": [a.num_rows], "r": [b.num_rows]}), "l long, r long")
    )


def pandas_mean() -> Any:
    def mean(v: pd.Series) -> float:
        return float(v.mean())

    return F.pandas_udf(mean, "double")


@case
def aggregates(spark: Any) -> Any:
    mean = pandas_mean()
    return people(spark).groupBy("id").agg(mean("v"), mean(F.col("v") * 2), (mean("v") + 1).alias("q"))


@case
def aggregates_of_all(spark: Any) -> Any:
    return people(spark).agg(pandas_mean()("v"))


@case
def aggregates_of_nothing(spark: Any) -> Any:
    return people(spark).filter("v > 100").agg(pandas_mean()("v"))


@case
def aggregates_in_sql(spark: Any) -> Any:
    spark.udf.register("pandas_mean", pandas_mean())
    people(spark).createOrReplaceTempView("people_for_means")
    return spark.sql("select id, pandas_mean(v) from people_for_means group by id having pandas_mean(v) > 2")


@case
def groups_by_doubles(spark: Any) -> Any:
    values = "(1.0D, 1.0D), (double('NaN'), 3.0D), (double('NaN'), 4.0D), (0.0D, 5.0D), (-0.0D, 6.0D), (null, 7.0D)"
    return spark.sql(f"select * from values {values} t(k, v)").coalesce(1).groupBy("k").agg(pandas_mean()("v"))


@case
def aggregates_of_chance(spark: Any) -> Any:
    return spark.range(2).agg(F.sum(F.udf(lambda x: 1, "int").asNondeterministic()("id")))


# ---- tables


def squares() -> Any:
    class Squares:
        def eval(self, start: int, end: int) -> Iterator[tuple[int, int]]:
            for number in range(start, end + 1):
                yield number, number * number

    return F.udtf(Squares, returnType="num: int, squared: int")


@case
def table_of_values(spark: Any) -> Any:
    return squares()(F.lit(1), F.lit(3))


@case
def table_by_names(spark: Any) -> Any:
    return squares()(end=F.lit(3), start=F.lit(1)).filter("num > 1")


@case
def table_in_sql(spark: Any) -> Any:
    spark.udtf.register("squares", squares())
    return spark.sql("select t.n + 1 from squares(1, end => 3) t(n, q) where q > 1")


@case
def table_that_terminates(spark: Any) -> Any:
    class Last:
        def eval(self, x: int) -> Iterator[tuple[int, str] | None]:
            yield x, str(x)
            yield None

        def terminate(self) -> Iterator[tuple[int, str]]:
            yield -1, "end"

    return F.udtf(Last, returnType="a int, b string")(F.lit(5))


@case
def table_without_arguments(spark: Any) -> Any:
    class One:
        def eval(self) -> Iterator[tuple[int]]:
            yield (1,)

    return F.udtf(One, returnType="a int")()


@case
def table_that_fails(spark: Any) -> Any:
    return squares()(F.lit("x"))


@case
def under_a_name_over_a_window(spark: Any) -> Any:
    total = F.pandas_udf(lambda v: float(v.sum()), "double", F.PandasUDFType.GROUPED_AGG)
    spark.udf.register("running_total", total)
    valued(spark).createOrReplaceTempView("valued_rows")
    window = "partition by id order by v, s rows between 1 preceding and current row"
    return spark.sql(f"select id, v, running_total(v) over ({window}) as t from valued_rows order by id, v, s")
