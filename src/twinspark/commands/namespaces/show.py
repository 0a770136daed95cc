"""SHOW TABLES, VIEWS, COLUMNS, TBLPROPERTIES, CREATE TABLE and TABLE EXTENDED, for the session and the catalogs."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.ddl.describe_partition import partition_information
from twinspark.commands.names import (
    SESSION_CATALOG,
    CatalogEntry,
    QualifiedNamespace,
    TemporaryView,
    catalog_at,
    check_exists,
    constant,
    find,
    matching,
    not_found,
    parts_of,
    place_of,
    quoted,
    schema_of,
    with_position,
)
from twinspark.commands.namespaces import table_details
from twinspark.commands.namespaces.redaction import redact
from twinspark.commands.namespaces.system_listings import is_below_system, is_system_table, system_table_rows
from twinspark.commands.results import Answer, answer, flag, text
from twinspark.commands.views.view_details import create_statement, details, shown_properties, temporary_details
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.relay.catalog import Row
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import GLOBAL
from twinspark.types import quote_identifier, quote_if_needed

TABLES = StructType([text("namespace"), text("tableName"), flag("isTemporary")])
VIEWS = StructType([text("namespace"), text("viewName"), flag("isTemporary")])
EXTENDED = StructType([*TABLES.fields, text("information")])
COLUMNS = StructType([text("col_name")])
PROPERTIES = StructType([text("key"), text("value")])
STATEMENT = StructType([text("createtab_stmt")])
PARTITIONS = StructType([text("partition")])
Listed = tuple[str, str, bool]


# ---- lists


def show_tables(statement: Any, source: str, context: Context, services: Services) -> Any:
    if statement.namespace is not None:
        parts = parts_of(statement.namespace, source, context, services)
        if is_below_system(parts, context):
            return lambda: answer(TABLES, system_table_rows(parts, statement.pattern))
    place = current_or(statement.namespace, source, context, services)
    return lambda: answer(TABLES, tables_in(place, statement.pattern, services))


def show_views(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = current_or(statement.namespace, source, context, services)
    return lambda: answer(VIEWS, views_in(place, statement.pattern, services))


def current_or(namespace: Any, source: str, context: Context, services: Services) -> QualifiedNamespace:
    parts = (context.database,) if namespace is None else parts_of(namespace, source, context, services)
    return place_of(parts, context, services)


def tables_in(place: QualifiedNamespace, pattern: str | None, services: Services) -> list[Listed]:
    beside = on_spark(place, services)
    return list_names(place, pattern, services, lambda catalog: catalog.list_tables(place.namespace), beside)


def views_in(place: QualifiedNamespace, pattern: str | None, services: Services) -> list[Listed]:
    beside = {name: row for name, row in on_spark(place, services).items() if row[4] == "VIEW"}
    return list_names(place, pattern, services, lambda catalog: catalog.list_views(place.namespace), beside)


def on_spark(place: QualifiedNamespace, services: Services) -> dict[str, Row]:
    """Tables and views that were created on Spark: rows of listTables() by name."""
    spark = services.spark_catalog() if place.catalog == SESSION_CATALOG else None
    return {} if spark is None or place.namespace == (GLOBAL,) else spark.tables(place.namespace[0])


def list_names(
    place: QualifiedNamespace, pattern: str | None, services: Services, list_in: Any, beside: Mapping[str, Row]
) -> list[Listed]:
    """Names of the catalog and of Spark's catalog, then the session's temporary views."""
    names: list[str] = []
    if place.namespace != (GLOBAL,):
        check_exists(place, services)
        names = [*(each.name for each in list_in(catalog_at(place, services))), *beside]
    shown = ".".join(map(quote_if_needed, place.namespace))
    return [(shown, name, False) for name in matching(names, pattern)] + temporary_in(place, pattern, services)


def temporary_in(place: QualifiedNamespace, pattern: str | None, services: Services) -> list[Listed]:
    keys = services.views.snapshot()
    own = matching([key[0] for key in keys if len(key) == 1], pattern)
    shared = matching([key[1] for key in keys if len(key) == 2], pattern) if place.namespace == (GLOBAL,) else []
    return [(GLOBAL, name, True) for name in shared] + [("", name, True) for name in own]


def show_extended(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = current_or(statement.namespace, source, context, services)
    if statement.partition is not None:
        named = (place.catalog, *place.namespace, statement.pattern)
        row = partition_information(named, statement.partition, source, context, services)
        return lambda: answer(EXTENDED, [row])

    def show() -> Answer:
        found = tables_in(place, statement.pattern, services)
        return answer(EXTENDED, [(*row, information(row, place, context, services)) for row in found])

    return show


def information(row: Listed, place: QualifiedNamespace, context: Context, services: Services) -> str:
    namespace, name, is_temporary = row
    if not is_temporary and name in on_spark(place, services):
        return services.spark.catalog().information(place.namespace[0], name)
    parts = ((namespace,) if namespace else ()) + (name,) if is_temporary else (place.catalog, *place.namespace, name)
    found = find(parts, context, services)
    rows: list[tuple[str, str]]
    if isinstance(found, TemporaryView):
        rows = temporary_details(found, context.config)
    elif found is not None and found.view is not None:
        rows = details(found.name, found.view, context.config)
    elif found is not None and (table := table_details.file_table(found)) is not None:
        rows = table_details.details(found, table, services)
        columns = ", ".join(map(quote_identifier, table.partition_names))
        rows += [("Partition Columns", f"[{columns}]")] if columns else []
    elif found is not None:
        rows = table_details.catalog_details(found)
    else:
        raise NotNative(reasons.CONCURRENT_CHANGE, f"table {name} was dropped while tables were listed")
    schema = schema_of(parts, context).treeString()
    return "".join(f"{key}: {value}\n" for key, value in rows) + f"Schema: {schema}\n"


# ---- one table or view


def found_of(node: Any, source: str, context: Context, services: Services) -> tuple[tuple[str, ...], Any]:
    parts = parts_of(node, source, context, services)
    found = find(parts, context, services)
    if found is None:
        raise not_found(node, source, parts, context)
    return parts, found


def show_columns(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.table, source, context, services)
    if statement.namespace is not None:
        namespace = parts_of(statement.namespace, source, context, services)
        check_same(parts, namespace)
        parts = (*namespace, parts[-1])
    if not is_system_table(parts, context) and find(parts, context, services) is None:
        raise not_found(statement.table, source, parts, context)
    return lambda: answer(COLUMNS, [(name,) for name in schema_of(parts, context).names])


def check_same(parts: tuple[str, ...], namespace: tuple[str, ...]) -> None:
    written = parts[:-1]
    if written and [part.lower() for part in written] != [part.lower() for part in namespace]:
        raise SparkError(
            "SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", namespaceA=quoted(namespace), namespaceB=quoted(written)
        )


def show_properties(statement: Any, source: str, context: Context, services: Services) -> Any:
    _, found = found_of(statement.table, source, context, services)
    return lambda: answer(PROPERTIES, property_rows(found, statement.key))


def property_rows(found: TemporaryView | CatalogEntry, key: str | None) -> list[tuple[str, str]]:
    if isinstance(found, TemporaryView):
        return []
    properties = properties_of(found)
    if key is None:
        return sorted(properties.items())
    name = ".".join(map(quote_if_needed, found.name.qualifier))
    return [(key, properties.get(key, f"Table {name} does not have property: {key}"))]


def properties_of(found: CatalogEntry) -> Mapping[str, str]:
    if found.view is not None:
        return redact(shown_properties(found.view))
    from twinspark.tables.describe import all_properties, plain

    table: Any = found.table
    return redact(dict(plain(all_properties(table))))


def show_create(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts, found = found_of(statement.table, source, context, services)
    if statement.as_serde and (isinstance(found, TemporaryView) or found.view is None):
        raise NotNative(reasons.SQL_CLAUSE, "SHOW CREATE TABLE AS SERDE")
    if isinstance(found, TemporaryView):
        problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation="SHOW CREATE TABLE")
        raise with_position(problem, statement.table, source)
    return lambda: answer(STATEMENT, [(create_text(found, context),)])


def create_text(found: CatalogEntry, context: Context) -> str:
    if found.view is not None:
        return create_statement(found.view, context.config)
    from twinspark.tables.describe import show_create_table

    table: Any = found.table
    if table_details.file_table(found) is not None:
        table = table_details.as_created(table)
    return show_create_table(table, found.name.catalog, bool(getattr(table, "managed", True)))


def show_partitions(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts, found = found_of(statement.table, source, context, services)
    if isinstance(found, TemporaryView) or found.view is not None:
        raise with_position(expected_table(found, parts, "SHOW PARTITIONS"), statement.table, source)
    wanted = partition_values(statement.partition, source, context, services)
    return lambda: answer(PARTITIONS, [(path,) for path in table_details.partitions(found, wanted)])


def partition_values(spec: Any, source: str, context: Context, services: Services) -> list[tuple[str, Any]]:
    if spec is None:
        return []
    pairs = [(name, constant(value, source, context, services)) for name, value in spec.values]
    if not all(isinstance(value, int) or (isinstance(value, str) and value.isalnum()) for _, value in pairs):
        raise NotNative(reasons.DESCRIBE_OUTPUT, "SHOW PARTITIONS of values that are escaped in paths")
    return pairs


def expected_table(found: TemporaryView | CatalogEntry, parts: tuple[str, ...], operation: str) -> SparkError:
    shown = quoted(parts) if isinstance(found, TemporaryView) else quoted(found.name.qualifier)
    return SparkError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=shown, operation=operation)
