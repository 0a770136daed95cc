"""One Spark endpoint, two engines."""

from typing import Any

JSON_PLANS = (
    "DataError",
    "PlanError",
    "plan_of",
    "register_udf",
    "source_of",
    "supported_plan_operations",
    "validate_plan",
)


def session(engine: str = "auto", **options: Any) -> Any:
    """A PySpark SparkSession on a server inside this process; options are those of `twinspark serve`."""
    # Here and not above: `import twinspark.errors` must not bring gRPC and PySpark with it.
    from twinspark.doors.connect.embedded import open_session

    return open_session(engine=engine, **options)


def execute_plan(data: Any, schema: Any, plan: Any, session: Any = None) -> Any:
    """The DataFrame a JSON plan makes of `data`; without a session, on the active one, else on one of our own."""
    from twinspark import plans_json

    return plans_json.execute_plan(data, schema, plan, session or plans_json.active_session() or open_session())


open_session = session


def __getattr__(name: str) -> Any:
    if name not in JSON_PLANS:
        raise AttributeError(f"module 'twinspark' has no attribute {name!r}")
    from twinspark import plans_json

    return getattr(plans_json, name)
