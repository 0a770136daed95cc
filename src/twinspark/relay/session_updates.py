"""Updates a session after a statement on Spark changed its state: settings, views, functions, variables, namespace."""

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, catalog_pb2, expressions_pb2, relations_pb2

from twinspark.errors import NotNative
from twinspark.sessions.effects import Effect, SqlEffects
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.plan_effects import command_kind, is_catalog_call
from twinspark.sessions.python.functions import register_function, register_table_function
from twinspark.sessions.session import Session
from twinspark.sessions.views.temporary import Views, view_named

REGISTRATIONS: dict[str, Callable[..., Callable[[], object]]] = {
    "register_function": register_function,
    "register_table_function": register_table_function,
}


def take_over(session: Session, plan_request: PlanRequest) -> None:
    """Views created on Spark replace ours of the same name; settings and the current catalog are copied."""
    plan, kind = plan_request.plan, command_kind(plan_request.plan)
    if kind == "create_dataframe_view":
        view = plan.command.create_dataframe_view
        session.views.made_on_spark(view_named(view.name), view.is_global)
    elif kind in REGISTRATIONS:
        take_over_function(session, kind, getattr(plan.command, kind))
    elif kind == "sql_command":
        take_over_sql(session, plan_request.effects)
    elif is_catalog_call(plan):
        take_over_catalog(session, plan.root.catalog)


def take_over_function(
    session: Session,
    kind: str,
    message: expressions_pb2.CommonInlineUserDefinedFunction | relations_pb2.CommonInlineUserDefinedTableFunction,
) -> None:
    """A Python function registered on Spark is registered natively as well, or hides the native one."""
    try:
        REGISTRATIONS[kind](message, session.functions)()
    except NotNative:
        session.functions.made_on_spark(message.function_name)


def take_over_sql(session: Session, effects: SqlEffects) -> None:
    for each in effects.definitions:
        if each.kind == "VIEW" and (each.verb == "ALTER" or (each.verb == "CREATE" and each.is_temporary)):
            session.views.made_on_spark(*each.view)
        elif each.verb == "DROP" and each.kind == "FUNCTION":
            session.functions.drop(each.name[-1])
        elif each.verb == "DROP":
            session.views.drop(*each.view)
    if Effect.SETTINGS in effects.effect:
        session.config.adopt(spark_config(session))
    if Effect.NAMESPACE in effects.effect:
        session.current.catalog, session.current.database = current_namespace(session)


def note_spark_side(session: Session, plan_request: PlanRequest) -> None:
    """Functions and variables that a statement on Spark may have created or changed are used on Spark only from now
    on."""
    if command_kind(plan_request.plan) != "sql_command":
        return
    for each in plan_request.effects.defines("CREATE", "FUNCTION"):
        session.functions.made_on_spark(each.name[-1])
    for each in plan_request.effects.defines("DROP", "FUNCTION"):
        session.functions.dropped_on_spark(each.name[-1])
    for each in plan_request.effects.defines("CREATE", "VARIABLE"):
        session.variables.made_on_spark(each.name[-1])
    if Effect.VARIABLES in plan_request.effects.effect:
        session.variables.all_on_spark()


def drops_view(plan_request: PlanRequest, views: Views) -> str | None:
    """DROP TABLE of a temporary view drops the view; DROP TABLE of a table does not change the session."""
    if command_kind(plan_request.plan) != "sql_command":
        return None
    known = [each for each in plan_request.effects.defines("DROP", "VIEW", "TABLE") if views.has(*each.view)]
    return f"DROP of view {'.'.join(known[0].name)}" if known else None


def take_over_catalog(session: Session, catalog: catalog_pb2.Catalog) -> None:
    kind = catalog.WhichOneof("cat_type")
    if kind in ("drop_temp_view", "drop_global_temp_view"):
        session.views.drop(getattr(catalog, kind).view_name, kind == "drop_global_temp_view")
    else:
        session.current.catalog, session.current.database = current_namespace(session)


def spark_config(session: Session) -> dict[str, str]:
    request = base_pb2.ConfigRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    request.operation.get_all.SetInParent()
    answer = base_pb2.ConfigResponse.FromString(session.spark.unary("Config", request.SerializeToString()))
    return {pair.key: pair.value for pair in answer.pairs}


def current_namespace(session: Session) -> tuple[str, str]:
    return catalog_answer(session, "current_catalog"), catalog_answer(session, "current_database")


def catalog_answer(session: Session, kind: str) -> str:
    request = base_pb2.ExecutePlanRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    getattr(request.plan.root.catalog, kind).SetInParent()
    for data in session.spark.stream("ExecutePlan", request.SerializeToString()):
        response = base_pb2.ExecutePlanResponse.FromString(data)
        if response.HasField("arrow_batch"):
            return str(pa.ipc.open_stream(response.arrow_batch.data).read_all().column(0)[0].as_py())
    raise AssertionError(f"Spark gave no rows for {kind}")
