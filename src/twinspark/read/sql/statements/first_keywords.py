"""Chooses the rule of a statement by its first keyword, or by its object after CREATE, ALTER and DROP; others are
queries."""

from collections.abc import Callable

from twinspark.read.sql.lexer.cursor import STATEMENT, Cursor
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.alter import parse_alter_table_statement
from twinspark.read.sql.statements.dml import parse_dml_statement, parse_from_statement, parse_with_statement
from twinspark.read.sql.statements.execution import parse_call, parse_execute_immediate, parse_explain
from twinspark.read.sql.statements.functions import parse_create_function, parse_drop_function
from twinspark.read.sql.statements.maintenance import (
    parse_analyze,
    parse_cache,
    parse_clear,
    parse_comment_on,
    parse_load,
    parse_manage_resource,
    parse_refresh,
    parse_repair,
    parse_truncate,
    parse_uncache,
)
from twinspark.read.sql.statements.namespaces import (
    parse_alter_namespace,
    parse_create_namespace,
    parse_drop_namespace,
    parse_use,
)
from twinspark.read.sql.statements.settings import parse_reset_command, parse_set_command
from twinspark.read.sql.statements.show import parse_describe, parse_show_statement
from twinspark.read.sql.statements.tables import (
    parse_create_flow,
    parse_create_index,
    parse_create_pipeline_dataset,
    parse_create_table,
    parse_drop_index_statement,
    parse_drop_table,
    parse_replace_table,
)
from twinspark.read.sql.statements.unsupported import parse_create_macro, reject_unsupported
from twinspark.read.sql.statements.variables import (
    parse_close_cursor,
    parse_declare,
    parse_drop_temporary,
    parse_fetch_cursor,
    parse_open_cursor,
)
from twinspark.read.sql.statements.views import parse_alter_view, parse_create_view, parse_drop_view
from twinspark.read.sql.tree import Statement

Rule = Callable[[Cursor], Statement]
STARTS: dict[str, Rule] = {
    "CREATE TABLE": parse_create_table,
    "CREATE VIEW": parse_create_view,
    "CREATE FUNCTION": parse_create_function,
    "CREATE NAMESPACE": parse_create_namespace,
    "CREATE DATABASE": parse_create_namespace,
    "CREATE SCHEMA": parse_create_namespace,
    "CREATE INDEX": parse_create_index,
    "CREATE MATERIALIZED": parse_create_pipeline_dataset,
    "CREATE STREAMING": parse_create_pipeline_dataset,
    "CREATE FLOW": parse_create_flow,
    "CREATE ROLE": reject_unsupported,
    "CREATE MACRO": parse_create_macro,
    "REPLACE": parse_replace_table,
    "ALTER TABLE": parse_alter_table_statement,
    "ALTER VIEW": parse_alter_view,
    "ALTER NAMESPACE": parse_alter_namespace,
    "ALTER DATABASE": parse_alter_namespace,
    "ALTER SCHEMA": parse_alter_namespace,
    "ALTER INDEX": reject_unsupported,
    "DROP TABLE": parse_drop_table,
    "DROP VIEW": parse_drop_view,
    "DROP FUNCTION": parse_drop_function,
    "DROP TEMPORARY": parse_drop_temporary,
    "DROP NAMESPACE": parse_drop_namespace,
    "DROP DATABASE": parse_drop_namespace,
    "DROP SCHEMA": parse_drop_namespace,
    "DROP INDEX": parse_drop_index_statement,
    "DROP ROLE": reject_unsupported,
    "INSERT": parse_dml_statement,
    "DELETE": parse_dml_statement,
    "UPDATE": parse_dml_statement,
    "MERGE": parse_dml_statement,
    "FROM": parse_from_statement,
    "WITH": parse_with_statement,
    "USE": parse_use,
    "SET": parse_set_command,
    "RESET": parse_reset_command,
    "SHOW": parse_show_statement,
    "DESC": parse_describe,
    "DESCRIBE": parse_describe,
    "EXPLAIN": parse_explain,
    "EXECUTE": parse_execute_immediate,
    "CALL": parse_call,
    "DECLARE": parse_declare,
    "OPEN": parse_open_cursor,
    "FETCH": parse_fetch_cursor,
    "CLOSE": parse_close_cursor,
    "COMMENT": parse_comment_on,
    "REFRESH": parse_refresh,
    "CACHE": parse_cache,
    "UNCACHE": parse_uncache,
    "CLEAR": parse_clear,
    "LOAD": parse_load,
    "TRUNCATE": parse_truncate,
    "MSCK": parse_repair,
    "REPAIR": parse_repair,
    "ADD": parse_manage_resource,
    "LIST": parse_manage_resource,
    "ANALYZE": parse_analyze,
    **dict.fromkeys(
        ("GRANT", "REVOKE", "EXPORT", "IMPORT", "LOCK", "UNLOCK", "START", "COMMIT", "ROLLBACK", "DFS"),
        reject_unsupported,
    ),
}
_BY_OBJECT = frozenset({"CREATE", "ALTER", "DROP"})


def parse_statement(cursor: Cursor) -> Statement:
    kind = cursor.kinds[cursor.at]
    rule = _rule_by_object(cursor, kind) if kind in _BY_OBJECT else STARTS.get(kind)
    if rule is None:
        return parse_query(cursor)
    start, errors = cursor.start, len(cursor.deferred_errors)
    statement = rule(cursor)
    if len(cursor.deferred_errors) > errors:
        cursor.attach_context(errors, start, STATEMENT)
    return statement


def _rule_by_object(cursor: Cursor, kind: str) -> Rule:
    at = object_keyword(cursor.kinds, cursor.at)
    rule = STARTS.get(f"{kind} {cursor.kinds[at]}")
    if rule is None:
        raise cursor.fail(at)
    return rule


def object_keyword(kinds: list[str], at: int) -> int:
    """The index of the keyword of the object type: TABLE in CREATE OR REPLACE TEMPORARY TABLE."""
    if kinds[at] != "CREATE":
        return at + 1
    at += 3 if kinds[at + 1] == "OR" else 1
    while kinds[at] in ("GLOBAL", "TEMPORARY", "EXTERNAL"):
        at += 1
    return at
