"""SQL with parameters that are arrays, maps and structs of constants."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

NUMBERS = F.array(F.lit(1), F.lit(3))
NAMED: list[tuple[str, dict[str, Any]]] = [
    ("select element_at(:m, 'a'), :m", {"m": F.create_map(F.lit("a"), F.lit(1), F.lit("b"), F.lit(2))}),
    ("select array_contains(:a, 2), :a, size(:a)", {"a": NUMBERS}),
    ("select :s, :s.x", {"s": F.struct(F.lit(1).alias("x"), F.lit("q").alias("y"))}),
    ("select explode(:a) as e", {"a": NUMBERS}),
    ("select :a", {"a": F.array()}),
    ("select :a", {"a": F.array(F.lit(dt.date(2020, 1, 1)))}),
    ("select :a", {"a": F.array(F.array(F.lit(1.5)), F.array(F.lit(2.5)))}),
    ("select * from range(5) where array_contains(:ids, id) order by id", {"ids": NUMBERS}),
    ("select :a + :b", {"a": 1, "b": 2}),
    ("select transform(:a, x -> x + 1)", {"a": NUMBERS}),
]
PLACED: list[tuple[str, list[Any]]] = [
    ("select ?, size(?)", [F.array(F.lit("x'y")), F.create_map(F.lit(1), F.lit(2))]),
    ("select ?[0]", [NUMBERS]),
]


def parameter_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for number, (text, arguments) in enumerate([*NAMED, *PLACED]):
        yield f"parameters, {number}: {text}", spark.sql(text, arguments)
