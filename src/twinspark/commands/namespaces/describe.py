"""DESCRIBE of tables, views, columns and queries."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql.types import StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.ddl.describe_partition import describe_partition
from twinspark.commands.names import CatalogEntry, TemporaryView, find, parts_of, quoted, schema_of, with_position
from twinspark.commands.namespaces import table_details
from twinspark.commands.namespaces.system_listings import is_system_table
from twinspark.commands.results import Answer, answer, text
from twinspark.commands.views.view_details import details
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.walk import Walk, read_query
from twinspark.sessions.services import Services
from twinspark.tables.names import not_found as relation_not_found

TABLE = StructType([
    text("col_name", comment="name of the column"),
    text("data_type", comment="data type of the column"),
    text("comment", nullable=True, comment="comment of the column"),
])  # fmt: skip
COLUMN = StructType([
    text("info_name", comment="name of the column info"),
    text("info_value", comment="value of the column info"),
])  # fmt: skip
STATISTICS = ("min", "max", "num_nulls", "distinct_count", "avg_col_len", "max_col_len")
Row = tuple[str | None, ...]


def describe_query(statement: Any, source: str, context: Context, services: Services) -> Any:
    found = read_query(statement.query, Walk(source, context)).plain().schema
    return lambda: answer(TABLE, column_rows(found.fields))


def column_rows(fields: Iterable[StructField]) -> list[Row]:
    return [(each.name, type_text(each), (each.metadata or {}).get("comment")) for each in fields]


def type_text(field: StructField) -> str:
    return str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING") or field.dataType.simpleString())


def describe_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    if statement.partition is not None:
        return describe_partition(statement, source, TABLE, context, services)
    if statement.as_json:
        raise NotNative(reasons.DESCRIBE_OUTPUT, "AS JSON")
    parts = parts_of(statement.name, source, context, services)
    if is_system_table(parts, context) and not statement.column:
        return lambda: answer(TABLE, column_rows(schema_of(parts, context).fields))
    found = find(parts, context, services)
    if found is None:
        raise with_position(relation_not_found(parts, context), statement.name, source)
    if statement.column:
        return describe_column(statement, parts, found, context, services)
    return lambda: answer(TABLE, table_rows(parts, found, statement.extended, context, services))


def table_rows(
    parts: tuple[str, ...], found: TemporaryView | CatalogEntry, extended: bool, context: Context, services: Services
) -> list[Row]:
    if isinstance(found, CatalogEntry) and found.table is not None:
        from twinspark.tables.describe import describe_table as of_table

        table: Any = found.table
        files = table_details.file_table(found)
        rows = of_table(table, found.name.catalog, extended and files is None)
        if files is None:
            return rows
        more = detail_rows(table_details.details(found, files, services)) if extended else []
        return [*rows, *more, *table_details.default_rows(files.schema)]
    rows = column_rows(shown_schema(parts, found, context).fields)
    if isinstance(found, CatalogEntry) and found.view is not None and extended:
        rows += detail_rows(details(found.name, found.view, context.config))
    return rows


def shown_schema(parts: tuple[str, ...], found: TemporaryView | CatalogEntry, context: Context) -> StructType:
    """A persisted view shows the columns it was created with, even if its tables have changed."""
    if isinstance(found, CatalogEntry) and found.view is not None:
        return StructType.fromJson(json.loads(found.view.schema))
    return schema_of(parts, context)


def detail_rows(pairs: Iterable[tuple[str, str]]) -> list[Row]:
    return [("", "", ""), ("# Detailed Table Information", "", ""), *((key, value, "") for key, value in pairs)]


def describe_column(statement: Any, parts: tuple[str, ...], found: Any, context: Context, services: Services) -> Any:
    field = column_of(statement.column, shown_schema(parts, found, context), context)

    def describe() -> Answer:
        comment = (field.metadata or {}).get("comment", "NULL")
        rows = [("col_name", field.name), ("data_type", type_text(field)), ("comment", comment)]
        if statement.extended:
            if isinstance(found, CatalogEntry) and found.table is not None and table_details.file_table(found) is None:
                raise NotNative(reasons.DESCRIBE_OUTPUT, "DESCRIBE EXTENDED of a column shows statistics")
            known = table_details.column_statistics(found, field.name, services)
            rows += [(name, known.get(name, "NULL")) for name in (*STATISTICS, "histogram")]
        return answer(COLUMN, rows)

    return describe


def column_of(path: Sequence[str], schema: StructType, context: Context) -> StructField:
    same = [f for f in schema.fields if f.name.lower() == path[0].lower()]
    if context.flag("spark.sql.caseSensitive"):
        same = [f for f in same if f.name == path[0]]
    if not same:
        raise SparkError("COLUMN_NOT_FOUND", colName=quoted(path), caseSensitiveConfig='"spark.sql.caseSensitive"')
    if len(path) > 1:
        raise NotNative(reasons.DESCRIBE_OUTPUT, "a nested column")
    return same[0]
