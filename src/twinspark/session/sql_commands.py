"""SQL statements whose effect lives in the session: temporary views and settings; other commands are Spark's."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.sql import parse_statement, tree
from twinspark.read.text import parser_config
from twinspark.session.choose import ENGINE_KEY, check_engine
from twinspark.session.config import is_redacted, warning_of
from twinspark.session.frames import SQL_RESULT
from twinspark.session.text_views import TextView
from twinspark.spark.wire import bytes_field

if TYPE_CHECKING:
    from twinspark.session.session import Session

Answer = tuple[bytes, ...]
Command = Callable[[], Answer]
SETTING = pa.schema([pa.field("key", pa.string(), False), pa.field("value", pa.string(), False)])
NO_ROWS = pa.schema([])
UNDEFINED = "<undefined>"


def session_statement(text: str, context: Context, session: "Session") -> Command:
    """What is left to do for a statement that is no query; NotNative for all that is more than the session's."""
    statement = parse_statement(text, parser_config(context))
    handler = HANDLERS.get(type(statement))
    if handler is None:
        raise NotNative(f"SQL: {type(statement).__name__}")
    return handler(statement, text, context, session)


def create_view(statement: Any, text: str, context: Context, session: "Session") -> Command:
    decorated = statement.columns or statement.comment or statement.properties or statement.collation
    if not statement.temporary or decorated or statement.binding or statement.if_not_exists:
        raise NotNative("SQL: CREATE VIEW that is more than a name for a query")
    name, is_global = view_of(statement.name, statement.is_global)
    view = TextView.made(statement.query, text, context, name, is_global)

    def create() -> Answer:
        session.views.keep(name, is_global, statement.replace, view)
        return result(NO_ROWS)

    return create


def drop_view(statement: Any, text: str, context: Context, session: "Session") -> Command:
    name, is_global = view_of(statement.name, False)
    if not session.views.has(name, is_global) or session.views.is_on_spark(name, is_global):
        raise NotNative("SQL: DROP of something that is no view of ours")

    def drop() -> Answer:
        session.views.drop(name, is_global)
        return result(NO_ROWS)

    return drop


def view_of(name: Any, is_global: bool) -> tuple[str, bool]:
    """A temporary view has a name of one part; a global one may be called by its database too."""
    if not isinstance(name, tree.Name):
        raise NotNative("SQL: a view whose name is computed")
    if len(name.parts) == 2 and name.parts[0].lower() == "global_temp":
        return name.parts[1], True
    if len(name.parts) != 1:
        raise NotNative("SQL: a view with a qualified name")
    return name.parts[0], is_global


def set_configuration(statement: Any, text: str, context: Context, session: "Session") -> Command:
    key, value = statement.key, statement.value
    if key is None or key == "-v" or warning_of(key) or is_redacted(key, value or ""):
        raise NotNative("SQL: SET without a key, or of a key with a story")
    if value is None:
        return lambda: result(SETTING, key, session.config.get_option(key) or UNDEFINED)
    return lambda: assign(session, key, value)


def set_time_zone(statement: Any, text: str, context: Context, session: "Session") -> Command:
    if statement.zone is None:
        raise NotNative("SQL: SET TIME ZONE LOCAL")
    return lambda: assign(session, "spark.sql.session.timeZone", statement.zone)


def assign(session: "Session", key: str, value: str) -> Answer:
    if key == ENGINE_KEY:
        check_engine(value)
    session.config.set(key, value)
    return result(SETTING, key, value)


def reset_configuration(statement: Any, text: str, context: Context, session: "Session") -> Command:
    if statement.key is None:
        raise NotNative("SQL: RESET of everything")

    def reset() -> Answer:
        session.config.reset(statement.key)
        return result(NO_ROWS)

    return reset


def result(schema: pa.Schema, *values: str) -> Answer:
    """What spark.sql answers for a command: a local relation with the command's rows."""
    rows = [dict(zip(schema.names, values, strict=True))] if values else []
    table = pa.Table.from_pylist(rows, schema=schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(table)
    answer = base_pb2.ExecutePlanResponse.SqlCommandResult()
    answer.relation.local_relation.data = sink.getvalue().to_pybytes()
    return (bytes_field(SQL_RESULT, answer.SerializeToString()),)


HANDLERS: dict[type, Callable[[Any, str, Context, "Session"], Command]] = {
    tree.CreateView: create_view,
    tree.DropView: drop_view,
    tree.DropTable: drop_view,
    tree.SetConfiguration: set_configuration,
    tree.SetTimeZone: set_time_zone,
    tree.ResetConfiguration: reset_configuration,
}
