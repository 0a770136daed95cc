"""Which SQL statements are about tables; what carries these out, and all that is no query, is imported when the first
of them comes."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from twinspark.read.sql import ParseError, ParserConfig, parse_statement, tree
from twinspark.session.effects import sql_text, uncommented
from twinspark.session.later import imported

Handler = Callable[..., Any]


def lazily(module: str, name: str) -> Handler:
    """What a session that never names a table does not wait for."""

    def handler(*arguments: Any) -> Any:
        return getattr(imported(f"session.{module}"), name)(*arguments)

    return handler


# Statements that are no queries, and spark.catalog: most of them look at tables.
session_statement = lazily("sql_commands", "session_statement")
catalog_call = lazily("catalog_calls", "catalog_call")

# DataFrames' commands, by their names in the protocol: given the message, the context and the session.
write_table = lazily("writes_frames", "write_table")
write_to = lazily("writes_frames", "write_to")
merge_into = lazily("writes_merge_frames", "merge_into")

TABLE_HANDLERS: dict[type, Handler] = {
    tree.CreateTable: lazily("table_commands_create", "create_table"),
    tree.CreateTableLike: lazily("table_commands_create", "create_like"),
    tree.DropTable: lazily("table_commands_alter", "drop_table"),
    tree.AlterTable: lazily("table_commands_alter", "alter_table"),
    tree.TruncateTable: lazily("table_commands_alter", "truncate_table"),
    tree.Insert: lazily("writes_sql", "insert_rows"),
    tree.MultiInsert: lazily("writes_multi", "insert_several"),
    tree.Delete: lazily("writes_changes", "delete_rows"),
    tree.Update: lazily("writes_changes", "update_rows"),
    tree.Merge: lazily("writes_merge", "merge_rows"),
    tree.Call: lazily("table_commands_call", "call_procedure"),
}

# What Spark's own grammar does not know: Iceberg's branches and tags.
change_reference = lazily("table_commands_references", "change_reference")
REFERENCE = re.compile(
    r"\s*ALTER\s+TABLE\s+(?P<table>\S+)\s+(?P<action>CREATE\s+OR\s+REPLACE|CREATE|REPLACE|DROP)\s+(?P<kind>BRANCH|TAG)\s+"
    r"(?P<if_absent>IF\s+NOT\s+EXISTS\s+)?(?P<if_exists>IF\s+EXISTS\s+)?(?P<name>\w+|`[^`]+`)(?P<rest>\s.*)?",
    re.IGNORECASE | re.DOTALL,
)

# And its partition fields, orders and identifiers.
change_layout = lazily("table_commands_layout", "change_layout")
LAYOUT = re.compile(
    r"\s*ALTER\s+TABLE\s+(?P<table>\S+)\s+(?P<verb>(?:ADD|DROP|REPLACE)\s+PARTITION\s+FIELD|"
    r"(?:SET|DROP)\s+IDENTIFIER\s+FIELDS|WRITE)\s+(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


def extension(text: str) -> Handler | None:
    """What carries out a statement of Iceberg's own grammar."""
    return change_reference if REFERENCE.fullmatch(text) else change_layout if LAYOUT.fullmatch(text) else None


WORDS = re.compile(
    r"\s*(?:CREATE|REPLACE|DROP|ALTER|TRUNCATE|INSERT|DELETE|UPDATE|MERGE|CALL|WITH|FROM)\b(?!\s+(?:OR\s+REPLACE\s+)?"
    r"(?:(?:GLOBAL\s+)?TEMP(?:ORARY)?\s+)?(?:VIEW|FUNCTION))",
    re.IGNORECASE,
)


def is_table_command(plan: Any, config: Mapping[str, str]) -> bool:
    """What is always ours, even in a session that asked for Spark: tables live in our catalogs, Spark gives rows."""
    if plan.WhichOneof("op_type") != "command":
        return False
    command = plan.command
    kind = command.WhichOneof("command_type")
    if kind == "write_operation":
        return bool(command.write_operation.WhichOneof("save_type") == "table")
    if kind != "sql_command":
        return kind in ("write_operation_v2", "merge_into_table_command")
    text = sql_text(command.sql_command)
    if extension(text) is not None:
        return True
    return bool(WORDS.match(uncommented(text))) and type(parsed(text, config)) in TABLE_HANDLERS


def parsed(text: str, config: Mapping[str, str]) -> Any:
    try:
        return parse_statement(text, ParserConfig.of(config))
    except ParseError:
        return None  # Spark says it in its own words
