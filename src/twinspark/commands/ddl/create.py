"""CREATE TABLE, CREATE TABLE AS SELECT, [CREATE OR] REPLACE TABLE and CREATE TABLE LIKE."""

import datetime
import decimal
from collections.abc import Callable
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.casts import check_time
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.ddl.definition import Definition, definition, rows_for
from twinspark.commands.ddl.schema_inference import inferred_schema
from twinspark.commands.ddl.targets import at_name, connection_of, find_target, require_table, written_parts
from twinspark.commands.dml.insert import done
from twinspark.commands.dml.source import Source, write_rows_of
from twinspark.commands.dml.sql_arguments import in_place, query_message, walk_of
from twinspark.commands.dml.store_assignment import DEFAULT
from twinspark.commands.names import constant
from twinspark.commands.results import Answer
from twinspark.compile.query import stream_rows
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_store
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import leading_kinds, tree
from twinspark.read.walk import read_query
from twinspark.sessions.services import Services
from twinspark.sessions.tables import tables_of
from twinspark.tables.char_types import raw_schema
from twinspark.tables.collations import SAID_BINARY
from twinspark.tables.files.table import FORMATS, FileTable
from twinspark.tables.transforms import Identity, Transform, of_call
from twinspark.types import (
    CharType,
    DateType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
    is_string,
    plain_type,
    quote_identifier,
)

Command = Callable[[], Answer]


# ---- CREATE TABLE


def create_table(statement: tree.CreateTable, text: str, context: Context, services: Services) -> Command:
    check_supported(statement)
    made = read_definition(statement, text, context, services)
    if statement.external and made.provider in FORMATS and "location" not in made.properties:
        raise SparkError("_LEGACY_ERROR_TEMP_1069")  # QueryCompilationErrors.createExternalTableWithoutLocationError
    there = made.catalog.table_exists(made.name.identifier) or made.catalog.load_view(made.name.identifier)
    if not there:
        tables_of(context).check_elsewhere(made.name.qualifier)
    check_namespace(made, statement)
    if there and not statement.replace:
        if statement.if_not_exists:
            return done(lambda: None)
        raise made.catalog.iceberg.already_exists(as_written(made, statement, text, context, services))
    if statement.query is not None:
        return create_as(statement, made, text, context, services)
    schema = StructType([column(each, text, context, services) for each in columns_of(statement)])
    check_time(schema, context.settings)
    if not schema.fields and made.provider in FORMATS and not made.partitions:
        schema = inferred_schema(made.provider, made.properties, context)
    made.check_schema(schema)
    if services.engine_wanted != "duckdb" and not made.has_files:
        made.check_writable()
    if statement.replace:
        return done(lambda: made.replace(schema, statement.or_create))
    return done(lambda: made.create(schema))


def check_namespace(made: Definition, statement: tree.CreateTable) -> None:
    """Spark analyzes the query and the defaults of columns before it looks for the schema."""
    try:
        made.catalog.load_namespace(made.name.identifier.namespace)
    except SparkError as error:
        if statement.query is None and all(each.default is None for each in statement.columns):
            raise
        raise NotNative(reasons.ERROR_ORDER, likely_error=error) from error


def as_written(made: Definition, statement: Any, text: str, context: Context, services: Services) -> Any:
    """If the table exists already, Spark's error spells its name as in the statement."""
    parts = written_parts(statement.name, text, context, services)
    identifier = made.name.identifier
    return identifier.__class__(identifier.namespace, parts[-1])


def check_supported(statement: tree.CreateTable) -> None:
    clauses = statement.clauses
    if statement.temporary or statement.constraints or clauses.bucket or clauses.row_format or clauses.file_format:
        raise NotNative(reasons.TABLE_DEFINITION, "Hive's clauses, buckets or constraints")
    if any(each.generated or each.identity or each.constraint for each in statement.columns):
        raise NotNative(reasons.TABLE_DEFINITION, "generated columns")
    if clauses.collation is not None:
        raise NotNative(reasons.TABLE_DEFINITION, "a default collation")


def read_definition(statement: Any, text: str, context: Context, services: Services) -> Definition:
    clauses = statement.clauses
    provider = ".".join(statement.provider.parts) if statement.provider is not None else ""
    parts = written_parts(statement.name, text, context, services)
    properties = {key: value or "" for key, value in clauses.properties}
    options = {key: option(value, text, context, services) for key, value in clauses.options}
    place = place_of(options, clauses.location)
    properties |= {f"option.{key}": value for key, value in options.items()}
    if clauses.comment is not None:
        properties["comment"] = clauses.comment
    if place is not None:
        properties["location"] = place
    if clauses.cluster_by:
        properties["clusteringColumns"] = str([list(name.parts) for name in clauses.cluster_by]).replace("'", '"')
    partitions = [transform_of(each, text, context, services) for each in clauses.partitioning]
    return definition(parts, context, provider, partitions, properties)


def place_of(options: dict[str, str], location: str | None) -> str | None:
    """LOCATION, or the option `path`, which is removed from the options; both together are an error."""
    given = [key for key in options if key.lower() == "path"]
    if not given:
        return location
    path = options.pop(given[0])
    if location is not None:
        raise SparkError("_LEGACY_ERROR_TEMP_0032", pathOne=location, pathTwo=path)
    return path


def option(value: Any, text: str, context: Context, services: Services) -> str:
    found = None if value is None else constant(value, text, context, services)
    return found if isinstance(found, str) else "null" if found is None else str(found).lower()


def transform_of(node: tree.PartitionTransform, text: str, context: Context, services: Services) -> Transform:
    if node.type is not None:
        return Identity((node.name,))
    if not node.arguments:
        return Identity((node.name,))
    arguments = [
        each.parts if isinstance(each, tree.Name | tree.Column) else constant(each, text, context, services)
        for each in node.arguments
    ]
    if node.name.lower() == "identity" or (len(arguments) == 1 and not node.name):
        return Identity(tuple(arguments[0]))
    return of_call(node.name, arguments)


def columns_of(statement: tree.CreateTable) -> list[Any]:
    """Columns of the table, and those that PARTITIONED BY declares with a type."""
    return [*statement.columns, *(each for each in statement.clauses.partitioning if each.type is not None)]


def column(node: Any, text: str, context: Context, services: Services) -> StructField:
    metadata: dict[str, Any] = {} if node.comment is None else {"comment": node.comment}
    if getattr(node, "default", None) is not None:
        metadata[DEFAULT] = default_text(node, text, context, "CREATE TABLE")
        if (exists := literal_text(constant(node.default, text, context, services))) is not None:
            metadata["EXISTS_DEFAULT"] = exists
    if node.type == StringType() and leading_kinds(text[node.start : node.stop], 3)[1:] == ["STRING", "COLLATE"]:
        metadata[SAID_BINARY] = True
    return StructField(node.name, node.type, getattr(node, "nullable", True), metadata)


def default_text(node: Any, text: str, context: Context, command: str, name: str | None = None) -> str:
    """A default is stored as written, after checking that it is a valid value for the column."""
    written_as = text[node.default.start : node.default.stop]
    walk = walk_of(text, context)
    made = walk.read(node.default, walk.scope(frame_of(OneRow())))
    wanted = plain_type(node.type)
    if isinstance(wanted, DateType | TimestampType | TimestampNTZType) and is_string(made.type):
        raise NotNative(reasons.TABLE_DEFINITION, "a string as the default of a date or timestamp")
    if not can_store(made.type, wanted):
        raise SparkError(
            "INVALID_DEFAULT_VALUE.DATA_TYPE",
            statement=command,
            colName=quote_identifier(name or node.name),
            defaultValue=written_as,
            expectedType=type_text(wanted),
            actualType=type_text(made.type),
        )
    value = build.cast(made, wanted, context.settings, "ansi")
    if isinstance(node.type, CharType | VarcharType):
        check_length(value, node.type, context)
    return written_as


def check_length(value: Expression, type: CharType | VarcharType, context: Context) -> None:
    """A default that is too long for its column is rejected when it is declared."""
    plan = project(frame_of(OneRow()), [Named(value, "value")]).plain()
    text = stream_rows(plan, context, connection_of(context).cursor()).read_all().column(0)[0].as_py()
    if text is not None and len(text.rstrip(" ")) > type.length:
        raise SparkError("EXCEED_LIMIT_LENGTH", limit=type.length)


def literal_text(value: Any) -> str | None:
    """The current value of a default, as text that both engines parse alike; None if they may parse it differently."""
    match value:
        case bool():
            return str(value).lower()
        case int() | decimal.Decimal():
            return str(value)
        case datetime.date() if not isinstance(value, datetime.datetime):
            return f"DATE '{value}'"
        case str() if "'" not in value and "\\" not in value:
            return f"'{value}'"
    return None


# ---- AS SELECT


def create_as(
    statement: tree.CreateTable, made: Definition, text: str, context: Context, services: Services
) -> Command:
    query = statement.query
    assert query is not None
    if statement.columns:
        raise NotNative(reasons.TABLE_DEFINITION, "a column list in CREATE TABLE AS SELECT")
    fragment = in_place(text, (query.start, query.stop))
    source = Source(lambda: read_query(query, walk_of(text, context)), lambda: query_message(fragment, context))
    return write_rows_of(services, context, source, lambda frame: create_from(made, frame, context, statement))


def create_from(made: Definition, frame: Frame, context: Context, statement: tree.CreateTable) -> Command:
    rows = rows_for(made, frame, context)
    if statement.replace:
        return done(lambda: made.replace_as(rows, statement.or_create))
    return done(lambda: made.create_as(rows))


# ---- LIKE


def create_like(statement: tree.CreateTableLike, text: str, context: Context, services: Services) -> Command:
    parts = written_parts(statement.target, text, context, services)
    try:
        source = require_table(written_parts(statement.source, text, context, services), context)
    except SparkError as error:
        raise at_name(error, statement.source, text) from error
    there = find_target(parts, context)
    if there is not None:
        if statement.if_not_exists:
            return done(lambda: None)
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=str(there.name.identifier))
    provider = ".".join(statement.provider.parts) if statement.provider is not None else source.table.provider
    properties = {key: value or "" for key, value in statement.clauses.properties}
    if statement.clauses.location is not None:
        properties["location"] = statement.clauses.location
    if isinstance(source.table, FileTable):
        properties |= {f"option.{key}": value for key, value in source.table.options.items()}
    made = definition(parts, context, provider, source.table.partitioning, properties)
    return done(lambda: made.create(raw_schema(source.table.schema)))
