"""CALL of procedures that move snapshots between branches, and the order and choice of files that are rewritten."""

from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope.names import Scope
from twinspark.commands.ddl.targets import Target
from twinspark.commands.dml.replace_where import filter_condition, table_frame
from twinspark.commands.results import Row
from twinspark.errors import NotNative, reasons
from twinspark.read.sql import ParseError, parse_sort_order, tree
from twinspark.read.sql_text import read_expression_text
from twinspark.tables.changes import find_field
from twinspark.tables.iceberg import references
from twinspark.tables.predicates import Predicate
from twinspark.tables.pruning import predicate_of
from twinspark.types.duckdb import duck_name

Arguments = dict[str, Any]


def fast_forward(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    branch = str(arguments["branch"])
    found = references.fast_forward(target.catalog.iceberg, target.name.identifier, branch, str(arguments["to"]))
    return [(branch, *found)]


def cherrypick_snapshot(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    picked = int(arguments["snapshot_id"])
    return [(picked, references.cherry_pick(target.catalog.iceberg, target.name.identifier, picked))]


def publish_changes(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    picked = references.staged_as(target.iceberg.table, str(arguments["wap_id"]))
    return [(picked, references.cherry_pick(target.catalog.iceberg, target.name.identifier, picked))]


def order_of(target: Target, sort_order: str) -> str:
    """A sort order in Iceberg's syntax as DuckDB SQL: nulls come first in ascending orders."""
    try:
        fields = parse_sort_order(sort_order)
    except ParseError as error:
        raise NotNative(reasons.PROCEDURE, f"rewrite_data_files with sort_order = {sort_order.strip()}") from error
    return ", ".join(column_order(target, each, sort_order) for each in fields)


def column_order(target: Target, field: tree.OrderField, text: str) -> str:
    if (column := field.transform.column) is None:
        raise NotNative(reasons.PROCEDURE, f"rewrite_data_files with sort_order = {text[field.start : field.stop]}")
    name = find_field(target.table.schema, (".".join(column.parts),)).name
    direction = field.ordering or "ASC"
    nulls = field.nulls or ("FIRST" if direction == "ASC" else "LAST")
    return f"{duck_name(name)} {direction} NULLS {nulls}"


def predicate_in(target: Target, where: str, context: Context) -> Predicate:
    """Selects the files that may have matching rows; a condition that selects no whole files falls back to Spark."""
    frame = table_frame(target, context)
    condition = filter_condition(frame, read_expression_text(where, Scope(frame, context)).expression, context)
    found = predicate_of(condition, frame.relation)
    if found is None:
        raise NotNative(reasons.PROCEDURE, "rewrite_data_files with a condition that does not select whole files")
    return found
