"""What a plain Spark must be told so that it reads our tables by their names: views over Parquet, external tables."""

import hashlib
import json
import os

from twinspark.tables.catalog import Identifier
from twinspark.tables.char_types import has_limit, raw_type
from twinspark.tables.delta import DeltaTable
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.listing import local_path
from twinspark.tables.session_catalog import SessionCatalog, View
from twinspark.tables.spark_scan import spark_query
from twinspark.types import quote_identifier, sql_name

BESIDE = "beside: "  # begins a state for which Spark has a table of its own beside the view; its name ends the line


def iceberg_state(table: IcebergTable, known: str | None) -> tuple[str, list[str]]:
    """A view over the files. Spark compares a CHAR by its declared length, which a plain query has not: an empty table
    of Spark's own stands first in the UNION where there is one, and the columns are its columns."""
    shape = shape_of(table)
    state = f"{BESIDE}{shape}\n{table.table.metadata_location}" if shape else str(table.table.metadata_location)
    if state == known:
        return state, []
    query = spark_query(table.scan())
    if shape is None:
        return state, [view_over(table.identifier, query)]
    empty = f"CREATE TABLE {shape} ({columns_ddl(table)}) USING parquet LOCATION {text(f'{table.location}/shape')}"
    both = f"SELECT * FROM {shape} UNION ALL {query}"
    shown = view_over(table.identifier, both)
    if known is not None and known.startswith(f"{BESIDE}{shape}\n"):
        return state, [shown]
    return state, [f"DROP TABLE IF EXISTS {shape}", empty, shown, *forget_beside(known)]


def shape_of(table: IcebergTable) -> Identifier | None:
    """Its name says its columns: a session of Spark keeps what it knows of a table."""
    if not any(has_limit(raw_type(field)) for field in table.schema.fields):
        return None
    digest = hashlib.blake2b(columns_ddl(table).encode(), digest_size=8).hexdigest()
    return Identifier(table.identifier.namespace, f"{table.identifier.name}__{digest}")


def columns_ddl(table: IcebergTable | FileTable) -> str:
    return ", ".join(f"{quote_identifier(f.name)} {sql_name(raw_type(f))}" for f in table.schema.fields)


def make_database(database: str) -> str:
    return f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)}"


def forget(database: str, name: str, state: str) -> list[str]:
    """What Spark had under a name: a view, and the table of files it may have stood for."""
    return [f"DROP VIEW IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}", *forget_beside(state)]


def forget_beside(state: str | None) -> list[str]:
    if state is None or not state.startswith(BESIDE):
        return []
    return [f"DROP TABLE IF EXISTS {state.removeprefix(BESIDE).splitlines()[0]}"]


def shown(home: SessionCatalog, identifier: Identifier, known: str | None) -> tuple[str, list[str]]:
    """The state that Spark will see, and the statements that show it; none when it knows that state."""
    view = home.load_view(identifier)
    if view is not None:
        return view_state(view, known)
    table = home.load_table(identifier)
    if isinstance(table, IcebergTable):
        return iceberg_state(table, known)
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
    state = f"{BESIDE}{aside}"
    if state == known:
        return state, []
    partitions = [f"ALTER TABLE {aside} RECOVER PARTITIONS"] if table.partitioning else []
    shown = view_over(table.identifier, f"SELECT * FROM {aside}")
    made = [f"DROP TABLE IF EXISTS {aside}", external_table(table, aside), *partitions, shown]
    return state, [*made, *forget_beside(known)]


def fingerprint(table: FileTable) -> str:
    """Changes when the definition or any file does."""
    digest = hashlib.blake2b(json.dumps(table.definition(), sort_keys=True).encode(), digest_size=8)
    for folder, _, names in sorted(os.walk(local_path(table.location))):
        for name in sorted(names):
            found = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()


def external_table(table: FileTable, name: Identifier) -> str:
    options = ", ".join(f"{text(key)} {text(value)}" for key, value in table.options.items())
    partitions = ", ".join(map(quote_identifier, table.partition_names))
    return "".join([
        f"CREATE TABLE {name} ({columns_ddl(table)}) USING {table.provider} ",
        f"OPTIONS ({options}) " if options else "",
        f"PARTITIONED BY ({partitions}) " if partitions else "",
        f"LOCATION {text(table.location)}",
    ])  # fmt: skip


def text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
