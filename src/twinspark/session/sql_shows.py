"""SHOW TABLES, VIEWS, COLUMNS, TBLPROPERTIES, CREATE TABLE and TABLE EXTENDED, over the session and the catalogs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.session import sql_table_text
from twinspark.session.spark_catalog import Row, SparkCatalog
from twinspark.session.sql_names import (
    SESSION_CATALOG,
    Found,
    Place,
    TemporaryView,
    catalog_at,
    check_exists,
    constant,
    find,
    located,
    matching,
    not_found,
    parts_of,
    place_of,
    quoted,
    schema_of,
)
from twinspark.session.sql_redaction import redacted
from twinspark.session.sql_results import Answer, answer, flag, text
from twinspark.session.sql_view_text import create_statement, details, shown_properties, temporary_details
from twinspark.session.table_commands_describe import partition_information
from twinspark.session.views import GLOBAL
from twinspark.types import quote_identifier, quote_if_needed

if TYPE_CHECKING:
    from twinspark.session.session import Session

TABLES = StructType([text("namespace"), text("tableName"), flag("isTemporary")])
VIEWS = StructType([text("namespace"), text("viewName"), flag("isTemporary")])
EXTENDED = StructType([*TABLES.fields, text("information")])
COLUMNS = StructType([text("col_name")])
PROPERTIES = StructType([text("key"), text("value")])
STATEMENT = StructType([text("createtab_stmt")])
PARTITIONS = StructType([text("partition")])
Listed = tuple[str, str, bool]


# ---- lists


def show_tables(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = current_or(statement.namespace, source, context, session)
    return lambda: answer(TABLES, tables_in(place, statement.pattern, session))


def show_views(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = current_or(statement.namespace, source, context, session)
    return lambda: answer(VIEWS, views_in(place, statement.pattern, session))


def current_or(namespace: Any, source: str, context: Context, session: "Session") -> Place:
    parts = (context.database,) if namespace is None else parts_of(namespace, source, context, session)
    return place_of(parts, context, session)


def tables_in(place: Place, pattern: str | None, session: "Session") -> list[Listed]:
    beside = on_spark(place, session)
    return listed(place, pattern, session, lambda catalog: catalog.list_tables(place.namespace), beside)


def views_in(place: Place, pattern: str | None, session: "Session") -> list[Listed]:
    beside = {name: row for name, row in on_spark(place, session).items() if row[4] == "VIEW"}
    return listed(place, pattern, session, lambda catalog: catalog.list_views(place.namespace), beside)


def on_spark(place: Place, session: "Session") -> dict[str, Row]:
    """Tables and views that were made on Spark: rows of listTables() by name."""
    spark = session.spark_catalog() if place.catalog == SESSION_CATALOG else None
    return {} if spark is None or place.namespace == (GLOBAL,) else spark.tables(place.namespace[0])


def listed(
    place: Place, pattern: str | None, session: "Session", list_in: Any, beside: Mapping[str, Row]
) -> list[Listed]:
    """Those of the catalog and those beside it by name, then the session's own."""
    names: list[str] = []
    if place.namespace != (GLOBAL,):
        check_exists(place, session)
        names = [*(each.name for each in list_in(catalog_at(place, session))), *beside]
    shown = ".".join(map(quote_if_needed, place.namespace))
    return [(shown, name, False) for name in matching(names, pattern)] + temporary_in(place, pattern, session)


def temporary_in(place: Place, pattern: str | None, session: "Session") -> list[Listed]:
    keys = session.views.snapshot()
    own = matching([key[0] for key in keys if len(key) == 1], pattern)
    shared = matching([key[1] for key in keys if len(key) == 2], pattern) if place.namespace == (GLOBAL,) else []
    return [(GLOBAL, name, True) for name in shared] + [("", name, True) for name in own]


def show_extended(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = current_or(statement.namespace, source, context, session)
    if statement.partition is not None:
        named = (place.catalog, *place.namespace, statement.pattern)
        row = partition_information(named, statement.partition, source, context, session)
        return lambda: answer(EXTENDED, [row])

    def show() -> Answer:
        found = tables_in(place, statement.pattern, session)
        return answer(EXTENDED, [(*row, information(row, place, context, session)) for row in found])

    return show


def information(row: Listed, place: Place, context: Context, session: "Session") -> str:
    namespace, name, is_temporary = row
    if not is_temporary and name in on_spark(place, session):
        return SparkCatalog(session).information(place.namespace[0], name)
    parts = ((namespace,) if namespace else ()) + (name,) if is_temporary else (place.catalog, *place.namespace, name)
    found = find(parts, context, session)
    rows: list[tuple[str, str]]
    if isinstance(found, TemporaryView):
        rows = temporary_details(found, context.config)
    elif found is not None and found.view is not None:
        rows = details(found.name, found.view, context.config)
    elif found is not None and (table := sql_table_text.file_table(found)) is not None:
        rows = sql_table_text.details(found, table, session)
        columns = ", ".join(map(quote_identifier, table.partition_names))
        rows += [("Partition Columns", f"[{columns}]")] if columns else []
    elif found is not None:
        rows = sql_table_text.catalog_details(found)
    else:
        raise NotNative(f"SQL: SHOW TABLE EXTENDED of {name}, gone while it was listed")
    schema = schema_of(parts, context).treeString()
    return "".join(f"{key}: {value}\n" for key, value in rows) + f"Schema: {schema}\n"


# ---- of one table or view


def found_of(node: Any, source: str, context: Context, session: "Session") -> tuple[tuple[str, ...], Any]:
    parts = parts_of(node, source, context, session)
    found = find(parts, context, session)
    if found is None:
        raise not_found(node, source, parts, context)
    return parts, found


def show_columns(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.table, source, context, session)
    if statement.namespace is not None:
        namespace = parts_of(statement.namespace, source, context, session)
        check_same(parts, namespace)
        parts = (*namespace, parts[-1])
    if find(parts, context, session) is None:
        raise not_found(statement.table, source, parts, context)
    return lambda: answer(COLUMNS, [(name,) for name in schema_of(parts, context).names])


def check_same(parts: tuple[str, ...], namespace: tuple[str, ...]) -> None:
    written = parts[:-1]
    if written and [part.lower() for part in written] != [part.lower() for part in namespace]:
        raise SparkError(
            "SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", namespaceA=quoted(namespace), namespaceB=quoted(written)
        )


def show_properties(statement: Any, source: str, context: Context, session: "Session") -> Any:
    _, found = found_of(statement.table, source, context, session)
    return lambda: answer(PROPERTIES, property_rows(found, statement.key))


def property_rows(found: TemporaryView | Found, key: str | None) -> list[tuple[str, str]]:
    if isinstance(found, TemporaryView):
        return []
    told = properties_of(found)
    if key is None:
        return sorted(told.items())
    name = ".".join(map(quote_if_needed, found.name.qualifier))
    return [(key, told.get(key, f"Table {name} does not have property: {key}"))]


def properties_of(found: Found) -> Mapping[str, str]:
    if found.view is not None:
        return redacted(shown_properties(found.view))
    from twinspark.tables.describe import plain, told_properties

    table: Any = found.table
    return redacted(dict(plain(told_properties(table))))


def show_create(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts, found = found_of(statement.table, source, context, session)
    if statement.as_serde and (isinstance(found, TemporaryView) or found.view is None):
        raise NotNative("SQL: SHOW CREATE TABLE AS SERDE")
    if isinstance(found, TemporaryView):
        problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation="SHOW CREATE TABLE")
        raise located(problem, statement.table, source)
    return lambda: answer(STATEMENT, [(create_text(found, context),)])


def create_text(found: Found, context: Context) -> str:
    if found.view is not None:
        return create_statement(found.view, context.config)
    from twinspark.tables.describe import show_create_table

    table: Any = found.table
    if sql_table_text.file_table(found) is not None:
        table = sql_table_text.as_created(table)
    return show_create_table(table, found.name.catalog, bool(getattr(table, "managed", True)))


def show_partitions(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts, found = found_of(statement.table, source, context, session)
    if isinstance(found, TemporaryView) or found.view is not None:
        raise located(expected_table(found, parts, "SHOW PARTITIONS"), statement.table, source)
    wanted = partition_values(statement.partition, source, context, session)
    return lambda: answer(PARTITIONS, [(path,) for path in sql_table_text.partitions(found, wanted)])


def partition_values(spec: Any, source: str, context: Context, session: "Session") -> list[tuple[str, Any]]:
    if spec is None:
        return []
    pairs = [(name, constant(value, source, context, session)) for name, value in spec.values]
    if not all(isinstance(value, int) or (isinstance(value, str) and value.isalnum()) for _, value in pairs):
        raise NotNative("SQL: SHOW PARTITIONS of values that paths escape")
    return pairs


def expected_table(found: TemporaryView | Found, parts: tuple[str, ...], operation: str) -> SparkError:
    shown = quoted(parts) if isinstance(found, TemporaryView) else quoted(found.name.qualifier)
    return SparkError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=shown, operation=operation)
