"""Python functions in the conditions of joins: of one side's columns, of each side's, and of both sides' at once."""

from typing import Any

from function_cases import CASES, Case
from pyspark.sql import functions as F

KINDS = ("inner", "left", "right", "full", "left_semi", "left_anti")


def joined(kind: str, condition: str) -> Case:
    def make(spark: Any) -> Any:
        left = spark.createDataFrame([(1, "a"), (2, "b"), (3, None)], "a int, s string")
        right = spark.createDataFrame([(1, "x"), (2, "y"), (9, "z")], "b int, t string")
        same, equal = F.udf(lambda x: x, "int"), F.udf(lambda x, y: x == y, "boolean")
        conditions = {
            "one_side": same("a") == F.col("b"),
            "each_side": (same("a") == same("b")) & (same(same("a")) > 1),
            "both_sides": equal("a", "b"),
        }
        return left.join(right, conditions[condition], kind)

    return make


for kind in KINDS:
    for condition in ("one_side", "each_side", "both_sides"):
        CASES[f"{kind}_join_by_functions_of_{condition}"] = joined(kind, condition)
