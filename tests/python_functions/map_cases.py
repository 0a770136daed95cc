"""Maps of pickled functions: they pass through a Java HashMap, whose order a function and a query can see."""

from typing import Any

from function_cases import case
from pyspark.sql import functions as F

LETTERS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau phi"
WORDS = LETTERS.split()


def shown() -> Any:
    return F.udf(lambda value: repr(value), useArrow=False)


@case
def maps_of_texts_as_arguments(spark: Any) -> Any:
    rows = [({word: place for place, word in enumerate(WORDS[:count])},) for count in (1, 2, 3, 6, 12, 13, 20)]
    return spark.createDataFrame(rows, "m map<string,int>").select(shown()("m"))


@case
def maps_of_many_types_as_arguments(spark: Any) -> Any:
    frame = spark.sql("""select map(1.5D, 1, 2.5D, 2, double('nan'), 3) d, map(1.5F, 1, 2.25F, 2) f,
        map(true, 1, false, 2) b, map(1Y, 1, -3Y, 2, 100Y, 3) t, map(9876543210L, 1, -5L, 2, 7L, 3) l,
        map(date'2020-01-02', 1, date'1960-05-06', 2) i,
        map(timestamp'2020-01-02 03:04:05', 1, timestamp'1960-01-01', 2) j,
        map('a', map(1, array(1), 20, null), 'b', null) n""")
    return frame.select(*(shown()(name) for name in frame.columns))


@case
def maps_of_decimals_as_arguments_of_one_entry(spark: Any) -> Any:
    return spark.sql("select map(1.50, 1) m").select(shown()("m"))


@case
def maps_of_texts_as_results(spark: Any) -> Any:
    counted = F.udf(lambda n: {word: place for place, word in enumerate(WORDS[:n])}, "map<string,int>", useArrow=False)
    return spark.range(20).select(F.to_json(counted("id")).alias("m"))


@case
def maps_of_numbers_as_results(spark: Any) -> Any:
    longs = F.udf(lambda n: {n * 3**k: k for k in range(1, 30)}, "map<bigint,int>", useArrow=False)
    doubles = F.udf(lambda n: {n + k / 7: k for k in range(9)}, "map<double,int>", useArrow=False)
    frame = spark.range(1, 4).select(longs("id").alias("l"), doubles("id").alias("d"))
    return frame.select(F.map_keys("l"), F.map_values("d"))


@case
def maps_of_maps_as_results(spark: Any) -> Any:
    nested = F.udf(
        lambda n: {"x": {"a": 1, "b": 2, "c": 3}, "yy": {}, "z": None}, "map<string,map<string,int>>", useArrow=False
    )
    return spark.range(1).select(F.to_json(nested("id")).alias("m"))


@case
def maps_of_a_registered_function(spark: Any) -> Any:
    spark.udf.register("louder", lambda m: {key.upper(): value + 1 for key, value in m.items()}, "map<string,int>")
    return spark.sql("select to_json(louder(map('alpha', 1, 'beta', 2, 'gamma', 3, 'delta', 4))) m")


@case
def maps_of_a_table_function(spark: Any) -> Any:
    @F.udtf(returnType="shown: string, m: map<string,int>", useArrow=False)
    class Table:
        def eval(self, m: Any) -> Any:
            yield repr(m), {key + "x": value for key, value in m.items()}

    return Table(F.create_map(*(F.lit(each) for each in ("one", 1, "two", 2, "three", 3))))
