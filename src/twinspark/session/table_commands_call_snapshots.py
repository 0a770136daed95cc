"""CALL of procedures that move snapshots between branches, and how rewritten files are ordered and chosen."""

import re
from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.errors import NotNative
from twinspark.read.text import read_expression_text
from twinspark.session.sql_results import Row
from twinspark.session.tables_targets import Target
from twinspark.session.writes_where import checked, table_frame
from twinspark.tables.changes import find_field
from twinspark.tables.ducktext import identifier
from twinspark.tables.iceberg import references
from twinspark.tables.predicates import Predicate
from twinspark.tables.pruning import predicate_of

Arguments = dict[str, Any]
SORTED = re.compile(r"\s*([\w.`]+)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?\s*", re.IGNORECASE)


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
    """Iceberg's words for an order, as DuckDB takes them: nulls come first in ascending orders."""
    return ", ".join(column_order(target, each) for each in sort_order.split(","))


def column_order(target: Target, text: str) -> str:
    found = SORTED.fullmatch(text)
    if found is None:
        raise NotNative(f"SQL: CALL rewrite_data_files in the order {text.strip()}")
    name = find_field(target.table.schema, (found[1].strip("`"),)).name
    direction = (found[2] or "ASC").upper()
    nulls = (found[3] or ("FIRST" if direction == "ASC" else "LAST")).upper()
    return f"{identifier(name)} {direction} NULLS {nulls}"


def predicate_in(target: Target, where: str, context: Context) -> Predicate:
    """Which files may hold such rows; a condition that says nothing about files is Spark's."""
    frame = table_frame(target, context)
    condition = checked(frame, read_expression_text(where, Scope(frame, context)).expression, context)
    found = predicate_of(condition, frame.relation)
    if found is None:
        raise NotNative("SQL: CALL rewrite_data_files with a condition that no file can be chosen by")
    return found
