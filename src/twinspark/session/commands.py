"""Commands that the embedded engine carries out itself: SQL queries, temporary views, files written."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import base_pb2, commands_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.functions.time_parser import refuse_old_patterns
from twinspark.read.proto.subqueries import with_views
from twinspark.read.sql import parse_statement, tree
from twinspark.read.text import parser_config
from twinspark.session.effects import is_catalog_call, sql_text, uncommented
from twinspark.session.frames import SQL_RESULT
from twinspark.session.native import Cursor, Query
from twinspark.session.python_functions import register_function, register_table_function
from twinspark.session.python_sources import register_data_source, source_written, write_to_source
from twinspark.session.sql_cache import checkpoint, remove_checkpoint
from twinspark.session.table_commands import (
    TABLE_HANDLERS,
    extension,
    merge_into,
    session_statement,
    write_table,
    write_to,
)
from twinspark.session.views import Views, view_named
from twinspark.session.writes_statement import root_sql
from twinspark.session.writes_tasks import named_rows
from twinspark.spark.wire import bytes_field
from twinspark.tables.write import FileWrite, write_files

if TYPE_CHECKING:
    from twinspark.session.session import Session

# What can only be a query; WITH and FROM may also begin an INSERT, so they are looked at.
QUERY_WORDS = re.compile(r"\s*(?:SELECT\b|VALUES\b|TABLE\b|\()", re.IGNORECASE)
# What may write rows: it takes as long as it takes, in a thread of its own.
WRITING_WORDS = re.compile(
    r"\s*(?:CREATE|REPLACE|INSERT|UPDATE|DELETE|MERGE|TRUNCATE|ALTER|CALL|WITH|FROM|BEGIN)\b", re.IGNORECASE
)
WRITING_COMMANDS = ("write_operation", "write_operation_v2", "merge_into_table_command")
SAVE_MODES = {0: "error", 1: "append", 2: "overwrite", 3: "error", 4: "ignore"}
WRITTEN_FORMATS = ("parquet", "csv", "json", "text", "orc")
Answer = tuple[bytes, ...]  # the fields of one response, or none at all
Command = Callable[[], Answer]


def read_command(command: Any, context: Context, cursor: Cursor, session: "Session") -> Command:
    """What is left to do, once it is known to be native; errors of analysis come out here."""
    kind = command.WhichOneof("command_type")
    if kind == "sql_command":
        return sql_command(command.sql_command, context, cursor, session)
    if kind == "checkpoint_command":
        return checkpoint(command.checkpoint_command, context, session)
    if kind == "remove_cached_remote_relation_command":
        return remove_checkpoint(command.remove_cached_remote_relation_command, context, session)
    if kind == "register_function":
        return register_function(command.register_function, session)
    if kind == "register_table_function":
        return register_table_function(command.register_table_function, session)
    if kind == "create_dataframe_view":
        return create_view(command.create_dataframe_view, context, cursor, session.views)
    if kind == "register_data_source":
        return register_data_source(command.register_data_source, session)
    if kind == "write_operation" and command.write_operation.WhichOneof("save_type") == "table":
        return write_table(command.write_operation, context, session)
    if kind == "write_operation_v2":
        return write_to(command.write_operation_v2, context, session)
    if kind == "merge_into_table_command":
        return merge_into(command.merge_into_table_command, context, session)
    if kind == "write_operation" and (definition := source_written(command.write_operation, session)) is not None:
        return write_to_source(command.write_operation, definition, context, cursor)
    if kind == "write_operation":
        return write_to_files(command.write_operation, context, cursor)
    raise NotNative(TO_SPARK.get(kind or "", f"command {kind}"))


# Commands that are Spark's, and why.
TO_SPARK = {
    "write_stream_operation_start": "streaming runs on Spark",
    "streaming_query_command": "streaming runs on Spark",
    "streaming_query_manager_command": "streaming runs on Spark",
    "streaming_query_listener_bus_command": "streaming runs on Spark",
    "get_resources_command": "a cluster's resources",
    "create_resource_profile_command": "a cluster's resources",
    "ml_command": "machine learning runs on Spark",
    "pipeline_command": "declarative pipelines run on Spark",
    "execute_external_command": "commands of other data sources",
    "extension": "extensions of the protocol",
}


def is_quick(plan: Any) -> bool:
    """Whether only something is noted: the work of a SQL query or a view is done when it is read."""
    if plan.WhichOneof("op_type") != "command":
        return is_catalog_call(plan)
    kind = plan.command.WhichOneof("command_type")
    if kind == "sql_command":
        return not WRITING_WORDS.match(uncommented(sql_text(plan.command.sql_command)))
    return bool(kind == "create_dataframe_view")


def writes_rows(plan: Any) -> bool:
    """Whether files may have changed, so that what was kept of them is old."""
    kind = plan.command.WhichOneof("command_type") if plan.WhichOneof("op_type") == "command" else None
    return kind in WRITING_COMMANDS or (kind == "sql_command" and not is_quick(plan))


def sql_command(message: Any, context: Context, cursor: Cursor, session: "Session") -> Command:
    relation = sql_relation(message)
    sql = root_sql(relation)
    if not sql.query or QUERY_WORDS.match(uncommented(sql.query)):
        return sql_query(relation, cursor, session)
    if (change := extension(sql.query)) is not None:
        changed: Command = change(sql.query, context, session)
        return changed
    statement = parse_statement(sql.query, parser_config(context))
    if isinstance(statement, tree.Query):
        return sql_query(relation, cursor, session)
    if has_arguments(sql) or relation.WhichOneof("rel_type") != "sql":
        context = with_arguments(relation, statement, context)
    carried_out: Command = session_statement(statement, sql.query, context, session)
    return carried_out


def with_arguments(relation: Any, statement: Any, context: Context) -> Context:
    """Parameters and DataFrames of a command on tables; other commands with such are Spark's."""
    if type(statement) not in TABLE_HANDLERS:
        raise NotNative("SQL: a command with parameters")
    references = relation.with_relations.references
    return replace(context, statement=relation, views=with_views(references, context))


def has_arguments(sql: Any) -> bool:
    return bool(sql.args or sql.pos_args or sql.named_arguments or sql.pos_arguments)


def sql_query(relation: Any, cursor: Cursor, session: "Session") -> Command:
    """A query is only analyzed here; its own relation goes back, so that it runs once, when its rows are wanted."""
    session.read(relation, cursor)
    result = base_pb2.ExecutePlanResponse.SqlCommandResult(relation=relation)
    return lambda: (bytes_field(SQL_RESULT, result.SerializeToString()),)


def sql_relation(message: Any) -> Any:
    """Spark 4 clients send a relation; those of 3.5 the text and its arguments."""
    if message.HasField("input"):
        return message.input
    relation = relations_pb2.Relation()
    relation.sql.query = message.sql
    relation.sql.pos_args.extend(message.pos_args)
    relation.sql.pos_arguments.extend(message.pos_arguments)
    for name, value in message.args.items():
        relation.sql.args[name].CopyFrom(value)
    for name, value in message.named_arguments.items():
        relation.sql.named_arguments[name].CopyFrom(value)
    return relation


def create_view(message: Any, context: Context, cursor: Cursor, views: Views) -> Command:
    Query.read(message.input, context, cursor)

    name = view_named(message.name)

    def create() -> Answer:
        views.create(name, message, context)
        return ()

    return create


def write_to_files(message: Any, context: Context, cursor: Cursor) -> Command:
    write = file_write(message, Query.read(message.input, context, cursor))

    def carry_out() -> Answer:
        write_files(write, cursor)
        return ()

    return carry_out


def file_write(message: Any, query: Query) -> FileWrite:
    check_plain(message)
    context = query.context
    format = (message.source or context.conf("spark.sql.sources.default")).lower()
    if format in ("csv", "json") or message.partitioning_columns:
        refuse_old_patterns(f"writing {format}", query.plan.schema, context.settings)
    rows = named_rows(query)
    return FileWrite(
        select=rows.select,
        format=format,
        path=message.path,
        schema=query.plan.schema,
        mode=SAVE_MODES[message.mode],
        partition_by=list(message.partitioning_columns),
        options={key.lower(): value for key, value in message.options.items()},
        dynamic_overwrite=context.conf("spark.sql.sources.partitionOverwriteMode").upper() == "DYNAMIC",
        time_zone=context.conf("spark.sql.session.timeZone"),
        parts=rows.parts,
    )


def check_plain(message: Any) -> None:
    if message.WhichOneof("save_type") != "path":
        raise NotNative("writing a table")
    if message.sort_column_names or message.HasField("bucket_by"):
        raise NotNative("writing in buckets or sorted")
    if message.source and message.source.lower() not in WRITTEN_FORMATS:
        raise NotNative(f"writing {message.source}")


assert set(SAVE_MODES) == set(commands_pb2.WriteOperation.SaveMode.values())
