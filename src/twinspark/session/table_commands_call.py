"""CALL: upkeep of tables, by the names, arguments and results that Iceberg's own Spark procedures have."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.sql import parse_multipart_identifier, tree
from twinspark.read.text import parser_config
from twinspark.session.sql_names import constant
from twinspark.session.sql_results import Answer, Row, answer
from twinspark.session.tables_targets import Target, connection_of, written_parts, written_to
from twinspark.session.writes import spark_errors
from twinspark.tables.iceberg import maintenance

if TYPE_CHECKING:
    from twinspark.session.session import Session

Arguments = dict[str, Any]
Run = Callable[[Target, Arguments, Any], Sequence[Row]]
SYSTEM = "system"


@dataclass(frozen=True)
class Procedure:
    """Its parameters in order, what it answers with, and what it does; `table` comes first, always."""

    parameters: tuple[str, ...]
    schema: StructType
    run: Run


def fields(kind: Any, *names: str) -> list[StructField]:
    return [StructField(name, kind, False) for name in names]


def rollback_to_snapshot(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    before = current_snapshot(target)
    maintenance.rollback_to_snapshot(target.catalog.iceberg, target.name.identifier, int(arguments["snapshot_id"]))
    return [(before, current_snapshot(target))]


def rollback_to_timestamp(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    before = current_snapshot(target)
    moment = milliseconds(arguments["timestamp"])
    maintenance.rollback_to_timestamp(target.catalog.iceberg, target.name.identifier, moment)
    return [(before, current_snapshot(target))]


def current_snapshot(target: Target) -> int | None:
    snapshot = target.catalog.iceberg.load(target.name.identifier).current_snapshot()
    return None if snapshot is None else int(snapshot.snapshot_id)


def expire_snapshots(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    older = milliseconds(arguments["older_than"]) if arguments.get("older_than") is not None else None
    kept = int(arguments.get("retain_last") or 1)
    gone = maintenance.expire_snapshots(target.catalog.iceberg, target.name.identifier, older, kept)
    data = [path for path in gone if "/data/" in path]
    lists = [path for path in gone if "/snap-" in path]
    return [(len(data), 0, 0, len(gone) - len(data) - len(lists), len(lists), 0)]


def remove_orphan_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    older = milliseconds(arguments["older_than"]) if arguments.get("older_than") is not None else None
    found = maintenance.remove_orphans(target.catalog.iceberg, target.name.identifier, older)
    return [(path,) for path in found]


def rewrite_data_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    done = maintenance.compact(target.catalog.iceberg, target.name.identifier, connection)
    return [(done.rewritten_files, done.added_files, 0)]


def milliseconds(moment: Any) -> int:
    if not isinstance(moment, datetime.datetime):
        raise NotNative("CALL with a moment that is no timestamp")
    return int((moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp() * 1000)


BEFORE_AND_AFTER = StructType(
    [StructField("previous_snapshot_id", LongType(), True), StructField("current_snapshot_id", LongType(), True)]
)
EXPIRED = StructType(
    fields(
        LongType(),
        "deleted_data_files_count",
        "deleted_position_delete_files_count",
        "deleted_equality_delete_files_count",
        "deleted_manifest_files_count",
        "deleted_manifest_lists_count",
        "deleted_statistics_files_count",
    )
)
REWRITTEN = StructType(
    [
        *fields(IntegerType(), "rewritten_data_files_count", "added_data_files_count"),
        *fields(IntegerType(), "failed_data_files_count"),
    ]
)
PROCEDURES = {
    "rollback_to_snapshot": Procedure(("table", "snapshot_id"), BEFORE_AND_AFTER, rollback_to_snapshot),
    "rollback_to_timestamp": Procedure(("table", "timestamp"), BEFORE_AND_AFTER, rollback_to_timestamp),
    "set_current_snapshot": Procedure(("table", "snapshot_id"), BEFORE_AND_AFTER, rollback_to_snapshot),
    "expire_snapshots": Procedure(("table", "older_than", "retain_last"), EXPIRED, expire_snapshots),
    "remove_orphan_files": Procedure(
        ("table", "older_than"), StructType(fields(StringType(), "orphan_file_location")), remove_orphan_files
    ),
    "rewrite_data_files": Procedure(("table",), REWRITTEN, rewrite_data_files),
}


def call_procedure(statement: tree.Call, text: str, context: Context, session: "Session") -> Callable[[], Answer]:
    parts = written_parts(statement.procedure, text, context, session)
    found = PROCEDURES.get(parts[-1].lower()) if len(parts) > 1 and parts[-2].lower() == SYSTEM else None
    if found is None:
        raise NotNative(f"SQL: CALL {'.'.join(parts)}")
    arguments = bound(found, statement, text, context, session)
    table = tuple(parse_multipart_identifier(str(arguments["table"]), parser_config(context)))
    catalog = parts[:-2] or (context.catalog,)
    known = session.catalogs.names()
    target = written_to(table if len(table) > 2 or table[0] in known else within(catalog, table, context), context)
    assert target.iceberg

    def carry_out() -> Answer:
        with spark_errors():
            rows = found.run(target, arguments, connection_of(context))
        return answer(found.schema, rows)

    return carry_out


def within(catalog: Sequence[str], table: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """The table in the procedure's catalog, and in the current database if no other is named."""
    return (*catalog, *(table if len(table) > 1 else (context.database, *table)))


def bound(procedure: Procedure, statement: tree.Call, text: str, context: Context, session: "Session") -> Arguments:
    """Arguments by their names, then by their places."""
    made: Arguments = {}
    for at, node in enumerate(statement.arguments):
        name = node.name.lower() if isinstance(node, tree.NamedArgument) else procedure.parameters[at : at + 1]
        value = node.value if isinstance(node, tree.NamedArgument) else node
        key = name if isinstance(name, str) else (name[0] if name else "")
        if key not in procedure.parameters or key in made:
            raise NotNative(f"SQL: CALL with the argument {key or at + 1}")
        made[key] = constant(value, text, context, session)
    if made.get("table") is None:
        raise NotNative("SQL: CALL without a table")
    return made
