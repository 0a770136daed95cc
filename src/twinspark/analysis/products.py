"""Where users forbid joins that no condition holds together, only Spark's optimizer knows which those are."""

from __future__ import annotations

from collections.abc import Mapping

from twinspark.errors import NotNative
from twinspark.plan.expressions import Subquery
from twinspark.plan.relations import Join, Relation, own_expressions
from twinspark.plan.rewrite import walk

ALLOWED = "spark.sql.crossJoin.enabled"


def check_products(plan: Relation, config: Mapping[str, str]) -> None:
    if config.get(ALLOWED, "true").lower() != "true" and may_be_product(plan):
        raise NotNative(f"{ALLOWED} = false")


def may_be_product(plan: Relation) -> bool:
    """A query inside an expression may become a join too."""
    queries = (node for each in own_expressions(plan) for node in walk(each) if isinstance(node, Subquery))
    return isinstance(plan, Join) or any(queries) or any(map(may_be_product, plan.inputs))
