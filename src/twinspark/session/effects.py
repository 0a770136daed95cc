"""Which plans change a session's state, so that the journal keeps them; what only reads or writes data does not."""

import re
from typing import Any

REGISTERING_COMMANDS = {
    "create_dataframe_view",
    "register_function",
    "register_table_function",
    "register_data_source",
}
CATALOG_CHANGES = {"set_current_database", "set_current_catalog", "drop_temp_view", "drop_global_temp_view"}
TEMPORARY = r"(?:GLOBAL\s+)?TEMP(?:ORARY)?"
# Statements whose effect lives in the session and dies with it. What a catalog keeps (tables, their rows) is not
# replayed: an INSERT must not happen twice.
SESSION_STATEMENT = re.compile(
    rf"""\s*(?:
      CREATE\s+(?:OR\s+REPLACE\s+)?{TEMPORARY}\s+(?:VIEW|FUNCTION|TABLE)\b
    | DROP\s+(?:VIEW|TEMPORARY\s+(?:FUNCTION|VARIABLE))\b
    | ALTER\s+VIEW\b
    | CACHE\b | UNCACHE\b | CLEAR\s+CACHE\b
    | SET\b | RESET\b | USE\b | DECLARE\b | ADD\s+(?:JARS?|FILES?|ARCHIVES?)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
MAKES_TABLES = re.compile(
    r"\s*(?:CREATE\s+(?!.*\bTEMP(?:ORARY)?\b)|REPLACE|ALTER|IMPORT|LOAD|BEGIN|EXECUTE)\b", re.IGNORECASE
)
COMMENT = re.compile(r"\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/)", re.DOTALL)


def is_catalog_call(plan: Any) -> bool:
    return bool(plan.WhichOneof("op_type") == "root" and plan.root.WhichOneof("rel_type") == "catalog")


def change_of(plan: Any) -> str | None:
    """A few words on what the plan changes in its session, or None."""
    if plan.WhichOneof("op_type") == "command":
        return change_of_command(plan.command)
    if is_catalog_call(plan):
        kind = plan.root.catalog.WhichOneof("cat_type")
        return str(kind) if kind in CATALOG_CHANGES else None
    return None


def change_of_command(command: Any) -> str | None:
    kind = command.WhichOneof("command_type")
    if kind in REGISTERING_COMMANDS:
        return str(kind)
    if kind == "sql_command" and SESSION_STATEMENT.match(uncommented(sql_text(command.sql_command))):
        return f"SQL {sql_text(command.sql_command)[:80]!r}"
    return None


def makes_global_view(plan: Any) -> bool:
    if plan.WhichOneof("op_type") != "command":
        return False
    if plan.command.WhichOneof("command_type") == "sql_command":
        return bool(re.match(r"\s*CREATE\s.*GLOBAL", uncommented(sql_text(plan.command.sql_command)), re.I))
    return bool(plan.command.create_dataframe_view.is_global)


def makes_tables(plan: Any) -> bool:
    """Whether a plan that runs on Spark may leave tables in Spark's own catalog."""
    if plan.WhichOneof("op_type") != "command":
        return False
    kind = plan.command.WhichOneof("command_type")
    if kind == "sql_command":
        return bool(MAKES_TABLES.match(uncommented(sql_text(plan.command.sql_command))))
    if kind == "write_operation":
        return bool(plan.command.write_operation.WhichOneof("save_type") == "table")
    return bool(kind in ("write_operation_v2", "write_stream_operation_start"))


def sql_text(command: Any) -> str:
    """Spark 4 clients send a relation; those of 3.5 send the text itself."""
    if not command.HasField("input"):
        return str(command.sql)
    under_frames = command.input.WhichOneof("rel_type") == "with_relations"
    return str(command.input.with_relations.root.sql.query if under_frames else command.input.sql.query)


def uncommented(text: str) -> str:
    while comment := COMMENT.match(text):
        text = text[comment.end() :]
    return text
