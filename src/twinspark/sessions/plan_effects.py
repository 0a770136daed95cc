"""Determines which requests change a session's state, so that the journal records them; reads and writes of data do
not."""

import re

from pyspark.sql.connect.proto import base_pb2

from twinspark.sessions.effects import Effect, text_of_plan
from twinspark.sessions.operation import PlanRequest

REGISTERING_COMMANDS = {
    "create_dataframe_view",
    "register_function",
    "register_table_function",
    "register_data_source",
}
CATALOG_CHANGES = {"set_current_database", "set_current_catalog", "drop_temp_view", "drop_global_temp_view"}
CATALOG_WRITES = re.compile("create_|drop_|recover_|truncate_")


def command_kind(plan: base_pb2.Plan) -> str | None:
    return str(plan.command.WhichOneof("command_type")) if plan.WhichOneof("op_type") == "command" else None


def is_catalog_call(plan: base_pb2.Plan) -> bool:
    return bool(plan.WhichOneof("op_type") == "root" and plan.root.WhichOneof("rel_type") == "catalog")


def change_of(plan_request: PlanRequest) -> str | None:
    """A short description of what the request changes in its session, or None."""
    kind = command_kind(plan_request.plan)
    if kind in REGISTERING_COMMANDS:
        return kind
    if kind == "sql_command" and Effect.SESSION in plan_request.effects.effect:
        return f"SQL {text_of_plan(plan_request.plan)[:80]!r}"
    if is_catalog_call(plan_request.plan):
        kind = plan_request.plan.root.catalog.WhichOneof("cat_type")
        return str(kind) if kind in CATALOG_CHANGES else None
    return None


def may_run_twice(plan_request: PlanRequest) -> bool:
    """Whether a plan whose Spark died may be sent to the next Spark: not if it may have written rows."""
    if command_kind(plan_request.plan) is not None:
        return Effect.READS in plan_request.effects.effect or change_of(plan_request) is not None
    if is_catalog_call(plan_request.plan):
        return not CATALOG_WRITES.match(plan_request.plan.root.catalog.WhichOneof("cat_type") or "")
    return plan_request.plan.root.WhichOneof("rel_type") != "sql" or Effect.READS in plan_request.effects.effect


def makes_global_view(plan_request: PlanRequest) -> bool:
    if command_kind(plan_request.plan) == "sql_command":
        return any(each.is_global for each in plan_request.effects.defines("CREATE", "VIEW"))
    return command_kind(plan_request.plan) is not None and bool(
        plan_request.plan.command.create_dataframe_view.is_global
    )


def runs_streams(plan_request: PlanRequest) -> bool:
    """Whether a plan starts a stream or a pipeline on Spark, which create tables of their own."""
    kind = command_kind(plan_request.plan)
    if kind == "pipeline_command":
        return bool(plan_request.plan.command.pipeline_command.WhichOneof("command_type") == "start_run")
    return kind == "write_stream_operation_start"


def makes_tables(plan_request: PlanRequest) -> bool:
    """Whether a plan that runs on Spark may create tables in Spark's own catalog."""
    kind = command_kind(plan_request.plan)
    if kind == "sql_command":
        return Effect.TABLES in plan_request.effects.effect
    if kind == "write_operation":
        return bool(plan_request.plan.command.write_operation.WhichOneof("save_type") == "table")
    if kind == "pipeline_command":
        return bool(plan_request.plan.command.pipeline_command.WhichOneof("command_type") == "start_run")
    return kind in ("write_operation_v2", "write_stream_operation_start")
