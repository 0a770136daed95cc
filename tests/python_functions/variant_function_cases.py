"""Python functions of variants, alone and inside other types, in every kind of function that takes rows."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from function_cases import CASES, Case, case
from pyspark.sql import functions as F
from pyspark.sql.types import VariantVal

NESTED = ("named_struct('v', v) as s", "array(v) as a", "map('k', v) as m")


def variants(spark: Any) -> Any:
    rows = """values ('{"a": 1}', 1), ('[1, "x", null]', 2), (null, 3), ('1.5', 4) t(v, id)"""
    return spark.sql(f"select parse_json(v) as v, id from {rows}").coalesce(1)


def taken(arrow: bool) -> Case:
    def make(spark: Any) -> Any:
        shown = F.udf(lambda v: None if v is None else v.toJson(), "string", useArrow=arrow)
        return variants(spark).select(shown("v").alias("r"))

    return make


def given(kind: str, value: Callable[[Any], Any], shown: str, arrow: bool) -> Case:
    def make(spark: Any) -> Any:
        made = F.udf(value, kind, useArrow=arrow)
        return variants(spark).select(made("id").alias("r")).selectExpr(f"to_json({shown})")

    return make


for arrow in (True, False):
    way = "arrow" if arrow else "pickled"
    CASES[f"{way}_of_variants"] = taken(arrow)
    CASES[f"{way}_gives_variants"] = given("variant", lambda n: VariantVal.parseJson(f'{{"q": {n}}}'), "r", arrow)
    CASES[f"{way}_gives_arrays_of_variants"] = given(
        "array<variant>", lambda n: [VariantVal.parseJson(f"[{n}]")], "r[0]", arrow
    )
    CASES[f"{way}_gives_structs_of_variants"] = given(
        "struct<z: variant>", lambda n: (VariantVal.parseJson(f"[{n}]"),), "r.z", arrow
    )


@case
def arrow_of_nested_variants(spark: Any) -> Any:
    def shown(s: Any, a: Any, m: Any) -> str:
        return str([each and each.toJson() for each in (s.v, a[0], m["k"])])

    return variants(spark).selectExpr(*NESTED).select(F.udf(shown, "string", useArrow=True)("s", "a", "m").alias("r"))


@case
def pandas_of_variants(spark: Any) -> Any:
    @F.pandas_udf("variant")
    def same(v: pd.Series) -> pd.Series:
        return v

    return variants(spark).select(same("v").alias("r")).selectExpr("to_json(r)")


@case
def batches_of_variants(spark: Any) -> Any:
    return variants(spark).mapInArrow(lambda batches: batches, "v variant, id int").selectExpr("to_json(v)", "id")


@case
def groups_of_variants(spark: Any) -> Any:
    same = variants(spark).groupBy("id").applyInPandas(lambda rows: rows, "v variant, id int")
    return same.selectExpr("to_json(v)", "id")


@case
def variants_in_local_rows(spark: Any) -> Any:
    rows = [
        (
            [VariantVal.parseJson("[1]"), None],
            {"k": VariantVal.parseJson("true")},
            (VariantVal.parseJson('{"a": 2.5}'),),
        )
    ]
    frame = spark.createDataFrame(rows, "a array<variant>, m map<string,variant>, s struct<v:variant>")
    return frame.selectExpr(
        "to_json(a)", "to_json(m)", "to_json(s)", "variant_get(s.v, '$.a', 'double') v", "a[1] is null n"
    )


@case
def variants_of_rows_through_functions(spark: Any) -> Any:
    frame = spark.createDataFrame([(VariantVal.parseJson('{"a": 1}'), 1), (None, 2)], "v variant, i int")
    return frame.select(F.udf(lambda v: str(v))("v"), F.to_json(F.udf(lambda v: v, "variant")("v")))
