"""twinspark: a Spark Connect server that runs plans on embedded DuckDB or on real Spark."""

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


def session(engine: str = "auto", new: bool = False, **options: Any) -> Any:
    """A PySpark SparkSession on a server inside this process; options are those of `twinspark serve`.

    The same options give the same session, with its temporary views, until it is stopped; `new=True` gives another one.
    """
    # Imported here, since `import twinspark.errors` must not import gRPC and PySpark.
    from twinspark.client_package import without_client_checks
    from twinspark.installed import check_pyspark

    check_pyspark()
    without_client_checks()
    from twinspark.doors.connect.embedded import open_session

    return open_session(new=new, engine=engine, **options)


def execute_plan(data: Any, schema: Any, plan: Any, session: Any = None) -> Any:
    """The DataFrame that a JSON plan computes from `data`; without a session, on the active one or else on an embedded
    one."""
    from twinspark import plans_json

    return plans_json.execute_plan(data, schema, plan, session or plans_json.active_session() or open_session())


open_session = session


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext twinspark` in a notebook: adds `%sql` and `%%sql`."""
    from twinspark.client_package import without_client_checks
    from twinspark.installed import check_pyspark

    check_pyspark()
    without_client_checks()
    from twinspark.cli.notebook.magic import SqlMagics

    shell.register_magics(SqlMagics)


def __getattr__(name: str) -> Any:
    if name not in JSON_PLANS:
        raise AttributeError(f"module 'twinspark' has no attribute {name!r}")
    from twinspark import plans_json

    return getattr(plans_json, name)
