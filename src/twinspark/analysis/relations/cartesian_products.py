"""The cartesian-product check (spark.sql.crossJoin.enabled=false): falls back where only Spark's optimizer can
decide."""

from __future__ import annotations

from collections.abc import Mapping

from twinspark.config.values import is_on
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import PythonCall, Subquery
from twinspark.plan.relations import Join, Relation, own_expressions
from twinspark.plan.rewrite import walk

ALLOWED = "spark.sql.crossJoin.enabled"
PRODUCTS = {"inner": "INNER", "left": "LEFT OUTER", "right": "RIGHT OUTER", "full": "FULL OUTER"}


def check_products(plan: Relation, config: Mapping[str, str]) -> None:
    if not is_on(config, ALLOWED) and may_be_product(plan):
        raise NotNative(
            reasons.ERROR_MESSAGE,
            f"{ALLOWED} = false and the query contains a cartesian product",
            likely_error=product_error(plan),
        )


def may_be_product(plan: Relation) -> bool:
    """Subqueries may become joins too."""
    queries = (node for each in own_expressions(plan) for node in walk(each) if isinstance(node, Subquery))
    joined = isinstance(plan, Join) and not is_cross(plan)
    return joined or any(queries) or any(map(may_be_product, plan.inputs))


def is_cross(plan: Join) -> bool:
    """Explicit cross joins are allowed (CheckCartesianProducts)."""
    return plan.kind == "cross" and plan.condition is None and not plan.lateral


def product_error(plan: Relation) -> SparkError | None:
    """The error for a join without a condition or with a Python one; its message shows the plans of both sides."""
    if isinstance(plan, Join) and is_product(plan):
        left, right = type(plan.left).__name__, type(plan.right).__name__
        return SparkError("_LEGACY_ERROR_TEMP_1211", joinType=PRODUCTS[plan.kind], leftPlan=left, rightPlan=right)
    return next((found for found in map(product_error, plan.inputs) if found is not None), None)


def is_product(plan: Join) -> bool:
    is_free = plan.condition is None or isinstance(plan.condition, PythonCall)
    return plan.kind in PRODUCTS and not plan.lateral and is_free
