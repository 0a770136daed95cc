"""DESCRIBE … PARTITION: the table's columns, if that partition is there; EXTENDED, where it lies."""

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.session.sql_results import Answer, answer
from twinspark.session.table_commands_partitions import Partitions, Spec, folder
from twinspark.session.tables_targets import commanded, find_target, quoted, written_parts
from twinspark.tables.describe import describe_table
from twinspark.tables.file_table import FileTable
from twinspark.tables.listing import local_path, qualified
from twinspark.types import StructType

if TYPE_CHECKING:
    from twinspark.session.session import Session

Row = tuple[str | None, ...]


def describe_partition(
    statement: Any, text: str, schema: StructType, context: Context, session: "Session"
) -> Callable[[], Answer]:
    target = commanded(written_parts(statement.name, text, context, session), context)
    if not isinstance(target.table, FileTable) or not target.table.partitioning or statement.as_json:
        raise NotNative("SQL: DESCRIBE of a partition of what is no partitioned table of files, or as JSON")
    partitions = Partitions(target, text, context, session)
    spec = partitions.whole(statement.partition)
    if spec not in partitions.present():
        raise partitions.not_found([spec])
    table: Any = target.table
    rows: list[Row] = [*describe_table(table, target.name.catalog, False)]
    return lambda: answer(schema, [*rows, *(details(partitions, spec) if statement.extended else ())])


def partition_information(
    parts: tuple[str, ...], node: Any, text: str, context: Context, session: "Session"
) -> tuple[str, str, bool, str]:
    """What SHOW TABLE EXTENDED tells of one partition."""
    target = find_target(parts, context)
    if target is None:
        raise not_shown(parts, text, context)
    if not isinstance(target.table, FileTable):
        raise NotNative("SQL: SHOW TABLE EXTENDED of a partition of what is no table of files")
    if not target.table.partitioning:
        table = target.name.identifier.name
        raise SparkError("_LEGACY_ERROR_TEMP_1251", action="SHOW TABLE EXTENDED", tableName=table)
    partitions = Partitions(target, text, context, session)
    spec = partitions.whole(node)
    if spec not in partitions.present():
        raise partitions.not_found([spec])
    told = [
        ("Partition Values", f"[{folder(spec).replace('/', ', ')}]"),
        ("Location", qualified(partitions.place(spec))),
        ("Created Time", created(partitions.place(spec))),
        ("Last Access", "UNKNOWN"),
        *statistics(partitions, spec),
    ]
    name = target.name.identifier
    return name.namespace[-1], name.name, False, "".join(f"{key}: {value}\n" for key, value in told)


def not_shown(parts: tuple[str, ...], text: str, context: Context) -> Exception:
    """The pattern is a name here."""
    found = re.search(r"LIKE\s+('[^']*')", text, re.IGNORECASE)
    if found is None or parts[:-1] != (context.catalog, context.database):
        return NotNative("SQL: SHOW TABLE EXTENDED of a partition of a table that is not there")
    path = f"[`system`.`session`, {quoted((context.catalog, context.database))}]"
    problem = SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts[-1:]), searchPath=path)
    problem.contexts = (QueryContext(found[1], found.start(1), found.end(1) - 1, text=text),)
    return problem


def details(partitions: Partitions, spec: Spec) -> list[Row]:
    place = partitions.place(spec)
    told = [
        ("", ""),
        ("# Detailed Partition Information", ""),
        ("Database", partitions.target.name.identifier.namespace[-1]),
        ("Table", partitions.target.name.identifier.name),
        ("Partition Values", f"[{folder(spec).replace('/', ', ')}]"),
        ("Location", qualified(place)),
        ("Created Time", created(place)),
        ("Last Access", "UNKNOWN"),
        *statistics(partitions, spec),
        ("", ""),
        ("# Storage Information", ""),
        ("Location", qualified(local_path(partitions.table.location))),
    ]
    return [(name, value, "") for name, value in told]


def statistics(partitions: Partitions, spec: Spec) -> list[tuple[str, str]]:
    known = partitions.target.catalog.details(partitions.target.name.identifier).partitions.get(folder(spec))
    return [] if known is None else [("Partition Statistics", known.of_partition)]


def created(place: str) -> str:
    moment = datetime.fromtimestamp(os.stat(place).st_ctime if os.path.exists(place) else 0, UTC)
    return f"{moment:%a %b %d %H:%M:%S} UTC {moment:%Y}"
