"""After a change that happened on Spark: what the session's other half must now know or hide."""

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import NotNative
from twinspark.session.effects import sql_text, uncommented
from twinspark.session.python_functions import register_function, register_table_function
from twinspark.session.views import Views, view_named

if TYPE_CHECKING:
    from twinspark.session.session import Session

NAME = r"((?:`(?:[^`]|``)+`|[^\s(`.,]+)(?:\.(?:`(?:[^`]|``)+`|[^\s(`.,]+))*)"
CREATE_VIEW = re.compile(
    rf"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(GLOBAL\s+)?TEMP(?:ORARY)?\s+(?:VIEW|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?{NAME}",
    re.I,
)
DROP_FUNCTION = re.compile(rf"\s*DROP\s+(?:TEMP(?:ORARY)?\s+)?FUNCTION\s+(?:IF\s+EXISTS\s+)?{NAME}", re.I)
DROP_VIEW = re.compile(rf"\s*DROP\s+(?:VIEW|TABLE)\s+(?:IF\s+EXISTS\s+)?{NAME}", re.I)
ALTER_VIEW = re.compile(rf"\s*ALTER\s+VIEW\s+{NAME}(?:\s+RENAME\s+TO\s+{NAME})?", re.I)
MAKES_FUNCTION = re.compile(
    rf"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?FUNCTION\s+(?:IF\s+NOT\s+EXISTS\s+)?{NAME}", re.I
)
DECLARES = re.compile(rf"\s*DECLARE\s+(?:OR\s+REPLACE\s+)?(?:VAR(?:IABLE)?\s+)?({NAME}(?:\s*,\s*{NAME})*)", re.I)
SETS_VARIABLES = re.compile(r"\s*(?:SET\s+VAR(?:IABLE)?\b|EXECUTE\s+IMMEDIATE\b|BEGIN\b)", re.I)
CHANGES_CONFIG = re.compile(r"\s*(?:SET|RESET)\b", re.I)
REGISTRATIONS = {"register_function": register_function, "register_table_function": register_table_function}
CHANGES_NAMESPACE = re.compile(r"\s*(?:USE|SET\s+CATALOG)\b", re.I)


def take_over(session: "Session", plan: Any) -> None:
    """Views made on Spark hide ours of the same name; settings and the current catalog are taken over."""
    if plan.WhichOneof("op_type") == "command":
        kind = plan.command.WhichOneof("command_type")
        if kind == "create_dataframe_view":
            view = plan.command.create_dataframe_view
            session.views.made_on_spark(view_named(view.name), view.is_global)
        elif kind in REGISTRATIONS:
            take_over_function(session, kind, getattr(plan.command, kind))
        elif kind == "sql_command":
            take_over_sql(session, uncommented(sql_text(plan.command.sql_command)))
    elif plan.root.WhichOneof("rel_type") == "catalog":
        take_over_catalog(session, plan.root.catalog)


def take_over_function(session: "Session", kind: str, message: Any) -> None:
    """A Python function that was registered on Spark is ours as well, or hides the one we had."""
    try:
        REGISTRATIONS[kind](message, session)()
    except NotNative:
        session.functions.made_on_spark(message.function_name)


def take_over_sql(session: "Session", text: str) -> None:
    if found := CREATE_VIEW.match(text):
        session.views.made_on_spark(*view_name(found[2], is_global=bool(found[1])))
    elif found := DROP_FUNCTION.match(text):
        session.functions.drop(view_name(found[1])[0])
    elif found := DROP_VIEW.match(text):
        session.views.drop(*view_name(found[1]))
    elif found := ALTER_VIEW.match(text):
        for name in filter(None, found.groups()):
            session.views.made_on_spark(*view_name(name))
    if CHANGES_CONFIG.match(text):
        session.config.adopt(spark_config(session))
    if CHANGES_NAMESPACE.match(text):
        session.catalog, session.database = current_namespace(session)


def note_spark_side(session: "Session", plan: Any) -> None:
    """Functions and variables that a statement on Spark may have made or changed are Spark's from now on."""
    if plan.WhichOneof("op_type") != "command" or plan.command.WhichOneof("command_type") != "sql_command":
        return
    text = uncommented(sql_text(plan.command.sql_command))
    if found := MAKES_FUNCTION.match(text):
        session.functions.made_on_spark(view_name(found[1])[0])
    if found := DROP_FUNCTION.match(text):
        session.functions.dropped_on_spark(view_name(found[1])[0])
    if found := DECLARES.match(text):
        for name in re.split(r"\s*,\s*", found[1]):
            session.variables.made_on_spark(view_name(name)[0])
    if SETS_VARIABLES.match(text):
        session.variables.all_on_spark()


def drops_view(plan: Any, views: Views) -> str | None:
    """DROP TABLE of a temporary view drops the view; of a table it is no business of the session's."""
    if plan.WhichOneof("op_type") != "command" or plan.command.WhichOneof("command_type") != "sql_command":
        return None
    found = DROP_VIEW.match(uncommented(sql_text(plan.command.sql_command)))
    return f"DROP of view {found[1]}" if found and views.has(*view_name(found[1])) else None


def take_over_catalog(session: "Session", catalog: Any) -> None:
    kind = catalog.WhichOneof("cat_type")
    if kind in ("drop_temp_view", "drop_global_temp_view"):
        session.views.drop(getattr(catalog, kind).view_name, kind == "drop_global_temp_view")
    else:
        session.catalog, session.database = current_namespace(session)


def view_name(written: str, is_global: bool = False) -> tuple[str, bool]:
    parts = [part.strip("`").replace("``", "`") for part in re.findall(r"`(?:[^`]|``)+`|[^.`]+", written)]
    return parts[-1], is_global or (len(parts) == 2 and parts[0].lower() == "global_temp")


def spark_config(session: "Session") -> dict[str, str]:
    request = base_pb2.ConfigRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    request.operation.get_all.SetInParent()
    answer = base_pb2.ConfigResponse.FromString(session.spark.unary("Config", request.SerializeToString()))
    return {pair.key: pair.value for pair in answer.pairs}


def current_namespace(session: "Session") -> tuple[str, str]:
    return catalog_answer(session, "current_catalog"), catalog_answer(session, "current_database")


def catalog_answer(session: "Session", kind: str) -> str:
    request = base_pb2.ExecutePlanRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    getattr(request.plan.root.catalog, kind).SetInParent()
    for data in session.spark.stream("ExecutePlan", request.SerializeToString()):
        response = base_pb2.ExecutePlanResponse.FromString(data)
        if response.HasField("arrow_batch"):
            return str(pa.ipc.open_stream(response.arrow_batch.data).read_all().column(0)[0].as_py())
    raise AssertionError(f"Spark gave no rows for {kind}")
