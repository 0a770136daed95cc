"""What a plain Spark must be told so that it reads our tables by their names: views over Parquet, external tables."""

import hashlib
import json
import os

from twinspark.tables.catalog import Identifier
from twinspark.tables.delta import DeltaTable
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.listing import local_path
from twinspark.tables.session_catalog import SessionCatalog, View
from twinspark.tables.spark_scan import spark_query
from twinspark.types import quote_identifier, sql_name

FILES = "files: "  # begins the state of a table of files; the rest is the name of Spark's table over them


def make_database(database: str) -> str:
    return f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)}"


def forget(database: str, name: str, state: str) -> list[str]:
    """What Spark had under a name: a view, and the table of files it may have stood for."""
    gone = [f"DROP VIEW IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"]
    return [*gone, f"DROP TABLE IF EXISTS {state.removeprefix(FILES)}"] if state.startswith(FILES) else gone


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
    """A view over an external table of Spark's own. A session of Spark keeps a table's list of files, whatever other
    sessions refresh: so the table has a name of its own for every state of the directory, and only the view stays."""
    aside = Identifier(table.identifier.namespace, f"{table.identifier.name}__{fingerprint(table)}")
    state = f"{FILES}{aside}"
    if state == known:
        return state, []
    partitions = [f"ALTER TABLE {aside} RECOVER PARTITIONS"] if table.partitioning else []
    shown = view_over(table.identifier, f"SELECT * FROM {aside}")
    old = forget(table.identifier.namespace[0], table.identifier.name, known) if known else []
    return state, [f"DROP TABLE IF EXISTS {aside}", external_table(table, aside), *partitions, shown, *old[1:]]


def fingerprint(table: FileTable) -> str:
    """Changes when the definition or any file does."""
    digest = hashlib.blake2b(json.dumps(table.definition(), sort_keys=True).encode(), digest_size=8)
    for folder, _, names in sorted(os.walk(local_path(table.location))):
        for name in sorted(names):
            found = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()


def external_table(table: FileTable, name: Identifier) -> str:
    columns = ", ".join(f"{quote_identifier(f.name)} {sql_name(f.dataType)}" for f in table.schema.fields)
    options = ", ".join(f"{text(key)} {text(value)}" for key, value in table.options.items())
    partitions = ", ".join(map(quote_identifier, table.partition_names))
    return "".join([
        f"CREATE TABLE {name} ({columns}) USING {table.provider} ",
        f"OPTIONS ({options}) " if options else "",
        f"PARTITIONED BY ({partitions}) " if partitions else "",
        f"LOCATION {text(table.location)}",
    ])  # fmt: skip


def text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
