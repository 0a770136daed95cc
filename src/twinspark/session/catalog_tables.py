"""spark.catalog's tables and views: listed, looked up, made and changed."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.read.proto.types import read_type
from twinspark.read.sql import parse_statement
from twinspark.read.text import parser_config
from twinspark.session import sql_shows, sql_table_text
from twinspark.session.native import Query
from twinspark.session.sql_describe import shown_schema
from twinspark.session.sql_names import Found, Place, TemporaryView, find, parsed, quoted
from twinspark.session.sql_results import Answer, relation_rows, table_answer
from twinspark.session.views import GLOBAL

if TYPE_CHECKING:
    from twinspark.session.session import Session

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


def tables_listed(
    rows: Iterable[tuple[str, str, bool]], place: Place, context: Context, session: "Session"
) -> list[Row]:
    beside = sql_shows.on_spark(place, session)
    return [listed_row(row, place, context, session, beside) for row in rows]


def listed_row(
    row: tuple[str, str, bool], place: Place, context: Context, session: "Session", beside: Mapping[str, Row]
) -> Row:
    namespace, name, is_temporary = row
    if not is_temporary and name in beside:
        return beside[name]
    if is_temporary:
        return temporary_row((namespace,) if namespace else (), name)
    found = find((place.catalog, *place.namespace, name), context, session)
    if not isinstance(found, Found):
        raise NotNative(f"the table {name}, gone while it was listed")
    return found_row(found)


def temporary_row(namespace: Sequence[str], name: str) -> Row:
    return (name, None, list(namespace), None, "TEMPORARY", True)


def found_row(found: Found) -> Row:
    identifier = found.name.identifier
    start = (identifier.name, found.name.catalog, list(identifier.namespace))
    if found.view is not None:
        return (*start, found.view.comment, "VIEW", False)
    told: Any = found.table
    kind = "MANAGED" if getattr(told, "managed", True) else "EXTERNAL"
    return (*start, told.properties.get("comment"), kind, False)


def table_row(message: Any, context: Context, session: "Session", missing_ok: bool = False) -> Row | None:
    parts = parts_named(message, context)
    found = find(parts, context, session)
    if found is None:
        if missing_ok:
            return None
        raise missing(parts, context)
    if isinstance(found, TemporaryView):
        return temporary_row(found.namespace, found.name)
    return found_row(found)


def parts_named(message: Any, context: Context) -> tuple[str, ...]:
    """With a database of its own, the table is looked for there, in the session catalog."""
    if not message.HasField("db_name"):
        return parsed(message.table_name, context)
    if message.db_name.lower() == GLOBAL:
        return (GLOBAL, message.table_name)
    return ("spark_catalog", message.db_name, message.table_name)


def missing(parts: Sequence[str], context: Context) -> SparkError:
    current = quoted((context.catalog, context.database))
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts), searchPath=f"[`system`.`session`, {current}]"
    )


def column_rows(message: Any, context: Context, session: "Session") -> list[Row]:
    parts = parts_named(message, context)
    found = find(parts, context, session)
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
    """Those that a table is partitioned by in this way."""
    if isinstance(found, TemporaryView) or found.table is None:
        return set()
    return {each.column[0] for each in found.table.partitioning if type(each).__name__ == transform}


def clustering_columns(found: Any) -> set[str]:
    """Not those inside of structs."""
    if isinstance(found, TemporaryView) or found.table is None:
        return set()
    named = json.loads(found.table.properties.get("clusteringColumns", "[]"))
    return {path[0] for path in named if len(path) == 1}


# ---- what one table tells


def found_named(name: str, context: Context, session: "Session") -> tuple[tuple[str, ...], Any]:
    parts = parsed(name, context)
    found = find(parts, context, session)
    if found is None:
        raise missing(parts, context)
    return parts, found


def get_table_properties(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    _, found = found_named(message.table_name, context, session)
    return lambda: relation_rows(PROPERTY, sql_shows.property_rows(found, None))


def get_create_table_string(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    if message.as_serde:
        raise NotNative("SHOW CREATE TABLE AS SERDE")
    parts, found = found_named(message.table_name, context, session)
    if isinstance(found, TemporaryView):
        raise SparkError("UNSUPPORTED_SHOW_CREATE_TABLE.ON_TEMPORARY_VIEW", tableName=quoted(parts))
    return lambda: relation_rows(TEXT, [(sql_shows.create_text(found, context),)])


def table_only(operation: str) -> Callable[[Any, Context, "Session"], Found]:
    def look(message: Any, context: Context, session: "Session") -> Found:
        parts, found = found_named(message.table_name, context, session)
        if isinstance(found, TemporaryView) or found.view is not None:
            raise sql_shows.expected_table(found, parts, operation)
        assert isinstance(found, Found)
        return found

    return look


def list_partitions(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    found = table_only("Catalog.listPartitions")(message, context, session)
    return lambda: relation_rows(PARTITION, [(path,) for path in sql_table_text.partitions(found)])


def recover_partitions(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    found = table_only("recoverPartitions()")(message, context, session)
    sql_table_text.check_partitioned(found, "ALTER TABLE RECOVER PARTITIONS")

    def recover() -> Answer:
        session.catalogs.get(found.name.catalog).recover_partitions(found.name.identifier)
        return relation_rows(DONE, [])

    return recover


def analyze_table(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    """Our tables know their statistics as they are written: there is nothing to gather."""
    table_only("Catalog.analyzeTable")(message, context, session)
    return lambda: relation_rows(DONE, [])


# ---- what SQL does too


def truncate_table(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    found = table_only("Catalog.truncateTable")(message, context, session)
    return by_sql(f"TRUNCATE TABLE {quoted(found.name.qualifier)}", context, session)


def drop_table(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    words = f"DROP TABLE {'IF EXISTS ' if message.if_exists else ''}{quoted(parsed(message.table_name, context))}"
    return by_sql(f"{words}{' PURGE' if message.purge else ''}", context, session)


def drop_view(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    words = f"DROP VIEW {'IF EXISTS ' if message.if_exists else ''}{quoted(parsed(message.view_name, context))}"
    return by_sql(words, context, session)


def by_sql(text: str, context: Context, session: "Session") -> Callable[[], Answer]:
    run = statement_of(text, context, session)

    def carry_out() -> Answer:
        run()
        return relation_rows(DONE, [])

    return carry_out


def statement_of(text: str, context: Context, session: "Session") -> Callable[[], Answer]:
    """A statement of our own making: errors do not point into a text that nobody wrote."""
    from twinspark.session.sql_commands import session_statement

    try:
        made = session_statement(parse_statement(text, parser_config(context)), text, context, session)
    except SparkError as error:
        error.contexts = ()
        raise
    return made


def create_table(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    text = create_text(message, context)
    make = statement_of(text, context, session)

    def carry_out() -> Answer:
        make()
        from pyspark.sql.connect.proto import relations_pb2

        relation = relations_pb2.Relation()
        relation.read.named_table.unparsed_identifier = message.table_name
        cursor = session.shared.native.cursor()
        query = Query.read(relation, session.surroundings().context(cursor), cursor)
        return table_answer(query.plan.schema, query.stream().read_all())

    return carry_out


def create_text(message: Any, context: Context) -> str:
    """CREATE TABLE as it would be written."""
    columns = ""
    if message.HasField("schema"):
        fields = read_type(message.schema).fields
        columns = ", ".join(f"{quoted((f.name,))} {f.dataType.simpleString()}{required(f)}" for f in fields)
    source = message.source if message.HasField("source") else context.conf("spark.sql.sources.default")
    options = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in sorted(message.options.items()))
    told = [
        f"CREATE TABLE {quoted(parsed(message.table_name, context))}",
        f"({columns})" if columns else "",
        f"USING {quoted((source,))}",
        f"OPTIONS ({options})" if options else "",
        f"LOCATION {literal(message.path)}" if message.HasField("path") else "",
        f"COMMENT {literal(message.description)}" if getattr(message, "description", "") else "",
    ]
    return " ".join(filter(None, told))


def required(field: StructField) -> str:
    return "" if field.nullable else " NOT NULL"


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


TABLE_CALLS: dict[str, Callable[[Any, Context, "Session"], Callable[[], Answer]]] = {
    "get_table_properties": get_table_properties,
    "get_create_table_string": get_create_table_string,
    "list_partitions": list_partitions,
    "recover_partitions": recover_partitions,
    "analyze_table": analyze_table,
    "truncate_table": truncate_table,
    "drop_table": drop_table,
    "drop_view": drop_view,
    "create_table": create_table,
    "create_external_table": create_table,
}
