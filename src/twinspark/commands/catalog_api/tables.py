"""spark.catalog's tables and views: lists, lookups, creation and changes."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql.connect.proto import catalog_pb2, relations_pb2
from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.dispatch import session_statement
from twinspark.commands.names import CatalogEntry, QualifiedNamespace, TemporaryView, find, parse_name, quoted
from twinspark.commands.namespaces import show as sql_shows
from twinspark.commands.namespaces import table_details
from twinspark.commands.namespaces.describe import shown_schema
from twinspark.commands.results import Answer, relation_rows, table_answer
from twinspark.compile.query import CompiledQuery
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.proto.types import read_type
from twinspark.read.sql import parse_statement
from twinspark.read.sql_text import parser_config
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import GLOBAL

TABLE = StructType([
    StructField("name", StringType(), True),
    StructField("catalog", StringType(), True),
    StructField("namespace", ArrayType(StringType(), True), True),
    StructField("description", StringType(), True),
    StructField("tableType", StringType(), True),
    StructField("isTemporary", BooleanType(), False),
])  # fmt: skip
COLUMN = StructType(
    [StructField(name, StringType(), True) for name in ("name", "description", "dataType")]
    + [StructField(name, BooleanType(), False) for name in ("nullable", "isPartition", "isBucket", "isCluster")]
)
DONE = StructType([StructField("value", StringType(), False)])
TEXT = StructType([StructField("value", StringType(), True)])
PARTITION = StructType([StructField("partition", StringType(), True)])
PROPERTY = StructType([StructField("key", StringType(), False), StructField("value", StringType(), True)])
Row = tuple[Any, ...]


# ---- rows


def listed_rows(
    rows: Iterable[tuple[str, str, bool]], place: QualifiedNamespace, context: Context, services: Services
) -> list[Row]:
    beside = sql_shows.on_spark(place, services)
    return [listed_row(row, place, context, services, beside) for row in rows]


def listed_row(
    row: tuple[str, str, bool],
    place: QualifiedNamespace,
    context: Context,
    services: Services,
    beside: Mapping[str, Row],
) -> Row:
    namespace, name, is_temporary = row
    if not is_temporary and name in beside:
        return beside[name]
    if is_temporary:
        return temporary_row((namespace,) if namespace else (), name)
    found = find((place.catalog, *place.namespace, name), context, services)
    if not isinstance(found, CatalogEntry):
        raise NotNative(reasons.CONCURRENT_CHANGE, f"table {name} was dropped while tables were listed")
    return found_row(found)


def temporary_row(namespace: Sequence[str], name: str) -> Row:
    return (name, None, list(namespace), None, "TEMPORARY", True)


def found_row(found: CatalogEntry) -> Row:
    identifier = found.name.identifier
    start = (identifier.name, found.name.catalog, list(identifier.namespace))
    if found.view is not None:
        return (*start, found.view.comment, "VIEW", False)
    table: Any = found.table
    kind = "MANAGED" if getattr(table, "managed", True) else "EXTERNAL"
    return (*start, table.properties.get("comment"), kind, False)


def table_row(
    message: catalog_pb2.GetTable | catalog_pb2.TableExists,
    context: Context,
    services: Services,
    missing_ok: bool = False,
) -> Row | None:
    parts = name_parts(message, context)
    found = find(parts, context, services)
    if found is None:
        if missing_ok:
            return None
        raise missing(parts, context)
    if isinstance(found, TemporaryView):
        return temporary_row(found.namespace, found.name)
    return found_row(found)


def name_parts(
    message: catalog_pb2.GetTable | catalog_pb2.ListColumns | catalog_pb2.TableExists, context: Context
) -> tuple[str, ...]:
    """With a separate database name, the table is looked up there, in the session catalog."""
    if not message.HasField("db_name"):
        return parse_name(message.table_name, context)
    if message.db_name.lower() == GLOBAL:
        return (GLOBAL, message.table_name)
    return ("spark_catalog", message.db_name, message.table_name)


def missing(parts: Sequence[str], context: Context) -> SparkError:
    current = quoted((context.catalog, context.database))
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts), searchPath=f"[`system`.`session`, {current}]"
    )


def column_rows(message: catalog_pb2.ListColumns, context: Context, services: Services) -> list[Row]:
    parts = name_parts(message, context)
    found = find(parts, context, services)
    if found is None:
        raise missing(parts, context)
    roles = [columns_by(found, "Identity"), columns_by(found, "Bucket"), clustering_columns(found)]
    return [
        (
            f.name,
            (f.metadata or {}).get("comment"),
            f.dataType.simpleString(),
            f.nullable,
            *(f.name in role for role in roles),
        )
        for f in shown_schema(parts, found, context).fields
    ]


def columns_by(found: Any, transform: str) -> set[str]:
    """The columns that a table is partitioned by with this transform."""
    if isinstance(found, TemporaryView) or found.table is None:
        return set()
    return {each.column[0] for each in found.table.partitioning if type(each).__name__ == transform}


def clustering_columns(found: Any) -> set[str]:
    """Without columns inside of structs."""
    if isinstance(found, TemporaryView) or found.table is None:
        return set()
    named = json.loads(found.table.properties.get("clusteringColumns", "[]"))
    return {path[0] for path in named if len(path) == 1}


# ---- properties, partitions and statistics of one table


def find_named(name: str, context: Context, services: Services) -> tuple[tuple[str, ...], Any]:
    parts = parse_name(name, context)
    found = find(parts, context, services)
    if found is None:
        raise missing(parts, context)
    return parts, found


def get_table_properties(
    message: catalog_pb2.GetTableProperties, context: Context, services: Services
) -> Callable[[], Answer]:
    _, found = find_named(message.table_name, context, services)
    return lambda: relation_rows(PROPERTY, sql_shows.property_rows(found, None))


def get_create_table_string(
    message: catalog_pb2.GetCreateTableString, context: Context, services: Services
) -> Callable[[], Answer]:
    if message.as_serde:
        raise NotNative(reasons.SQL_CLAUSE, "SHOW CREATE TABLE AS SERDE")
    parts, found = find_named(message.table_name, context, services)
    if isinstance(found, TemporaryView):
        raise SparkError("UNSUPPORTED_SHOW_CREATE_TABLE.ON_TEMPORARY_VIEW", tableName=quoted(parts))
    return lambda: relation_rows(TEXT, [(sql_shows.create_text(found, context),)])


def table_only(operation: str) -> Callable[[Any, Context, Services], CatalogEntry]:
    def look(
        message: catalog_pb2.AnalyzeTable
        | catalog_pb2.ListPartitions
        | catalog_pb2.RecoverPartitions
        | catalog_pb2.TruncateTable,
        context: Context,
        services: Services,
    ) -> CatalogEntry:
        parts, found = find_named(message.table_name, context, services)
        if isinstance(found, TemporaryView) or found.view is not None:
            raise sql_shows.expected_table(found, parts, operation)
        assert isinstance(found, CatalogEntry)
        return found

    return look


def list_partitions(message: catalog_pb2.ListPartitions, context: Context, services: Services) -> Callable[[], Answer]:
    found = table_only("Catalog.listPartitions")(message, context, services)
    return lambda: relation_rows(PARTITION, [(path,) for path in table_details.partitions(found)])


def recover_partitions(
    message: catalog_pb2.RecoverPartitions, context: Context, services: Services
) -> Callable[[], Answer]:
    found = table_only("recoverPartitions()")(message, context, services)
    table_details.check_partitioned(found, "ALTER TABLE RECOVER PARTITIONS")

    def recover() -> Answer:
        services.catalogs.get(found.name.catalog).recover_partitions(found.name.identifier)
        return relation_rows(DONE, [])

    return recover


def analyze_table(message: catalog_pb2.AnalyzeTable, context: Context, services: Services) -> Callable[[], Answer]:
    """Our tables record statistics when they are written, so there is nothing to compute."""
    table_only("Catalog.analyzeTable")(message, context, services)
    return lambda: relation_rows(DONE, [])


# ---- calls that are executed as SQL statements


def truncate_table(message: catalog_pb2.TruncateTable, context: Context, services: Services) -> Callable[[], Answer]:
    found = table_only("Catalog.truncateTable")(message, context, services)
    return by_sql(f"TRUNCATE TABLE {quoted(found.name.qualifier)}", context, services)


def drop_table(message: catalog_pb2.DropTable, context: Context, services: Services) -> Callable[[], Answer]:
    statement = (
        f"DROP TABLE {'IF EXISTS ' if message.if_exists else ''}{quoted(parse_name(message.table_name, context))}"
    )
    return by_sql(f"{statement}{' PURGE' if message.purge else ''}", context, services)


def drop_view(message: catalog_pb2.DropView, context: Context, services: Services) -> Callable[[], Answer]:
    statement = f"DROP VIEW {'IF EXISTS ' if message.if_exists else ''}{quoted(parse_name(message.view_name, context))}"
    return by_sql(statement, context, services)


def by_sql(text: str, context: Context, services: Services) -> Callable[[], Answer]:
    run = statement_of(text, context, services)

    def carry_out() -> Answer:
        run()
        return relation_rows(DONE, [])

    return carry_out


def statement_of(text: str, context: Context, services: Services) -> Callable[[], Answer]:
    """Executes a generated statement; errors have no query context, since the user did not write its text."""
    try:
        made = session_statement(parse_statement(text, parser_config(context)), text, context, services)
    except SparkError as error:
        error.contexts = ()
        raise
    return made


def create_table(
    message: catalog_pb2.CreateExternalTable | catalog_pb2.CreateTable, context: Context, services: Services
) -> Callable[[], Answer]:
    text = create_text(message, context)
    make = statement_of(text, context, services)

    def carry_out() -> Answer:
        make()
        relation = relations_pb2.Relation()
        relation.read.named_table.unparsed_identifier = message.table_name
        cursor = services.native.cursor()
        query = CompiledQuery.read(relation, services.surroundings().context(cursor), cursor)
        return table_answer(query.plan.schema, query.stream().read_all())

    return carry_out


def create_text(message: catalog_pb2.CreateExternalTable | catalog_pb2.CreateTable, context: Context) -> str:
    """The text of the equivalent CREATE TABLE statement."""
    columns = ""
    if message.HasField("schema"):
        fields = read_type(message.schema).fields
        columns = ", ".join(f"{quoted((f.name,))} {f.dataType.simpleString()}{not_null_text(f)}" for f in fields)
    source = message.source if message.HasField("source") else context.conf("spark.sql.sources.default")
    options = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in sorted(message.options.items()))
    clauses = [
        f"CREATE TABLE {quoted(parse_name(message.table_name, context))}",
        f"({columns})" if columns else "",
        f"USING {quoted((source,))}",
        f"OPTIONS ({options})" if options else "",
        f"LOCATION {literal(message.path)}" if message.HasField("path") else "",
        f"COMMENT {literal(message.description)}"
        if isinstance(message, catalog_pb2.CreateTable) and message.description
        else "",
    ]
    return " ".join(filter(None, clauses))


def not_null_text(field: StructField) -> str:
    return "" if field.nullable else " NOT NULL"


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
