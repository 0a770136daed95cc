"""CREATE TABLE, CREATE TABLE AS SELECT, [CREATE OR] REPLACE TABLE and CREATE TABLE LIKE."""

import datetime
import decimal
import os
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.relations import Named, project
from twinspark.analysis.scope import Frame, frame_of
from twinspark.duck import run
from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.functions.castable import can_store
from twinspark.functions.typing import type_text
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.walk import read_query
from twinspark.session.sql_names import check_no_collation, constant
from twinspark.session.sql_results import Answer
from twinspark.session.table_inference import inferred_schema
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import (
    Parts,
    at_name,
    commanded,
    connection_of,
    find_target,
    name_of,
    quoted,
    written_parts,
)
from twinspark.session.writes import Rows, spark_errors
from twinspark.session.writes_assignment import DEFAULT
from twinspark.session.writes_source import ForSpark, Source, written
from twinspark.session.writes_sql import done
from twinspark.session.writes_statement import in_place, query_message, walk_of
from twinspark.tables.catalog import Identifier
from twinspark.tables.catalogs import ICEBERG_CLASSES, PREFIX, SESSION_CATALOG, Name
from twinspark.tables.char_types import CHAR_TYPE, plain_schema, raw_schema
from twinspark.tables.file_table import FORMATS, FileTable
from twinspark.tables.iceberg.maintenance import keep_short
from twinspark.tables.listing import local_path
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.transforms import Identity, Transform, of_call
from twinspark.tables.write import PARTITION_TYPES
from twinspark.types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    VarcharType,
    as_nullable,
    plain_type,
    quote_identifier,
)

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
PLAIN_NAME = re.compile(r"[a-zA-Z0-9_]+")
BINARY = "UTF8_BINARY"
PROVIDERS = {"iceberg", "delta", *FORMATS}


@dataclass(frozen=True)
class Definition:
    """A table that is to be: what CREATE TABLE, saveAsTable and writeTo say of it."""

    name: Name
    catalog: SessionCatalog
    provider: str
    partitions: Sequence[Transform]
    properties: dict[str, str]

    @property
    def full_name(self) -> str:
        return quoted(self.name.qualifier)

    @property
    def told(self) -> dict[str, str]:
        return {"provider": self.provider, **self.properties}

    def aside(self) -> "Definition":
        """The same under a name nobody uses."""
        identifier = Identifier(self.name.identifier.namespace, f"{self.name.identifier.name}_{uuid.uuid4().hex}")
        return replace(self, name=Name(self.name.catalog, identifier))

    def create(self, schema: StructType) -> None:
        self.checked(schema)
        self.catalog.create_table(self.name.identifier, self.kept(schema), self.partitions, self.told)

    def create_as(self, rows: Rows) -> None:
        """Nobody sees the table before its rows are there; a failed query leaves nothing."""
        if self.provider != "iceberg":
            self.create_files_as(rows)
            return
        with spark_errors(rows):
            self.staged_as(rows, self.catalog.stage_create)

    def replace_as(self, rows: Rows, or_create: bool) -> None:
        """The old table stays until the new one is whole."""
        self.check_replaceable(or_create)
        stage = self.catalog.stage_create_or_replace if or_create else self.catalog.stage_replace
        with spark_errors(rows):
            self.staged_as(rows, stage)

    def staged_as(self, rows: Rows, stage: Callable[..., Any]) -> None:
        with stage(self.name.identifier, raw_schema(rows.schema), self.partitions, self.told) as staged:
            staged.write(rows.connection, rows.select())
            staged.commit()
        keep_short(self.catalog.iceberg, self.name.identifier)

    def create_files_as(self, rows: Rows) -> None:
        self.check_empty()
        self.create(rows.schema)
        try:
            with spark_errors(rows):
                made = self.catalog.load_table(self.name.identifier)
                self.catalog.insert(self.name.identifier, rows.connection, in_order(rows, made.schema), "append")
        except BaseException:
            self.catalog.drop_table(self.name.identifier)
            raise

    def check_empty(self) -> None:
        """Rows of nobody's knowledge would be the new table's too."""
        place = self.properties.get("location")
        if place is not None and os.path.isdir(local_path(place)) and os.listdir(local_path(place)):
            raise SparkError(
                "_LEGACY_ERROR_TEMP_1241",
                tablePath=f"file://{local_path(place)}",
                config="spark.sql.legacy.allowNonEmptyLocationInCTAS",
            )

    def replace(self, schema: StructType, or_create: bool) -> None:
        self.check_replaceable(or_create)
        self.checked(schema)
        stage = self.catalog.stage_create_or_replace if or_create else self.catalog.stage_replace
        stage(self.name.identifier, self.kept(schema), self.partitions, self.told).commit()

    def check_replaceable(self, or_create: bool) -> None:
        """What is there must be an Iceberg table: a directory of files cannot be replaced in one step."""
        other = self.catalog.other(self.name.identifier)
        if self.provider != "iceberg" or other is not None:
            raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=self.full_name, operation="REPLACE TABLE")
        if not or_create and not self.catalog.table_exists(self.name.identifier):
            path = f"[{quoted(self.name.qualifier[:-1])}]"
            raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=self.full_name, searchPath=path)

    def checked(self, schema: StructType) -> None:
        check_names(schema.names)
        if has_collation(schema):
            raise ForSpark("tables with collated texts")
        names = {name.lower() for name in schema.names}
        for transform in self.partitions:
            if transform.column[0].lower() not in names:
                raise SparkError(
                    "COLUMN_NOT_DEFINED_IN_TABLE",
                    colType="partition",
                    colName=quoted(transform.column),
                    tableName=self.full_name,
                    tableCols=", ".join(map(quote_identifier, schema.names)),
                )
        by = {transform.column[0].lower() for transform in self.partitions}
        types = [plain_type(field.dataType) for field in schema.fields if field.name.lower() in by]
        if self.provider in FORMATS and not all(isinstance(type, PARTITION_TYPES) for type in types):
            raise ForSpark("partition columns whose directory names only Spark can write")
        if self.provider in FORMATS and len(self.partitions) == len(schema.fields):
            raise SparkError("ALL_PARTITION_COLUMNS_NOT_ALLOWED")

    def kept(self, schema: StructType) -> StructType:
        """File tables keep the lengths of texts beside the columns; Iceberg's remember the types themselves."""
        return raw_schema(schema) if self.provider == "iceberg" else plain_schema(schema)


def has_collation(type: DataType) -> bool:
    """Whether some text in it is compared otherwise than by its bytes."""
    match type:
        case StructType():
            return any(has_collation(field.dataType) for field in type.fields)
        case ArrayType():
            return has_collation(type.elementType)
        case MapType():
            return has_collation(type.keyType) or has_collation(type.valueType)
        case StringType():
            return (type.collation or BINARY).upper() != BINARY
    return False


def in_order(rows: Rows, schema: StructType) -> str:
    """A file table moves its partition columns to the end."""
    return f"SELECT {', '.join(map(quoted_name, schema.names))} FROM ({rows.select()})"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(name.lower()))
        seen.add(name.lower())


def check_name(name: Name) -> None:
    """Spark's session catalog takes plain words only (SessionCatalog.validateName)."""
    if name.catalog == SESSION_CATALOG and not PLAIN_NAME.fullmatch(name.identifier.name):
        raise SparkError("INVALID_SCHEMA_OR_RELATION_NAME", name=quote_identifier(name.identifier.name))


def definition(
    parts: Parts, context: Context, provider: str, partitions: Sequence[Transform], properties: dict[str, str]
) -> Definition:
    name = name_of(parts, context)
    check_name(name)
    written = provider or context.config.get("twinspark.tables.provider") or "iceberg"
    chosen = provider_in(name.catalog, written, context)
    if chosen not in PROVIDERS:
        raise ForSpark(f"tables of {chosen}")
    catalog = tables_of(context).catalogs.get(name.catalog)
    check_no_collation(catalog, name.identifier.namespace)
    if chosen in FORMATS and "location" in properties:
        whole = catalog.whole_place(name.identifier.namespace, properties["location"])
        properties = {**properties, "location": whole}
    shown = {"provider": written} if chosen in FORMATS else {}
    return Definition(name, catalog, chosen, partitions, {**shown, **properties})


def provider_in(catalog: str, written: str, context: Context) -> str:
    """Iceberg's own catalogs have Iceberg's tables only: there USING names the format of their files."""
    chosen = written.lower()
    kind = context.config.get(f"{PREFIX}{catalog}", "")
    if catalog == SESSION_CATALOG or not kind.startswith(ICEBERG_CLASSES):
        return chosen
    if chosen in ("iceberg", "parquet"):
        return "iceberg"
    if chosen in ("orc", "avro"):
        raise ForSpark(f"Iceberg's tables of {chosen} files")
    raise JavaError("java.lang.IllegalArgumentException", f"Unsupported format in USING: {written}")


# ---- CREATE TABLE


def create_table(statement: tree.CreateTable, text: str, context: Context, session: "Session") -> Command:
    check_supported(statement)
    made = defined(statement, text, context, session)
    there = made.catalog.table_exists(made.name.identifier) or made.catalog.load_view(made.name.identifier)
    made.catalog.load_namespace(made.name.identifier.namespace)
    if there and not statement.replace:
        if statement.if_not_exists:
            return done(lambda: None)
        raise made.catalog.iceberg.already_exists(as_written(made, statement, text, context, session))
    if statement.query is not None:
        return create_as(statement, made, text, context, session)
    schema = StructType([column(each, text, context, session) for each in columns_of(statement)])
    if not schema.fields and made.provider in FORMATS and not made.partitions:
        schema = inferred_schema(made.provider, made.properties, context)
    made.checked(schema)
    if statement.replace:
        return done(lambda: made.replace(schema, statement.or_create))
    return done(lambda: made.create(schema))


def as_written(made: Definition, statement: Any, text: str, context: Context, session: "Session") -> Any:
    """Spark names the table in the letters of the statement when it is there already."""
    parts = written_parts(statement.name, text, context, session)
    identifier = made.name.identifier
    return identifier.__class__(identifier.namespace, parts[-1])


def check_supported(statement: tree.CreateTable) -> None:
    clauses = statement.clauses
    if statement.temporary or statement.constraints or clauses.bucket or clauses.row_format or clauses.file_format:
        raise NotNative("SQL: CREATE TABLE with Hive's clauses, buckets or constraints")
    if any(each.generated or each.identity or each.constraint for each in statement.columns):
        raise NotNative("SQL: generated columns")
    if clauses.collation is not None:
        raise NotNative("SQL: a table's collation")


def defined(statement: Any, text: str, context: Context, session: "Session") -> Definition:
    clauses = statement.clauses
    provider = ".".join(statement.provider.parts) if statement.provider is not None else ""
    parts = written_parts(statement.name, text, context, session)
    properties = {key: value or "" for key, value in clauses.properties}
    options = {key: option(value, text, context, session) for key, value in clauses.options}
    place = place_of(options, clauses.location)
    properties |= {f"option.{key}": value for key, value in options.items()}
    if clauses.comment is not None:
        properties["comment"] = clauses.comment
    if place is not None:
        properties["location"] = place
    if clauses.cluster_by:
        properties["clusteringColumns"] = str([list(name.parts) for name in clauses.cluster_by]).replace("'", '"')
    partitions = [transform_of(each, text, context, session) for each in clauses.partitioning]
    return definition(parts, context, provider, partitions, properties)


def place_of(options: dict[str, str], location: str | None) -> str | None:
    """LOCATION, or the option `path`, which then is none any more; not both."""
    given = [key for key in options if key.lower() == "path"]
    if not given:
        return location
    path = options.pop(given[0])
    if location is not None:
        raise SparkError("_LEGACY_ERROR_TEMP_0032", pathOne=location, pathTwo=path)
    return path


def option(value: Any, text: str, context: Context, session: "Session") -> str:
    found = None if value is None else constant(value, text, context, session)
    return found if isinstance(found, str) else "null" if found is None else str(found).lower()


def transform_of(node: tree.PartitionTransform, text: str, context: Context, session: "Session") -> Transform:
    if node.type is not None:
        return Identity((node.name,))
    if not node.arguments:
        return Identity((node.name,))
    arguments = [
        each.parts if isinstance(each, tree.Name | tree.Column) else constant(each, text, context, session)
        for each in node.arguments
    ]
    if node.name.lower() == "identity" or (len(arguments) == 1 and not node.name):
        return Identity(tuple(arguments[0]))
    return of_call(node.name, arguments)


def columns_of(statement: tree.CreateTable) -> list[Any]:
    """Columns of the table, and those that PARTITIONED BY gives a type."""
    return [*statement.columns, *(each for each in statement.clauses.partitioning if each.type is not None)]


def column(node: Any, text: str, context: Context, session: "Session") -> StructField:
    metadata: dict[str, Any] = {} if node.comment is None else {"comment": node.comment}
    if getattr(node, "default", None) is not None:
        metadata[DEFAULT] = default_text(node, text, context, "CREATE TABLE")
        if (exists := literal_text(constant(node.default, text, context, session))) is not None:
            metadata["EXISTS_DEFAULT"] = exists
    return StructField(node.name, node.type, getattr(node, "nullable", True), metadata)


def default_text(node: Any, text: str, context: Context, command: str, name: str | None = None) -> str:
    """A default is kept as it is written, once it is known to be a value for the column."""
    written_as = text[node.default.start : node.default.stop]
    walk = walk_of(text, context)
    made = walk.read(node.default, walk.scope(frame_of(OneRow())))
    wanted = plain_type(node.type)
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
    """A default that no row could take is refused when it is declared."""
    plan = project(frame_of(OneRow()), [Named(value, "value")]).plain()
    text = run.stream(connection_of(context).cursor(), plan, context.settings).read_all().column(0)[0].as_py()
    if text is not None and len(text.rstrip(" ")) > type.length:
        raise SparkError("EXCEED_LIMIT_LENGTH", limit=type.length)


def literal_text(value: Any) -> str | None:
    """A default's value at this moment, written as both engines read it; None for what they may read differently."""
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
    statement: tree.CreateTable, made: Definition, text: str, context: Context, session: "Session"
) -> Command:
    query = statement.query
    assert query is not None
    if statement.columns:
        raise NotNative("SQL: CREATE TABLE AS SELECT with columns")
    fragment = in_place(text, (query.start, query.stop))
    source = Source(lambda: read_query(query, walk_of(text, context)), lambda: query_message(fragment, context))
    return written(session, source, lambda frame: created_from(made, frame, context, statement))


def created_from(made: Definition, frame: Frame, context: Context, statement: tree.CreateTable) -> Command:
    rows = rows_for(made, frame, context)
    if statement.replace:
        return done(lambda: made.replace_as(rows, statement.or_create))
    return done(lambda: made.create_as(rows))


def rows_for(made: Definition, frame: Frame, context: Context) -> Rows:
    """The new table's columns are the query's, all nullable (V2CreateTableAsSelectBaseExec)."""
    found = frame.plain().schema
    schema = StructType([StructField(f.name, as_nullable(f.dataType), True, kept_metadata(f)) for f in found.fields])
    made.checked(schema)
    return Rows.of(frame, schema, context)


def kept_metadata(field: StructField) -> dict[str, Any]:
    """A comment, and the declared length of a CHAR or VARCHAR, which the new column then has too."""
    return {key: value for key, value in (field.metadata or {}).items() if key in ("comment", CHAR_TYPE)}


# ---- LIKE


def create_like(statement: tree.CreateTableLike, text: str, context: Context, session: "Session") -> Command:
    parts = written_parts(statement.target, text, context, session)
    try:
        source = commanded(written_parts(statement.source, text, context, session), context)
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
