"""JSON logical plans: a list of operations with expression trees, run over any data on any Spark session."""

from twinspark.plans_json.execute import execute_plan, supported_plan_operations, validate_plan
from twinspark.plans_json.problems import DataError, PlanError, Problem

__all__ = [
    "DataError",
    "PlanError",
    "Problem",
    "execute_plan",
    "supported_plan_operations",
    "validate_plan",
]
