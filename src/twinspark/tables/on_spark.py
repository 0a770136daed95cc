"""What a plain Spark must be told so that it reads our tables by their names: views over Parquet, external tables."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from twinspark.errors import NotNative
from twinspark.tables.catalog import SCHEMA_MODE, Identifier
from twinspark.tables.char_types import has_limit, raw_type
from twinspark.tables.delta import DeltaTable
from twinspark.tables.delta_on_spark import delta_query
from twinspark.tables.file_details import Statistics
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.names import make_database
from twinspark.tables.partitions import DEFAULT_PARTITION, unescape
from twinspark.tables.session_catalog import Function, SessionCatalog, View
from twinspark.tables.spark_scan import spark_query
from twinspark.types import StructType, quote_identifier, sql_name

TABLE = "table: "  # begins a state for which Spark has a table under the very name
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


def delta_state(table: DeltaTable, known: str | None) -> tuple[str, list[str]]:
    """A view over the files of the present version; of a table that cannot be shown so Spark says it is not there."""
    try:
        version, query = delta_query(table)
    except NotNative:
        return "", []
    state = f"delta {version} of {table.location}"
    return state, [] if state == known else [view_over(table.identifier, query)]


def shape_of(table: IcebergTable) -> Identifier | None:
    """Its name says its columns: a session of Spark keeps what it knows of a table."""
    if not any(has_limit(raw_type(field)) for field in table.schema.fields):
        return None
    digest = hashlib.blake2b(columns_ddl(table).encode(), digest_size=8).hexdigest()
    return Identifier(table.identifier.namespace, f"{table.identifier.name}__{digest}")


def columns_ddl(table: IcebergTable | FileTable) -> str:
    return ", ".join(f"{quote_identifier(f.name)} {sql_name(raw_type(f))}" for f in table.schema.fields)


def forget(database: str, name: str, state: str) -> list[str]:
    """What Spark had under a name: a table, or a view and the table of files it may have stood for."""
    if not state or state.startswith(TABLE):
        return [f"DROP TABLE IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"] if state else []
    return [f"DROP VIEW IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}", *forget_beside(state)]


def forget_beside(state: str | None) -> list[str]:
    return [f"DROP TABLE IF EXISTS {table}" for table in tables_beside(state)]


def tables_beside(state: str | None) -> list[str]:
    if state is None or not state.startswith(BESIDE):
        return []
    return [state.removeprefix(BESIDE).splitlines()[0]]


def shown(
    home: SessionCatalog, identifier: Identifier, known: str | None, own: bool = False, asks: bool = False
) -> tuple[str, list[str]]:
    """The state that Spark will see, and the statements that show it; none when it knows that state. A Spark of our
    own keeps no lists of files, so that it can have the very table; one with partitions only where a statement `asks`
    about it: partitions that Spark made would not be known to us."""
    view = home.load_view(identifier)
    if view is not None:
        return view_state(view, known)
    table = home.load_table(identifier)
    if isinstance(table, IcebergTable):
        return iceberg_state(table, known)
    if isinstance(table, DeltaTable):
        return delta_state(table, known)
    is_plain = own and (asks or not table.partitioning)
    if not is_plain:
        return file_table_state(table, known)
    return plain_table_state(table, known, home.details(identifier).table if asks else None)


def plain_table_state(table: FileTable, known: str | None, counted: Statistics | None = None) -> tuple[str, list[str]]:
    """An external table of Spark's own under the very name; new files are found whenever it is read. What was counted
    of it by ANALYZE, Spark counts too."""
    told = json.dumps([table.definition(), table.partition_paths, dict(table.places)], sort_keys=True).encode()
    state = f"{TABLE}{hashlib.blake2b(told, digest_size=8).hexdigest()}"
    analyzed = state if counted is None else f"{state} {counted}"
    if known == analyzed:
        return analyzed, []
    (database,), name = table.identifier.namespace, table.identifier.name
    before = [*forget(database, name, known or ""), f"DROP TABLE IF EXISTS {table.identifier}"]
    partitions = shown_partitions(table, table.identifier) if table.partitioning else []
    statistics = [] if counted is None else [analyze(table.identifier, counted)]
    return analyzed, [*before, external_table(table, table.identifier), *partitions, *statistics]


def analyze(name: Identifier, counted: Statistics) -> str:
    """The statement that finds the same."""
    columns = ", ".join(map(quote_identifier, counted.columns))
    how = f" FOR COLUMNS {columns}" if columns else " NOSCAN" if counted.rows is None else ""
    return f"ANALYZE TABLE {name} COMPUTE STATISTICS{how}"


def changes_kind(known: str, state: str) -> bool:
    """Whether a view comes where Spark has a table."""
    return known.startswith(TABLE) and not state.startswith(TABLE)


def view_over(identifier: Identifier, query: str) -> str:
    return f"CREATE OR REPLACE VIEW {identifier} AS {query}"


def view_state(view: View, known: str | None) -> tuple[str, list[str]]:
    """Names in the view's text are looked up where it was made, under the settings of then."""
    comments = view.comments or (None,) * len(view.columns)
    columns = ", ".join(map(column_of_view, view.columns, comments))
    names = f" ({columns})" if columns else ""
    mode = view.properties.get(SCHEMA_MODE, "")
    evolving = f" WITH SCHEMA {mode}" if mode.endswith("EVOLUTION") else ""
    names = "" if mode == "EVOLUTION" else names  # they are the query's own, whatever these come to be
    made = f"CREATE OR REPLACE VIEW {view.identifier}{names}{comment(view.comment)}{evolving} AS {view.text}"
    state = f"{made} in {view.namespace} by {sorted(view.config.items())}"
    return state, [] if state == known else made_there(made, view.namespace[0], view.config)


def column_of_view(name: str, told: str | None) -> str:
    return f"{quote_identifier(name)}{comment(told)}"


def comment(told: str | None) -> str:
    return "" if told is None else f" COMMENT {text(told)}"


def made_there(statement: str, database: str, config: Mapping[str, str]) -> list[str]:
    settings = [f"SET {key}={value}" for key, value in config.items()]
    back = [f"RESET {key}" for key in config]
    return [make_database(database), f"USE {quote_identifier(database)}", *settings, statement, *back, "USE default"]


def function_state(function: Function, known: str | None) -> tuple[str, list[str]]:
    """A function of ours as Spark would have kept it: its body is read where and how it was made."""
    told = function.definition
    state = json.dumps(dict(told), sort_keys=True)
    if state == known:
        return state, []
    head = f"CREATE OR REPLACE FUNCTION {function.identifier}"
    if "class_name" in told:
        resources = ", ".join(f"{kind} {text(path)}" for kind, path in told["resources"])
        return state, [f"{head} AS {text(told['class_name'])}" + (f" USING {resources}" if resources else "")]
    parameters = ", ".join(map(parameter_ddl, told["parameters"]))
    said = "".join(f" {each}" for each in told.get("characteristics", ()))  # which data it reads, say
    made = f"{head}({parameters}) RETURNS {returned(told)}{said}{comment(told['comment'])} RETURN {told['body']}"
    return state, made_there(made, told["database"], told["config"])


def parameter_ddl(told: Mapping[str, Any]) -> str:
    default = "" if told["default"] is None else f" DEFAULT {told['default']}"
    return f"{quote_identifier(told['name'])} {told['type']}{default}"


def returned(told: Mapping[str, Any]) -> str:
    if not told["columns"]:
        return str(told["returns"])
    columns = StructType.fromJson(json.loads(told["columns"])).fields
    return f"TABLE ({', '.join(f'{quote_identifier(each.name)} {sql_name(each.dataType)}' for each in columns)})"


def forget_function(database: str, name: str) -> str:
    return f"DROP FUNCTION IF EXISTS {quote_identifier(database)}.{quote_identifier(name)}"


def file_table_state(table: FileTable, known: str | None) -> tuple[str, list[str]]:
    """A view over an external table of Spark's own. A session of Spark keeps a table's list of files, whatever other
    sessions refresh: so the table has a name of its own for every state of the directory, and only the view stays."""
    aside = Identifier(table.identifier.namespace, f"{table.identifier.name}__{fingerprint(table)}")
    state = f"{BESIDE}{aside}"
    if state == known:
        return state, []
    partitions = shown_partitions(table, aside) if table.partitioning else []
    shown = view_over(table.identifier, f"SELECT * FROM {aside}")
    made = [f"DROP TABLE IF EXISTS {aside}", external_table(table, aside), *partitions, shown]
    return state, [*made, *forget_beside(known)]


def shown_partitions(table: FileTable, name: Identifier) -> list[str]:
    """Those the table knows of."""
    if table.known is None:
        return [f"ALTER TABLE {name} RECOVER PARTITIONS"]
    specs = " ".join(f"PARTITION ({partition_spec(path)}){placed_at(table, path)}" for path in table.known)
    return [f"ALTER TABLE {name} ADD {specs}"] if specs else []


def placed_at(table: FileTable, path: str) -> str:
    return f" LOCATION {text(table.places[path])}" if path in table.places else ""


def partition_spec(path: str) -> str:
    pairs = [folder.partition("=") for folder in path.split("/")]
    return ", ".join(
        f"{quote_identifier(unescape(key))} = {partition_value(unescape(value))}" for key, _, value in pairs
    )


def partition_value(value: str) -> str:
    return "NULL" if value == DEFAULT_PARTITION else text(value)


def fingerprint(table: FileTable) -> str:
    """Changes when the definition, what it knows of its partitions, or any file does."""
    told = [table.definition(), table.known, dict(table.places)]
    digest = hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=8)
    for folder, _, names in sorted(
        each for path in ("", *table.places) for each in os.walk(table.partition_place(path))
    ):
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
