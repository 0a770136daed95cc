"""DESCRIBE … PARTITION: the columns of the table if the partition exists; with EXTENDED also its location."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl.partitions import Partitions, Spec, folder
from twinspark.commands.ddl.targets import find_target, quote_name, require_table, written_parts
from twinspark.commands.results import Answer, answer
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.read.sql.lexer.tokens import tokenize
from twinspark.sessions.services import Services
from twinspark.tables.describe import describe_table
from twinspark.tables.files.listing import file_uri, local_path
from twinspark.tables.files.table import FileTable
from twinspark.types import StructType

Row = tuple[str | None, ...]


def describe_partition(
    statement: Any, text: str, schema: StructType, context: Context, services: Services
) -> Callable[[], Answer]:
    target = require_table(written_parts(statement.name, text, context, services), context)
    if not isinstance(target.table, FileTable) or not target.table.partitioning or statement.as_json:
        raise NotNative(
            reasons.DESCRIBE_OUTPUT, "a partition of a table that is not a partitioned table of files, or AS JSON"
        )
    partitions = Partitions(target, text, context, services)
    spec = partitions.complete_spec(statement.partition)
    if spec not in partitions.present():
        raise partitions.not_found([spec])
    table: Any = target.table
    rows: list[Row] = [*describe_table(table, target.name.catalog, False)]
    return lambda: answer(schema, [*rows, *(details(partitions, spec) if statement.extended else ())])


def partition_information(
    parts: tuple[str, ...], node: Any, text: str, context: Context, services: Services
) -> tuple[str, str, bool, str]:
    """The output of SHOW TABLE EXTENDED for one partition."""
    target = find_target(parts, context)
    if target is None:
        raise not_found_error(parts, text, context)
    if not isinstance(target.table, FileTable):
        raise NotNative(
            reasons.DESCRIBE_OUTPUT, "SHOW TABLE EXTENDED for a partition of a table that is not a table of files"
        )
    if not target.table.partitioning:
        table = target.name.identifier.name
        raise SparkError("_LEGACY_ERROR_TEMP_1251", action="SHOW TABLE EXTENDED", tableName=table)
    partitions = Partitions(target, text, context, services)
    spec = partitions.complete_spec(node)
    if spec not in partitions.present():
        raise partitions.not_found([spec])
    lines = [
        ("Partition Values", f"[{folder(spec).replace('/', ', ')}]"),
        ("Location", file_uri(partitions.location(spec))),
        ("Created Time", creation_time(partitions.location(spec))),
        ("Last Access", "UNKNOWN"),
        *statistics(partitions, spec),
    ]
    name = target.name.identifier
    return name.namespace[-1], name.name, False, "".join(f"{key}: {value}\n" for key, value in lines)


def not_found_error(parts: tuple[str, ...], text: str, context: Context) -> Exception:
    """In this statement the pattern is a table name."""
    tokens = tokenize(text)
    pattern = next((at for at, pair in enumerate(pairwise(tokens.kinds), 1) if pair == ("LIKE", "string")), None)
    if pattern is None or parts[:-1] != (context.catalog, context.database):
        return NotNative(reasons.ERROR_MESSAGE, "SHOW TABLE EXTENDED for a partition of a table that does not exist")
    path = f"[`system`.`session`, {quote_name((context.catalog, context.database))}]"
    problem = SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quote_name(parts[-1:]), searchPath=path)
    start, stop = tokens.starts[pattern], tokens.stops[pattern]
    problem.contexts = (QueryContext(text[start:stop], start, stop - 1, text=text),)
    return problem


def details(partitions: Partitions, spec: Spec) -> list[Row]:
    place = partitions.location(spec)
    lines = [
        ("", ""),
        ("# Detailed Partition Information", ""),
        ("Database", partitions.target.name.identifier.namespace[-1]),
        ("Table", partitions.target.name.identifier.name),
        ("Partition Values", f"[{folder(spec).replace('/', ', ')}]"),
        ("Location", file_uri(place)),
        ("Created Time", creation_time(place)),
        ("Last Access", "UNKNOWN"),
        *statistics(partitions, spec),
        ("", ""),
        ("# Storage Information", ""),
        ("Location", file_uri(local_path(partitions.table.location))),
    ]
    return [(name, value, "") for name, value in lines]


def statistics(partitions: Partitions, spec: Spec) -> list[tuple[str, str]]:
    known = partitions.target.catalog.details(partitions.target.name.identifier).partitions.get(folder(spec))
    return [] if known is None else [("Partition Statistics", known.of_partition)]


def creation_time(place: str) -> str:
    moment = datetime.fromtimestamp(os.stat(place).st_ctime if os.path.exists(place) else 0, UTC)
    return f"{moment:%a %b %d %H:%M:%S} UTC {moment:%Y}"
