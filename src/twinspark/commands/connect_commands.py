"""Reads Connect commands that run natively: SQL commands, temporary views and file writes."""

from dataclasses import replace
from typing import Any

import duckdb
from pyspark.sql.connect.proto import base_pb2, catalog_pb2, commands_pb2, expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.commands.dispatch import (
    ROUTES,
    TABLE_STATEMENTS,
    Command,
    Request,
    carry_out,
    of_message,
    session_statement,
)
from twinspark.commands.dml.sql_arguments import root_sql
from twinspark.commands.dml.task_files import named_rows
from twinspark.commands.query.cache import checkpoint, remove_checkpoint
from twinspark.commands.results import Answer
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.duck.error_origins import locate_error
from twinspark.duck.errors import translate_error
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.time.time_parser_policy import check_legacy_patterns
from twinspark.read.proto import read_relation
from twinspark.read.proto.subqueries import with_views
from twinspark.read.sql import leading_kinds, parameter_markers, parse_statement, tree
from twinspark.read.sql_text import parser_config
from twinspark.sessions.effects import ALWAYS_QUERIES, Effect
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.plan_effects import command_kind, is_catalog_call
from twinspark.sessions.python.functions import register_function, register_table_function
from twinspark.sessions.python.sources import register_data_source, source_written, write_to_source
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import view_named
from twinspark.tables.files.write import FileWrite, write_files
from twinspark.wire.connect.proto_fields import bytes_field
from twinspark.wire.connect.response_frames import SQL_RESULT

WRITING_COMMANDS = ("write_operation", "write_operation_v2", "merge_into_table_command")
SAVE_MODES = {0: "error", 1: "append", 2: "overwrite", 3: "error", 4: "ignore"}
WRITTEN_FORMATS = ("parquet", "csv", "json", "text", "orc")


def read_command(command: commands_pb2.Command, context: Context, cursor: Cursor, services: Services) -> Command:
    """The analyzed command; analysis errors and fall-backs to Spark are raised here."""
    member = command.WhichOneof("command_type")
    if member is None or member in TO_SPARK or not is_routed(type(getattr(command, member))):
        raise NotNative(TO_SPARK.get(member or "", reasons.API_CALL), f"command {member}")
    return carry_out(getattr(command, member), Request(context, services, own_cursor=cursor))


def catalog_call(services: Services, message: catalog_pb2.Catalog) -> Command:
    """A call of spark.catalog."""
    member = message.WhichOneof("cat_type")
    context = services.surroundings().context(services.native.cursor())
    if member is None or not is_routed(type(getattr(message, member))):
        raise NotNative(reasons.API_CALL, f"catalog: {member}")
    return carry_out(getattr(message, member), Request(context, services))


def is_routed(kind: type) -> bool:
    """Whether there is a handler; the complete table is imported for anything but queries and views."""
    if kind not in ROUTES:
        import_routes()
    return kind in ROUTES


def import_routes() -> None:
    from twinspark.commands import handlers  # noqa: F401  # imported on demand: PyIceberg takes a second


# Commands that run on Spark only.
TO_SPARK = {
    "write_stream_operation_start": reasons.STREAMING,
    "streaming_query_command": reasons.STREAMING,
    "streaming_query_manager_command": reasons.STREAMING,
    "streaming_query_listener_bus_command": reasons.STREAMING,
    "get_resources_command": reasons.CLUSTER_RESOURCES,
    "create_resource_profile_command": reasons.CLUSTER_RESOURCES,
    "ml_command": reasons.MACHINE_LEARNING,
    "pipeline_command": reasons.PIPELINES,
    "execute_external_command": reasons.FILE_FORMAT,
    "extension": reasons.PROTOCOL,
}


def is_quick(plan_request: PlanRequest) -> bool:
    """Whether the command only changes state: a SQL query or a view is computed when it is read."""
    kind = command_kind(plan_request.plan)
    if kind == "sql_command":
        return Effect.ROWS not in plan_request.effects.effect
    return kind == "create_dataframe_view" or is_catalog_call(plan_request.plan)


def writes_rows(plan_request: PlanRequest) -> bool:
    """Whether files may have changed, so that cached rows of files are stale."""
    kind = command_kind(plan_request.plan)
    return kind in WRITING_COMMANDS or (kind == "sql_command" and not is_quick(plan_request))


def sql_command(message: commands_pb2.SqlCommand, request: Request) -> Command:
    context, cursor, services = request.context, request.cursor, request.services
    relation = sql_relation(message)
    sql = root_sql(relation)
    if leading_kinds(sql.query, 1)[0] in ("eof", *ALWAYS_QUERIES):
        return sql_query(relation, cursor, services)
    statement = parse_statement(sql.query, parser_config(context))
    if isinstance(statement, tree.Query):
        return sql_query(relation, cursor, services)
    check_bound(sql, context)
    if has_arguments(sql) or relation.WhichOneof("rel_type") != "sql":
        context = with_arguments(relation, statement, context)
    import_routes()
    return session_statement(statement, sql.query, context, services)


def check_bound(sql: relations_pb2.SQL, context: Context) -> None:
    """A marker is accepted wherever a string or a number is, such as in SHOW TABLES LIKE :pattern."""
    if has_arguments(sql) or not (":" in sql.query or "?" in sql.query) or may_declare_cursor(sql.query):
        return  # the query of a cursor has parameters of its own
    markers = parameter_markers(sql.query, parser_config(context))
    if markers:
        raise unbound_error(markers, sql.query)


def may_declare_cursor(text: str) -> bool:
    """A script, or DECLARE … CURSOR, which Spark rejects before it looks for parameters."""
    kinds = leading_kinds(text, 4)
    return kinds[:1] == ["BEGIN"] or (kinds[:1] == ["DECLARE"] and "CURSOR" in kinds)


def unbound_error(markers: list[tuple[int, int, str]], text: str) -> Exception:
    """Of several markers, only Spark knows which one it reports."""
    start, stop, name = markers[0]
    error = SparkError("UNBOUND_SQL_PARAMETER", name=name or f"_{start}")
    error.contexts = (QueryContext(text[start:stop], start, stop - 1, text=text, has_line=False),)
    return error if len(markers) == 1 else NotNative(reasons.ERROR_ORDER, likely_error=error)


def with_arguments(relation: relations_pb2.Relation, statement: Any, context: Context) -> Context:
    """Parameters and DataFrames of a command on tables; other commands with arguments fall back to Spark."""
    if type(statement) not in TABLE_STATEMENTS:
        raise NotNative(reasons.PARAMETER, "a command with parameters")
    references = relation.with_relations.references
    return replace(context, statement=relation, views=with_views(references, context))


def has_arguments(sql: relations_pb2.SQL) -> bool:
    return bool(sql.args or sql.pos_args or sql.named_arguments or sql.pos_arguments)


def sql_query(relation: relations_pb2.Relation, cursor: Cursor, services: Services) -> Command:
    """A query is only analyzed here; its relation is returned to the client, which executes it once."""
    services.read(relation, cursor)
    result = base_pb2.ExecutePlanResponse.SqlCommandResult(relation=relation)
    return lambda: (bytes_field(SQL_RESULT, result.SerializeToString()),)


def sql_relation(message: commands_pb2.SqlCommand) -> relations_pb2.Relation:
    """Spark 4 clients send a relation; Spark 3.5 clients send the text and its arguments."""
    if message.HasField("input"):
        return message.input
    relation = relations_pb2.Relation()
    relation.sql.query = message.sql
    relation.sql.pos_args.extend(message.pos_args)
    relation.sql.pos_arguments.extend(message.pos_arguments)
    for name, constant in message.args.items():
        relation.sql.args[name].CopyFrom(constant)
    for name, argument in message.named_arguments.items():
        relation.sql.named_arguments[name].CopyFrom(argument)
    return relation


def create_view(message: commands_pb2.CreateDataFrameViewCommand, request: Request) -> Command:
    context, views = request.context, request.services.views
    CompiledQuery.read(message.input, context, request.cursor)
    name = view_named(message.name)

    def create() -> Answer:
        views.create(name, message, context)
        return ()

    return create


def write_operation(message: commands_pb2.WriteOperation, request: Request) -> Command:
    """df.write: into a table, to a Python data source, or into files."""
    if message.WhichOneof("save_type") == "table" and is_routed(commands_pb2.WriteOperation.SaveTable):
        return ROUTES[commands_pb2.WriteOperation.SaveTable](message, request)
    definition = source_written(message, request.services.pythons)
    if definition is not None:
        return write_to_source(message, definition, request.context, request.cursor)
    return write_to_files(message, request.context, request.cursor)


def write_to_files(message: commands_pb2.WriteOperation, context: Context, cursor: Cursor) -> Command:
    query = CompiledQuery.of_write(read_relation(message.input, context), context, cursor, message.input)
    write = file_write(message, query)

    def carry_out() -> Answer:
        try:
            write_files(write, cursor)
        except duckdb.Error as error:
            raise locate_error(translate_error(error), query.plan) from error
        return ()

    return carry_out


def file_write(message: commands_pb2.WriteOperation, query: CompiledQuery) -> FileWrite:
    check_plain(message)
    context = query.context
    format = (message.source or context.conf("spark.sql.sources.default")).lower()
    if format in ("csv", "json") or message.partitioning_columns:
        check_legacy_patterns(f"writing {format}", query.plan.schema, context.settings)
    rows = named_rows(query)
    return FileWrite(
        select=rows.select,
        format=format,
        path=message.path,
        schema=query.plan.schema,
        mode=SAVE_MODES[message.mode],
        partition_by=list(message.partitioning_columns),
        options={key.lower(): value for key, value in message.options.items()},
        dynamic_overwrite=context.conf("spark.sql.sources.partitionOverwriteMode") == "DYNAMIC",
        time_zone=context.conf("spark.sql.session.timeZone"),
        parts=rows.parts,
    )


def check_plain(message: commands_pb2.WriteOperation) -> None:
    if message.WhichOneof("save_type") != "path":
        raise NotNative(reasons.WRITE_TARGET, "a table")
    if message.sort_column_names or message.HasField("bucket_by"):
        raise NotNative(reasons.WRITE_BUCKETED, "files")
    if message.source and message.source.lower() not in WRITTEN_FORMATS:
        raise NotNative(reasons.WRITE_FORMAT, message.source)


assert set(SAVE_MODES) == set(commands_pb2.WriteOperation.SaveMode.values())


ROUTES |= {
    commands_pb2.SqlCommand: sql_command,
    commands_pb2.CreateDataFrameViewCommand: create_view,
    commands_pb2.WriteOperation: write_operation,
    commands_pb2.CheckpointCommand: of_message(checkpoint),
    commands_pb2.RemoveCachedRemoteRelationCommand: of_message(remove_checkpoint),
    expressions_pb2.CommonInlineUserDefinedFunction: lambda message, request: register_function(
        message, request.services.functions
    ),
    relations_pb2.CommonInlineUserDefinedTableFunction: lambda message, request: register_table_function(
        message, request.services.functions
    ),
    relations_pb2.CommonInlineUserDefinedDataSource: lambda message, request: register_data_source(
        message, request.services.pythons
    ),
}
