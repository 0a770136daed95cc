"""Statements that make our tables readable by name in a plain Spark: views over Parquet files, external tables."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twinspark.errors import NotNative
from twinspark.tables.catalog import COLLATION, SCHEMA_MODE, Identifier
from twinspark.tables.char_types import has_length_limit, raw_type
from twinspark.tables.delta.spark_sql import delta_query
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, unescape
from twinspark.tables.files.table import FileTable
from twinspark.tables.files.table_details import Statistics
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.names import make_database
from twinspark.tables.session_catalog import AnyTable, Function, SessionCatalog, View
from twinspark.tables.spark_scan import spark_query
from twinspark.types import StructType, quote_identifier, sql_name

TABLE = "table: "  # prefix of a state for which Spark has a table of the same name
BESIDE = "beside: "  # prefix of a state for which Spark has a view and a table of another name, which ends the line


NEW_TABLES = "_twinspark_new_tables"  # of a database's directory: where Spark creates tables that are moved at once
ADOPTED = "adopted: "  # prefix of a state for which Spark has a managed table: dropping that would remove our files
PARTITIONED = "adopted: with partitions "


@dataclass(frozen=True)
class Use:
    """What a request needs of our tables on Spark. `own`: this server started that Spark, which caches no file
    listings, so that it can have an external table of the same name. `describes`: the statement describes tables.
    `streams`: it reads or writes streams. `fills`: it defines the datasets of a pipeline, which Spark empties and
    fills."""

    own: bool = False
    describes: bool = False
    streams: bool = False
    fills: bool = False


def is_adopted(state: str) -> bool:
    return state.startswith(ADOPTED)


def adopted_state(table: AnyTable) -> str:
    """Of a managed table of Spark at the location of ours."""
    parts = table.definition() if isinstance(table, FileTable) else str(table.identifier)
    digest = hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8).hexdigest()
    return f"{PARTITIONED if isinstance(table, FileTable) and table.partitioning else ADOPTED}{digest}"


def list_partitions(database: str, name: str, state: str) -> str | None:
    return f"SHOW PARTITIONS {Identifier.of(database, name)}" if state.startswith(PARTITIONED) else None


def release(database: str, name: str, partitions: Sequence[str], nowhere: str) -> list[str]:
    """Statements that drop a managed table of Spark whose files are to stay: first its locations become `nowhere`."""
    table, place = Identifier.of(database, name), text(f"{nowhere}/{database}.{name}")
    moved = [f"ALTER TABLE {table} PARTITION ({partition_spec(path)}) SET LOCATION {place}" for path in partitions]
    return [*moved, f"ALTER TABLE {table} SET LOCATION {place}", f"DROP TABLE {table}"]


def managed_table_state(home: SessionCatalog, table: FileTable, known: str | None) -> tuple[str, list[str]]:
    """A managed table of Spark at our location. Spark creates those in the directory of the database only if they have
    no files there, so the database has another directory in the meantime."""
    state, ((database,), name) = adopted_state(table), (table.identifier.namespace, table.identifier.name)
    if state == known:
        return state, []
    place, own = f"ALTER DATABASE {quote_identifier(database)} SET LOCATION ", home.directory_of(database)
    partitions = partition_statements(table, table.identifier) if table.partitioning else []
    return state, [
        *forget(database, name, known or ""),
        f"{place}{text(f'{own}/{NEW_TABLES}')}",
        create_statement(table, table.identifier, ""),
        f"{place}{text(own)}",
        f"ALTER TABLE {table.identifier} SET LOCATION {text(table.location)}",
        *partitions,
    ]


def iceberg_state(table: IcebergTable, known: str | None) -> tuple[str, list[str]]:
    """A view over the files. Spark pads CHAR columns in comparisons by their declared length, which a plain query does
    not have: for such tables an empty Spark table comes first in the UNION, which gives the view its column types."""
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


def delta_state(table: DeltaTable, known: str | None) -> tuple[str, list[str]]:
    """A view over the files of the current version; none for tables that only Delta's reader can read."""
    try:
        version, query = delta_query(table)
    except NotNative:
        return "", []
    state = f"delta {version} of {table.location}"
    return state, [] if state == known else [view_over(table.identifier, query)]


def shape_of(table: IcebergTable) -> Identifier | None:
    """The empty table's name depends on its columns, since Spark sessions cache table metadata by name."""
    if not any(has_length_limit(raw_type(field)) for field in table.schema.fields):
        return None
    digest = hashlib.blake2b(columns_ddl(table).encode(), digest_size=8).hexdigest()
    return Identifier(table.identifier.namespace, f"{table.identifier.name}__{digest}")


def columns_ddl(table: IcebergTable | FileTable) -> str:
    return ", ".join(f"{quote_identifier(f.name)} {sql_name(raw_type(f))}" for f in table.schema.fields)


def forget(database: str, name: str, state: str) -> list[str]:
    """Statements that drop what Spark has under a name: a table, or a view and its external table."""
    assert not is_adopted(state), "a managed table of Spark is released"
    if not state or state.startswith(TABLE):
        return [f"DROP TABLE IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"] if state else []
    return [f"DROP VIEW IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}", *forget_beside(state)]


def forget_beside(state: str | None) -> list[str]:
    return [f"DROP TABLE IF EXISTS {table}" for table in tables_beside(state)]


def tables_beside(state: str | None) -> list[str]:
    if state is None or not state.startswith(BESIDE):
        return []
    return [state.removeprefix(BESIDE).splitlines()[0]]


PLAIN = Use()


def table_statements(
    home: SessionCatalog, identifier: Identifier, known: str | None, use: Use = PLAIN
) -> tuple[str, list[str]]:
    """The table's new state in Spark, and the statements that lead to it; none if Spark has that state. A table with
    partitions is a table there only for statements that describe it and for streams, which log the files that they
    write: other partitions that Spark adds would not be registered here."""
    if known is not None and is_adopted(known):
        return known, []  # changed ones are released before
    view = home.load_view(identifier)
    if view is not None:
        return view_state(view, known)
    table = home.load_table(identifier)
    if isinstance(table, IcebergTable):
        return iceberg_state(table, known)
    if isinstance(table, DeltaTable):
        return delta_state(table, known)
    if use.own and use.fills and table.managed:
        return managed_table_state(home, table, known)
    if not use.own or (table.partitioning and not (use.describes or use.streams)):
        return file_table_state(table, known)
    return plain_table_state(table, known, home.details(identifier).table if use.describes else None)


def plain_table_state(table: FileTable, known: str | None, counted: Statistics | None = None) -> tuple[str, list[str]]:
    """An external table of the same name in Spark, which finds new files at each read. Statistics of ANALYZE are
    computed there, too."""
    definition = json.dumps([table.definition(), table.partition_paths, dict(table.places)], sort_keys=True).encode()
    state = f"{TABLE}{hashlib.blake2b(definition, digest_size=8).hexdigest()}"
    analyzed = state if counted is None else f"{state} {counted}"
    if known == analyzed:
        return analyzed, []
    (database,), name = table.identifier.namespace, table.identifier.name
    before = [*forget(database, name, known or ""), f"DROP TABLE IF EXISTS {table.identifier}"]
    partitions = partition_statements(table, table.identifier) if table.partitioning else []
    statistics = [] if counted is None else [analyze(table.identifier, counted)]
    return analyzed, [*before, external_table(table, table.identifier), *partitions, *statistics]


def analyze(name: Identifier, counted: Statistics) -> str:
    """The ANALYZE statement that computes the same statistics."""
    columns = ", ".join(map(quote_identifier, counted.columns))
    how = f" FOR COLUMNS {columns}" if columns else " NOSCAN" if counted.rows is None else ""
    return f"ANALYZE TABLE {name} COMPUTE STATISTICS{how}"


def changes_kind(known: str, state: str) -> bool:
    """Whether a view replaces a table in Spark, or a table a view."""
    return known.startswith(TABLE) and not state.startswith(TABLE)


def view_over(identifier: Identifier, query: str) -> str:
    return f"CREATE OR REPLACE VIEW {identifier} AS {query}"


def view_state(view: View, known: str | None) -> tuple[str, list[str]]:
    """Names in the view's text are resolved in the namespace and with the settings of its creation."""
    comments = view.comments or (None,) * len(view.columns)
    columns = ", ".join(map(column_of_view, view.columns, comments))
    names = f" ({columns})" if columns else ""
    mode = view.properties.get(SCHEMA_MODE, "")
    evolving = f" WITH SCHEMA {mode}" if mode.endswith("EVOLUTION") else ""
    names = "" if mode == "EVOLUTION" else names  # in this mode the view's columns are those of the query
    collation = view.properties.get(COLLATION)
    collated = f" DEFAULT COLLATION {collation}" if collation else ""
    clauses = f"{names}{comment(view.comment)}{collated}{evolving}"
    made = f"CREATE OR REPLACE VIEW {view.identifier}{clauses} AS {view.text}"
    state = f"{made} in {view.namespace} by {sorted(view.config.items())}"
    return state, [] if state == known else with_settings(made, view.namespace[0], view.config)


def column_of_view(name: str, comment_text: str | None) -> str:
    return f"{quote_identifier(name)}{comment(comment_text)}"


def comment(comment_text: str | None) -> str:
    return "" if comment_text is None else f" COMMENT {text(comment_text)}"


def with_settings(statement: str, database: str, config: Mapping[str, str]) -> list[str]:
    settings = [f"SET {key}={value}" for key, value in config.items()]
    back = [f"RESET {key}" for key in config]
    return [make_database(database), f"USE {quote_identifier(database)}", *settings, statement, *back, "USE default"]


def function_state(function: Function, known: str | None) -> tuple[str, list[str]]:
    """CREATE FUNCTION in Spark; the body is resolved in the database and with the settings of its creation."""
    definition = function.definition
    state = json.dumps(dict(definition), sort_keys=True)
    if state == known:
        return state, []
    head = f"CREATE OR REPLACE FUNCTION {function.identifier}"
    if "class_name" in definition:
        resources = ", ".join(f"{kind} {text(path)}" for kind, path in definition["resources"])
        return state, [f"{head} AS {text(definition['class_name'])}" + (f" USING {resources}" if resources else "")]
    parameters = ", ".join(map(parameter_ddl, definition["parameters"]))
    said = "".join(f" {each}" for each in definition.get("characteristics", ()))  # such as READS SQL DATA
    said += comment(definition["comment"])
    made = f"{head}({parameters}) RETURNS {return_ddl(definition)}{said} RETURN {definition['body']}"
    return state, with_settings(made, definition["database"], definition["config"])


def parameter_ddl(definition: Mapping[str, Any]) -> str:
    default = "" if definition["default"] is None else f" DEFAULT {definition['default']}"
    return f"{quote_identifier(definition['name'])} {definition['type']}{default}"


def return_ddl(definition: Mapping[str, Any]) -> str:
    if not definition["columns"]:
        return str(definition["returns"])
    columns = StructType.fromJson(json.loads(definition["columns"])).fields
    return f"TABLE ({', '.join(f'{quote_identifier(each.name)} {sql_name(each.dataType)}' for each in columns)})"


def forget_function(database: str, name: str) -> str:
    return f"DROP FUNCTION IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"


def file_table_state(table: FileTable, known: str | None) -> tuple[str, list[str]]:
    """A view over an external table in Spark. Spark sessions cache a table's file listing, whatever other sessions
    refresh: so the table gets a new name for each state of the directory, and only the view keeps its name."""
    aside = Identifier(table.identifier.namespace, f"{table.identifier.name}__{fingerprint(table)}")
    state = f"{BESIDE}{aside}"
    if state == known:
        return state, []
    partitions = partition_statements(table, aside) if table.partitioning else []
    shown = view_over(table.identifier, f"SELECT * FROM {aside}")
    made = [f"DROP TABLE IF EXISTS {aside}", external_table(table, aside), *partitions, shown]
    return state, [*made, *forget_beside(known)]


def partition_statements(table: FileTable, name: Identifier) -> list[str]:
    """ADD PARTITION for the registered partitions."""
    if table.known is None:
        return [f"ALTER TABLE {name} RECOVER PARTITIONS"]
    specs = " ".join(f"PARTITION ({partition_spec(path)}){location_clause(table, path)}" for path in table.known)
    return [f"ALTER TABLE {name} ADD {specs}"] if specs else []


def location_clause(table: FileTable, path: str) -> str:
    return f" LOCATION {text(table.places[path])}" if path in table.places else ""


def partition_spec(path: str) -> str:
    pairs = [folder.partition("=") for folder in path.split("/")]
    return ", ".join(
        f"{quote_identifier(unescape(key))} = {partition_value(unescape(value))}" for key, _, value in pairs
    )


def partition_value(value: str) -> str:
    return "NULL" if value == DEFAULT_PARTITION else text(value)


def fingerprint(table: FileTable) -> str:
    """A digest of the definition, the registered partitions and the files."""
    parts = [table.definition(), table.known, dict(table.places)]
    digest = hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8)
    for folder, _, names in sorted(
        each for path in ("", *table.places) for each in os.walk(table.partition_directory(path))
    ):
        for name in sorted(names):
            found = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()


def external_table(table: FileTable, name: Identifier) -> str:
    return create_statement(table, name, f"LOCATION {text(table.location)}")


def create_statement(table: FileTable, name: Identifier, location: str) -> str:
    options = ", ".join(f"{text(key)} {text(value)}" for key, value in table.options.items())
    partitions = ", ".join(map(quote_identifier, table.partition_names))
    return "".join([
        f"CREATE TABLE {name} ({columns_ddl(table)}) USING {table.provider} ",
        f"OPTIONS ({options}) " if options else "",
        f"PARTITIONED BY ({partitions}) " if partitions else "",
        location,
    ])  # fmt: skip


def text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
