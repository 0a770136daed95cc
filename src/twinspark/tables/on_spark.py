"""What a plain Spark must be told so that it reads our tables by their names: views over Parquet, external tables."""

import json

from twinspark.tables.catalog import Identifier
from twinspark.tables.delta import DeltaTable
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.session_catalog import SessionCatalog, View
from twinspark.tables.spark_scan import spark_query
from twinspark.types import quote_identifier, sql_name


def make_database(database: str) -> str:
    return f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)}"


def forget(database: str, name: str) -> str:
    return f"DROP VIEW IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"


def shown(home: SessionCatalog, identifier: Identifier, known: str | None) -> tuple[str, list[str]]:
    """The state that Spark will see, and the statements that show it; none when it knows that state."""
    view = home.load_view(identifier)
    if view is not None:
        return view_state(view, known)
    table = home.load_table(identifier)
    if isinstance(table, IcebergTable):
        state = str(table.table.metadata_location)
        return state, [] if state == known else [view_over(identifier, spark_query(table.scan()))]
    if isinstance(table, DeltaTable):
        return "", []  # a Spark without Delta's jar cannot read it: it says that the table is not there
    return file_table_state(table, known)


def view_over(identifier: Identifier, query: str) -> str:
    return f"CREATE OR REPLACE VIEW {identifier} AS {query}"


def view_state(view: View, known: str | None) -> tuple[str, list[str]]:
    """Names in the view's text are looked up where it was made."""
    state = f"{view.text} in {view.namespace} as {view.columns}"
    if state == known:
        return state, []
    there = ".".join(map(quote_identifier, view.namespace))
    names = f" ({', '.join(map(quote_identifier, view.columns))})" if view.columns else ""
    made = f"CREATE OR REPLACE VIEW {view.identifier}{names} AS {view.text}"
    return state, [make_database(view.namespace[0]), f"USE {there}", made, "USE default"]


def file_table_state(table: FileTable, known: str | None) -> tuple[str, list[str]]:
    """An external table of Spark's own over the same directory; its files are listed anew each time."""
    state = json.dumps(table.definition(), sort_keys=True)
    refresh = [f"ALTER TABLE {table.identifier} RECOVER PARTITIONS"] if table.partitioning else []
    refresh.append(f"REFRESH TABLE {table.identifier}")
    if state == known:
        return state, refresh
    return state, [f"DROP TABLE IF EXISTS {table.identifier}", external_table(table), *refresh]


def external_table(table: FileTable) -> str:
    columns = ", ".join(f"{quote_identifier(f.name)} {sql_name(f.dataType)}" for f in table.schema.fields)
    options = ", ".join(f"{text(key)} {text(value)}" for key, value in table.options.items())
    partitions = ", ".join(map(quote_identifier, table.partition_names))
    return "".join([
        f"CREATE TABLE {table.identifier} ({columns}) USING {table.provider} ",
        f"OPTIONS ({options}) " if options else "",
        f"PARTITIONED BY ({partitions}) " if partitions else "",
        f"LOCATION {text(table.location)}",
    ])  # fmt: skip


def text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
