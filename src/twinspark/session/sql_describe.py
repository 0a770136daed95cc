"""DESCRIBE of tables, views, columns and queries."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.read.walk import Walk, read_query
from twinspark.session import sql_table_text
from twinspark.session.sql_names import Found, TemporaryView, find, located, parts_of, quoted, schema_of
from twinspark.session.sql_results import Answer, answer, text
from twinspark.session.sql_view_text import details
from twinspark.session.table_commands_describe import describe_partition
from twinspark.tables.names import not_found as relation_not_found

if TYPE_CHECKING:
    from twinspark.session.session import Session

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


def describe_query(statement: Any, source: str, context: Context, session: "Session") -> Any:
    found = read_query(statement.query, Walk(source, context)).plain().schema
    return lambda: answer(TABLE, column_rows(found.fields))


def column_rows(fields: Iterable[StructField]) -> list[Row]:
    return [(each.name, type_text(each), (each.metadata or {}).get("comment")) for each in fields]


def type_text(field: StructField) -> str:
    return str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING") or field.dataType.simpleString())


def describe_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    if statement.partition is not None:
        return describe_partition(statement, source, TABLE, context, session)
    if statement.as_json:
        raise NotNative("SQL: DESCRIBE as JSON")
    parts = parts_of(statement.name, source, context, session)
    found = find(parts, context, session)
    if found is None:
        raise located(relation_not_found(parts, context), statement.name, source)
    if statement.column:
        return describe_column(statement, parts, found, context, session)
    return lambda: answer(TABLE, table_rows(parts, found, statement.extended, context, session))


def table_rows(
    parts: tuple[str, ...], found: TemporaryView | Found, extended: bool, context: Context, session: "Session"
) -> list[Row]:
    if isinstance(found, Found) and found.table is not None:
        from twinspark.tables.describe import describe_table as of_table

        table: Any = found.table
        files = sql_table_text.file_table(found)
        rows = of_table(table, found.name.catalog, extended and files is None)
        if files is None:
            return rows
        more = detail_rows(sql_table_text.details(found, files, session)) if extended else []
        return [*rows, *more, *sql_table_text.default_rows(files.schema)]
    rows = column_rows(shown_schema(parts, found, context).fields)
    if isinstance(found, Found) and found.view is not None and extended:
        rows += detail_rows(details(found.name, found.view, context.config))
    return rows


def shown_schema(parts: tuple[str, ...], found: TemporaryView | Found, context: Context) -> StructType:
    """A view that a catalog keeps shows the columns it was made with, whatever became of its tables."""
    if isinstance(found, Found) and found.view is not None:
        return StructType.fromJson(json.loads(found.view.schema))
    return schema_of(parts, context)


def detail_rows(told: Iterable[tuple[str, str]]) -> list[Row]:
    return [("", "", ""), ("# Detailed Table Information", "", ""), *((key, value, "") for key, value in told)]


def describe_column(statement: Any, parts: tuple[str, ...], found: Any, context: Context, session: "Session") -> Any:
    field = column_of(statement.column, shown_schema(parts, found, context), context)

    def describe() -> Answer:
        comment = (field.metadata or {}).get("comment", "NULL")
        rows = [("col_name", field.name), ("data_type", type_text(field)), ("comment", comment)]
        if statement.extended:
            if isinstance(found, Found) and found.table is not None and sql_table_text.file_table(found) is None:
                raise NotNative("SQL: DESCRIBE EXTENDED of a table's column tells its statistics")
            known = sql_table_text.column_statistics(found, field.name, session)
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
        raise NotNative("SQL: DESCRIBE of a nested column")
    return same[0]
