"""JSON logical plans: a list of operations with expression trees, run over any data on any Spark session."""

from twinspark.plans_json.execute import active_session, execute_plan, supported_plan_operations, validate_plan
from twinspark.plans_json.problems import DataError, PlanError, Problem
from twinspark.plans_json.udf import register_udf
from twinspark.plans_json.write_expression import Unsayable
from twinspark.plans_json.write_plan import plan_of, source_of

__all__ = [
    "DataError",
    "PlanError",
    "Problem",
    "Unsayable",
    "active_session",
    "execute_plan",
    "plan_of",
    "register_udf",
    "source_of",
    "supported_plan_operations",
    "validate_plan",
]
