"""CALL: table maintenance with the names, arguments and results of Iceberg's Spark procedures."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.ddl.targets import Target, connection_of, write_target, written_parts
from twinspark.commands.dml.write import spark_errors
from twinspark.commands.names import constant
from twinspark.commands.procedures import files as made
from twinspark.commands.procedures.files import qualify
from twinspark.commands.procedures.snapshots import (
    cherrypick_snapshot,
    fast_forward,
    order_of,
    predicate_in,
    publish_changes,
)
from twinspark.commands.results import Answer, Row, answer
from twinspark.errors import JavaError, NotNative, reasons
from twinspark.read.sql import parse_multipart_identifier, tree
from twinspark.read.sql_text import parser_config
from twinspark.sessions.services import Services
from twinspark.tables.iceberg import maintenance
from twinspark.tables.iceberg.spec import order_sql

Arguments = dict[str, Any]
Run = Callable[[Any, Arguments, Any], Sequence[Row]]
SYSTEM = "system"
MAX_AGE = "history.expire.max-snapshot-age-ms"
ORDER, PREDICATE = "order", "predicate"  # of rows and of files, after their texts are analyzed
TARGET_SIZE, SMALL_SIZE, LEAST = "target-file-size-bytes", "min-file-size-bytes", "min-input-files"


@dataclass(frozen=True)
class Procedure:
    """Its parameters in order, its result columns, and its function; `table` is always the first parameter."""

    parameters: tuple[str, ...]
    schema: StructType
    run: Run
    understood: Callable[[Target, Arguments, Context], Arguments] = lambda target, arguments, context: arguments


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


def set_current_snapshot(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    chosen, reference = arguments.get("snapshot_id"), arguments.get("ref")
    if (chosen is None) == (reference is None):
        raise JavaError("java.lang.IllegalArgumentException", "either snapshot_id or ref must be given, not both")
    before = current_snapshot(target)
    wanted = int(chosen) if chosen is not None else int(target.iceberg.named_snapshot(str(reference)).snapshot_id)
    maintenance.set_current_snapshot(target.catalog.iceberg, target.name.identifier, wanted)
    return [(before, current_snapshot(target))]


def ancestors_of(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    first = arguments.get("snapshot_id")
    line = maintenance.ancestors(target.iceberg.table, None if first is None else int(first))
    return [(int(each.snapshot_id), int(each.timestamp_ms)) for each in line]


def current_snapshot(target: Target) -> int | None:
    snapshot = target.catalog.iceberg.load(target.name.identifier).current_snapshot()
    return None if snapshot is None else int(snapshot.snapshot_id)


def expire_snapshots(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    reject_true(arguments, "clean_expired_metadata")
    properties = target.iceberg.table.properties
    chosen = [int(each) for each in arguments.get("snapshot_ids") or ()]
    kept = int(arguments.get("retain_last") or properties.get(maintenance.KEPT_SNAPSHOTS) or 1)
    older = oldest(arguments, int(properties.get(MAX_AGE) or maintenance.SNAPSHOT_AGE_MS))
    gone = maintenance.expire_snapshots(target.catalog.iceberg, target.name.identifier, older, kept, chosen)
    data = [path for path in gone if "/data/" in path]
    lists = [path for path in gone if "/snap-" in path]
    return [(len(data), 0, 0, len(gone) - len(data) - len(lists), len(lists), 0)]


def remove_orphan_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    older = oldest(arguments, maintenance.ORPHAN_AGE_MS)
    dry_run = bool(arguments.get("dry_run"))
    found = maintenance.remove_orphans(target.catalog.iceberg, target.name.identifier, older, dry_run)
    return [(path,) for path in found]


def rewrite_data_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    choice = replace(
        chosen_files(dict(arguments.get("options") or {})),
        order=arguments[ORDER] if arguments.get("strategy", "").lower() == "sort" else "",
        predicate=arguments.get(PREDICATE),
    )
    done = maintenance.compact(target.catalog.iceberg, target.name.identifier, connection, choice)
    return [(done.rewritten_files, done.added_files, done.rewritten_bytes, 0, 0)]


def rewrite_arguments(target: Target, arguments: Arguments, context: Context) -> Arguments:
    """The arguments of rewrite_data_files, with the texts among them analyzed for this table."""
    strategy = str(arguments.get("strategy") or ("sort" if arguments.get("sort_order") else "binpack")).lower()
    order, where = arguments.get("sort_order"), arguments.get("where")
    if strategy not in ("binpack", "sort") or (strategy == "binpack" and order):
        message = f"unsupported strategy: {strategy}. Only binpack or sort is supported"
        raise JavaError("java.lang.IllegalArgumentException", message)
    own = order_sql(target.iceberg.table)
    if strategy == "sort" and not order and not own:
        message = f"Cannot sort data without a valid sort order, table '{target.full_name}' is unsorted"
        raise JavaError("java.lang.IllegalArgumentException", message)
    return {
        **arguments,
        "strategy": strategy,
        ORDER: order_of(target, str(order)) if order else own,
        PREDICATE: predicate_in(target, str(where), context) if where else None,
    }


def chosen_files(options: dict[str, str]) -> maintenance.Choice:
    """By Iceberg's options: by default files of less than three quarters of the target size are rewritten."""
    unknown = sorted(set(options) - {TARGET_SIZE, SMALL_SIZE, LEAST, "rewrite-all"})
    if unknown:
        raise NotNative(reasons.PROCEDURE, f"rewrite_data_files with the option {unknown[0]}")
    small = int(options.get(TARGET_SIZE, 512 << 20)) * 3 // 4
    return maintenance.Choice(
        int(options.get(SMALL_SIZE, small)),
        int(options.get(LEAST, 5)),
        options.get("rewrite-all", "false").lower() == "true",
    )


def no_delete_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    """Returns no rows, since deletes rewrite files here; a table with delete files falls back to Spark."""
    target.iceberg.scan()
    return [(0, 0, 0, 0)]


def oldest(arguments: Arguments, age: int) -> int:
    """The given timestamp, or the current time minus the age."""
    given = arguments.get("older_than")
    return maintenance.now_ms() - age if given is None else milliseconds(given)


def reject_true(arguments: Arguments, name: str) -> None:
    if arguments.get(name):
        raise NotNative(reasons.PROCEDURE, f"the argument {name}")


def milliseconds(moment: Any) -> int:
    if not isinstance(moment, datetime.datetime):
        raise NotNative(reasons.PROCEDURE, "an argument that is not a timestamp")
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
        *fields(LongType(), "rewritten_bytes_count"),
        *fields(IntegerType(), "failed_data_files_count", "removed_delete_files_count"),
    ]
)
REWRITTEN_DELETES = StructType(
    [
        *fields(IntegerType(), "rewritten_delete_files_count", "added_delete_files_count"),
        *fields(LongType(), "rewritten_bytes_count", "added_bytes_count"),
    ]
)
FORWARDED = StructType(
    [
        StructField("branch_updated", StringType(), False),
        StructField("previous_ref", LongType(), True),
        StructField("updated_ref", LongType(), False),
    ]
)
PICKED = StructType(fields(LongType(), "source_snapshot_id", "current_snapshot_id"))
ANCESTORS = StructType(fields(LongType(), "snapshot_id", "timestamp"))
ORPHANS = StructType(fields(StringType(), "orphan_file_location"))
# Options about parallelism and staging directories, which have no effect here.
WORKERS = ("max_concurrent_deletes", "stream_results")
EXPIRY = ("table", "older_than", "retain_last", *WORKERS, "snapshot_ids", "clean_expired_metadata")
PROCEDURES = {
    "rollback_to_snapshot": Procedure(("table", "snapshot_id"), BEFORE_AND_AFTER, rollback_to_snapshot),
    "rollback_to_timestamp": Procedure(("table", "timestamp"), BEFORE_AND_AFTER, rollback_to_timestamp),
    "set_current_snapshot": Procedure(("table", "snapshot_id", "ref"), BEFORE_AND_AFTER, set_current_snapshot),
    "ancestors_of": Procedure(("table", "snapshot_id"), ANCESTORS, ancestors_of),
    "expire_snapshots": Procedure(EXPIRY, EXPIRED, expire_snapshots),
    "remove_orphan_files": Procedure(("table", "older_than", "dry_run", *WORKERS), ORPHANS, remove_orphan_files),
    "rewrite_data_files": Procedure(
        ("table", "strategy", "sort_order", "options", "where"), REWRITTEN, rewrite_data_files, rewrite_arguments
    ),
    "rewrite_position_delete_files": Procedure(("table", "options", "where"), REWRITTEN_DELETES, no_delete_files),
    "fast_forward": Procedure(("table", "branch", "to"), FORWARDED, fast_forward),
    "cherrypick_snapshot": Procedure(("table", "snapshot_id"), PICKED, cherrypick_snapshot),
    "publish_changes": Procedure(("table", "wap_id"), PICKED, publish_changes),
    "rewrite_manifests": Procedure(("table", "use_caching", "spec_id"), made.JOINED, made.rewrite_manifests),
    "add_files": Procedure(
        ("table", "source_table", "partition_filter", "check_duplicate_files", "parallelism"),
        made.ADDED,
        made.add_files,
        made.adding,
    ),
}
MOVED = ("table", "properties", "drop_backup", "backup_table_name", "parallelism")
# Procedures that create a table: called with its name, their arguments and the context.
MAKERS = {
    "register_table": Procedure(("table", "metadata_file"), made.REGISTERED, made.register_table),
    "snapshot": Procedure(
        ("source_table", "table", "location", "properties", "parallelism"), made.IMPORTED, made.snapshot
    ),
    "migrate": Procedure(MOVED, made.MIGRATED, made.migrate),
}


def call_procedure(
    statement: tree.CallProcedure, text: str, context: Context, services: Services
) -> Callable[[], Answer]:
    parts = written_parts(statement.procedure, text, context, services)
    called = parts[-1].lower() if len(parts) > 1 and parts[-2].lower() == SYSTEM else ""
    found = PROCEDURES.get(called) or MAKERS.get(called)
    if found is None:
        raise NotNative(reasons.PROCEDURE, ".".join(parts))
    arguments = bind_arguments(found, statement, text, context, services)
    if called in MAKERS:
        return create_command(found, arguments, parts[:-2] or (context.catalog,), context)
    table = tuple(parse_multipart_identifier(str(arguments["table"]), parser_config(context)))
    catalog = parts[:-2] or (context.catalog,)
    known = services.catalogs.names()
    target = write_target(table if len(table) > 2 or table[0] in known else qualify(catalog, table, context), context)
    assert target.iceberg
    understood = found.understood(target, arguments, context)

    def carry_out() -> Answer:
        with spark_errors():
            rows = found.run(target, understood, connection_of(context))
        return answer(found.schema, rows)

    return carry_out


def create_command(
    found: Procedure, arguments: Arguments, catalog: Sequence[str], context: Context
) -> Callable[[], Answer]:
    name = made.new_name(arguments, catalog, context)

    def carry_out() -> Answer:
        with spark_errors():
            return answer(found.schema, found.run(name, arguments, context))

    return carry_out


def bind_arguments(
    procedure: Procedure, statement: tree.CallProcedure, text: str, context: Context, services: Services
) -> Arguments:
    """Arguments by name, then by position."""
    made: Arguments = {}
    for at, node in enumerate(statement.arguments):
        name = node.name.lower() if isinstance(node, tree.NamedArgument) else procedure.parameters[at : at + 1]
        value = node.value if isinstance(node, tree.NamedArgument) else node
        key = name if isinstance(name, str) else (name[0] if name else "")
        if key not in procedure.parameters or key in made:
            raise NotNative(reasons.PROCEDURE, f"the argument {key or at + 1}")
        made[key] = constant(value, text, context, services)
    if made.get("table") is None:
        raise NotNative(reasons.PROCEDURE, "the argument table is missing")
    return made
