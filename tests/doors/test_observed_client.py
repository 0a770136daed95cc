"""Observed metrics and plans shaped by data, through an unchanged PySpark client on the embedded engine."""

from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import UnsupportedOperationException
from pyspark.sql import Observation
from pyspark.sql import functions as F


def test_metrics_are_told_when_the_rows_have_passed(duck: Any) -> None:
    frame = duck.createDataFrame([(2, "Alice"), (5, "Bob")], ["age", "name"])
    observed = Observation("people")
    total = F.sum("age").cast("decimal(10,2)").alias("total")
    watched = frame.observe(observed, F.count(F.lit(1)).alias("rows"), F.max("name"), F.avg("age"), total)
    assert watched.filter("age > 2").count() == 1
    assert observed.get == {"rows": 2, "max(name)": "Bob", "avg(age)": 3.5, "total": Decimal("7.00")}


def test_rows_that_may_stay_unasked_are_observed_by_spark(duck: Any) -> None:
    watched = duck.range(10).observe(Observation("some"), F.count(F.lit(1)))
    with pytest.raises(UnsupportedOperationException, match="may not read all of them"):
        watched.limit(1).collect()


def test_rows_are_observed_while_they_are_written(duck: Any, tmp_path: Any) -> None:
    """The rows of an insert may come from the table itself: they are looked at before."""
    watched = Observation("files")
    counted = F.count(F.lit(1)).alias("rows")
    duck.range(50).observe(watched, counted).write.parquet(str(tmp_path / "out"))
    assert watched.get == {"rows": 50}
    duck.range(3).writeTo("observed_rows").create()
    again = Observation("table")
    duck.table("observed_rows").observe(again, counted, F.sum("id").alias("sum")).writeTo("observed_rows").append()
    assert again.get == {"rows": 3, "sum": 3}
    assert duck.table("observed_rows").count() == 6
    duck.sql("DROP TABLE observed_rows")


def test_pivot_and_transpose_look_their_values_up(duck: Any) -> None:
    frame = duck.createDataFrame([(1, "a", 10), (2, "b", 20)], "id int, s string, v int")
    assert frame.groupBy("id").pivot("s").sum("v").columns == ["id", "a", "b"]
    assert [tuple(row) for row in frame.select("s", "id", "v").transpose().collect()] == [("id", 1, 2), ("v", 10, 20)]


def test_frames_that_differ_in_names_mean_the_same(duck: Any) -> None:
    one, other = duck.range(10), duck.range(10)
    assert one.withColumn("a", one.id * 2).sameSemantics(other.withColumn("b", other.id * 2))
    assert not one.withColumn("a", one.id * 2).sameSemantics(other.withColumn("a", other.id * 3))
