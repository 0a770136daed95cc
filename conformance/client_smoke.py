"""What any PySpark Connect client does on its first day, as JSON: run by the client's own interpreter, 3.5 to 4.3.

usage: client_smoke.py sc://host:port FOLDER
Each step gives a value or the class and condition of its error; the same steps on real Spark are the measure.
"""

import decimal
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType, IntegerType, MapType, StringType, StructField, StructType

warnings.simplefilter("ignore")
STEPS: dict[str, Callable[[Any, str], Any]] = {}
PEOPLE = [("Ann", 31, "Oslo", 10.5), ("Bob", None, "Rome", 7.25), ("Cid", 44, "Oslo", None), ("Dee", 28, "Bern", 3.0)]
SCHEMA = "name string, age int, city string, pay double"


def step(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    STEPS[function.__name__] = function
    return function


def people(spark: Any) -> Any:
    return spark.createDataFrame(PEOPLE, SCHEMA)


def rows(frame: Any) -> list[list[Any]]:
    return [[plain(value) for value in row] for row in frame.collect()]


def plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.asDict(recursive=True)
    return value if isinstance(value, int | float | str | None | list | dict) else repr(value)


@step
def version(spark: Any, folder: str) -> Any:
    return spark.version


@step
def literals(spark: Any, folder: str) -> Any:
    return rows(spark.sql("select 1, 1.5, 'x', date'2024-02-29', timestamp'2024-03-31 02:30:00', null, array(1, 2)"))


@step
def schema(spark: Any, folder: str) -> Any:
    return people(spark).withColumn("twice", F.col("pay") * 2).schema.jsonValue()


@step
def filters(spark: Any, folder: str) -> Any:
    return rows(people(spark).where("age > 30 and city like 'O%'").select("name", F.upper("city").alias("c")))


@step
def groups(spark: Any, folder: str) -> Any:
    return rows(people(spark).groupBy("city").agg(F.sum("pay"), F.count("*").alias("n")).orderBy("city"))


@step
def joins(spark: Any, folder: str) -> Any:
    cities = spark.createDataFrame([("Oslo", "NO"), ("Rome", "IT")], "city string, country string")
    return rows(people(spark).join(cities, "city", "left").orderBy("name"))


@step
def windows(spark: Any, folder: str) -> Any:
    by_city = Window.partitionBy("city").orderBy(F.desc("pay"))
    return rows(people(spark).withColumn("place", F.row_number().over(by_city)).orderBy("name").select("name", "place"))


@step
def nested(spark: Any, folder: str) -> Any:
    fields = StructType([StructField("m", MapType(StringType(), IntegerType())), StructField("d", DecimalType(10, 2))])
    frame = spark.createDataFrame([({"a": 1}, decimal.Decimal("1.50"))], fields)
    return rows(frame.select("m", "d", F.struct("d").alias("s"), F.transform(F.array(F.lit(1)), lambda x: x + 1)))


@step
def dates(spark: Any, folder: str) -> Any:
    frame = spark.sql("select timestamp'2024-10-27 01:30:00' t, date'2024-01-31' d")
    return rows(frame.select(F.date_trunc("hour", "t"), F.add_months("d", 1), F.date_format("t", "yyyy-MM-dd HH:mm")))


@step
def views(spark: Any, folder: str) -> Any:
    people(spark).createOrReplaceTempView("people")
    return rows(spark.sql("select city, avg(age) a from people group by city having count(*) > 1"))


@step
def settings(spark: Any, folder: str) -> Any:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Oslo")
    found = rows(spark.sql("select cast(timestamp'2024-07-01 12:00:00' as string), current_timezone()"))
    spark.conf.unset("spark.sql.session.timeZone")
    return [found, spark.conf.get("spark.sql.ansi.enabled")]


@step
def pandas_frames(spark: Any, folder: str) -> Any:
    frame = spark.createDataFrame(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})).toPandas()
    return [list(frame.columns), frame.values.tolist()]


@step
def show(spark: Any, folder: str) -> Any:
    frame = people(spark)
    return frame._show_string(2, 20, False) if hasattr(frame, "_show_string") else rows(frame)


@step
def files(spark: Any, folder: str) -> Any:
    path = str(Path(folder) / "people.parquet")
    people(spark).write.mode("overwrite").parquet(path)
    return rows(spark.read.parquet(path).orderBy("name"))


@step
def many_rows(spark: Any, folder: str) -> Any:
    frame = spark.range(300_000).select((F.col("id") % 7).alias("k"), "id").toPandas()
    return [len(frame), int(frame["id"].sum()), int(frame["k"].max())]


@step
def a_typo(spark: Any, folder: str) -> Any:
    return rows(people(spark).select("nmae"))


@step
def a_syntax_error(spark: Any, folder: str) -> Any:
    return rows(spark.sql("selct 1"))


@step
def a_missing_table(spark: Any, folder: str) -> Any:
    return rows(spark.sql("select * from nowhere"))


@step
def a_division_by_zero(spark: Any, folder: str) -> Any:
    return rows(spark.sql("select 1 div x from values (0) as t(x)"))


def first_line(error: PySparkException) -> str:
    """What went wrong; the plan that Spark may draw after a semicolon is Spark's own."""
    return str(error).strip().splitlines()[0].rstrip(";")


def answer(name: str, spark: Any, folder: str) -> Any:
    """A step called `a_…` has to fail, as Spark fails; what other steps raise is no answer, and ends the run."""
    if not name.startswith("a_"):
        return STEPS[name](spark, folder)
    try:
        STEPS[name](spark, folder)
    except PySparkException as error:
        return {"error": type(error).__name__, "text": first_line(error)}
    raise AssertionError(f"{name} did not fail")


def main() -> None:
    remote, folder = sys.argv[1:]
    spark = SparkSession.builder.remote(remote).getOrCreate()
    answers = {name: answer(name, spark, folder) for name in STEPS}
    spark.stop()
    print(json.dumps(answers, ensure_ascii=False, default=repr))


if __name__ == "__main__":
    main()
