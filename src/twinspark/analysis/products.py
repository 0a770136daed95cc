"""Where users forbid joins that no condition holds together, only Spark's optimizer knows which those are."""

from __future__ import annotations

from collections.abc import Mapping

from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import PythonCall, Subquery
from twinspark.plan.relations import Join, Relation, own_expressions
from twinspark.plan.rewrite import walk

ALLOWED = "spark.sql.crossJoin.enabled"
PRODUCTS = {"inner": "INNER", "left": "LEFT OUTER", "right": "RIGHT OUTER", "full": "FULL OUTER"}


def check_products(plan: Relation, config: Mapping[str, str]) -> None:
    if config.get(ALLOWED, "true").lower() != "true" and may_be_product(plan):
        raise NotNative(f"{ALLOWED} = false", nearest=refusal(plan))


def may_be_product(plan: Relation) -> bool:
    """A query inside an expression may become a join too."""
    queries = (node for each in own_expressions(plan) for node in walk(each) if isinstance(node, Subquery))
    joined = isinstance(plan, Join) and not is_cross(plan)
    return joined or any(queries) or any(map(may_be_product, plan.inputs))


def is_cross(plan: Join) -> bool:
    """Those that say what they are are not forbidden (CheckCartesianProducts)."""
    return plan.kind == "cross" and plan.condition is None and not plan.lateral


def refusal(plan: Relation) -> SparkError | None:
    """Of a join without a condition, or whose condition is Python's; Spark draws the two sides."""
    if isinstance(plan, Join) and is_product(plan):
        left, right = type(plan.left).__name__, type(plan.right).__name__
        return SparkError("_LEGACY_ERROR_TEMP_1211", joinType=PRODUCTS[plan.kind], leftPlan=left, rightPlan=right)
    return next((found for found in map(refusal, plan.inputs) if found is not None), None)


def is_product(plan: Join) -> bool:
    is_free = plan.condition is None or isinstance(plan.condition, PythonCall)
    return plan.kind in PRODUCTS and not plan.lateral and is_free
