"""Python functions of times of day, and of intervals inside other types."""

from typing import Any

import pandas as pd
import pyarrow as pa
from function_cases import CASES, Case, case
from pyspark.sql import functions as F

NESTED = {
    "struct<d: interval day to second>": "named_struct('d', interval 2 days 3 hours)",
    "array<interval day to second>": "array(interval 1 second, null)",
    "map<string, interval day to second>": "map('k', interval 5 minutes)",
}


def returned(kind: str, value: str) -> Case:
    def make(spark: Any) -> Any:
        same = F.udf(lambda v: v, kind, useArrow=True)
        return spark.sql(f"select {value} as v").select(same("v").alias("r"))

    return make


for kind, value in NESTED.items():
    CASES[f"arrow_of_{kind}"] = returned(kind, value)


def times(spark: Any) -> Any:
    spark.conf.set("spark.sql.timeType.enabled", "true")
    rows = "values (time'01:02:03.123456', 1), (null, 2), (time'23:59:59.999999', 3), (time'00:00:00', 4) v(t, id)"
    return spark.sql(f"select * from {rows}").coalesce(1)


@case
def times_to_texts(spark: Any) -> Any:
    return times(spark).select(F.udf(lambda t: str(t), "string", useArrow=True)("t").alias("r"))


@case
def times_in_arrays(spark: Any) -> Any:
    return times(spark).select(F.udf(lambda t: [t], "array<time>", useArrow=True)("t").alias("r"))


@case
def times_by_pandas(spark: Any) -> Any:
    @F.pandas_udf("time")
    def same(t: pd.Series) -> pd.Series:
        return t

    return times(spark).select(same("t").alias("r"))


@case
def times_by_arrow(spark: Any) -> Any:
    @F.arrow_udf("time")
    def same(t: pa.Array) -> pa.Array:
        return t

    return times(spark).select(same("t").alias("r"))


@case
def times_as_keys_of_groups(spark: Any) -> Any:
    return times(spark).groupBy("t").applyInPandas(lambda rows: rows, "t time, id int")
