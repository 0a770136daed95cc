"""Determines which requests are about tables: those are always executed natively, whichever engine computes their
rows."""

from twinspark.commands.dispatch import TABLE_STATEMENTS
from twinspark.errors import NotNative
from twinspark.read.sql import ParseError, ParserConfig, leading_kinds, parse_statement, tree
from twinspark.sessions.effects import ALWAYS_QUERIES, text_of_plan
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.plan_effects import command_kind


def is_table_command(plan_request: PlanRequest) -> bool:
    """Whether the request is executed natively even in a session that chose Spark: the tables are in our catalogs, and
    Spark only computes rows."""
    kind = command_kind(plan_request.plan)
    if kind == "write_operation":
        return bool(plan_request.plan.command.write_operation.WhichOneof("save_type") == "table")
    if kind == "sql_command":
        return is_table_statement(statement_of(plan_request))
    return kind in ("write_operation_v2", "merge_into_table_command")


def is_table_statement(statement: tree.Statement | None) -> bool:
    is_view = isinstance(statement, tree.AlterTable) and statement.is_view
    return type(statement) in TABLE_STATEMENTS and not is_view


def statement_of(plan_request: PlanRequest) -> tree.Statement | None:
    """None for queries, and for texts that do not parse: Spark reports their errors."""
    text = text_of_plan(plan_request.plan)
    if leading_kinds(text, 1)[0] in ALWAYS_QUERIES:
        return None
    try:
        return parse_statement(text, ParserConfig.of(plan_request.settings))
    except (ParseError, NotNative):
        return None
