"""DataFrames into tables: saveAsTable, insertInto and all that writeTo offers."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Literal
from twinspark.plan.relations import OneRow
from twinspark.read.proto import read_frame
from twinspark.read.proto.expressions import read_expression
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.text import parser_config
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands_definition import Definition, definition, rows_for
from twinspark.session.tables_targets import Parts, Target, find_target, name_of, quoted, written_to
from twinspark.session.writes import Rows, insert, overwrite_partitions
from twinspark.session.writes_assignment import Assignment
from twinspark.session.writes_evolution import evolved, is_asked
from twinspark.session.writes_source import Source, written
from twinspark.session.writes_to_files import check_append, check_not_read, check_written_by_v1
from twinspark.session.writes_where import checked, replacing, table_frame
from twinspark.tables.file_table import FORMATS
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.listing import local_path
from twinspark.tables.transforms import Bucket, Identity, Transform, not_a_transform, of_call

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
NOTHING: Answer = ()  # a DataFrame's write answers with no rows at all
APPEND, OVERWRITE, IGNORE = 1, 2, 4
SAVE_AS_TABLE, INSERT_INTO = 1, 2
CREATE, OVERWRITE_WHERE, OVERWRITE_PARTITIONS, APPEND_V2, REPLACE, CREATE_OR_REPLACE = 1, 2, 3, 4, 5, 6

Made = TypeVar("Made")


@dataclass(frozen=True)
class FrameWrite:
    """A DataFrame on its way into the table of a name."""

    parts: Parts
    message: Any
    context: Context
    session: "Session"

    def source(self) -> Source:
        return Source(lambda: read_frame(self.message.input, self.context), lambda: self.message.input)

    def written(self, write: Callable[[Frame], Callable[[], object]]) -> Command:
        return written(self.session, self.source(), lambda frame: quietly(write(frame)))

    def rows(self, frame: Frame, target: Target, by_name: bool) -> Rows:
        if self.message.with_schema_evolution or is_asked(self.message.options, target):
            target = evolved(target, frame, by_name, self.context)
        assignment = Assignment(target.full_name, self.context)
        fields = target.table.schema.fields
        made = assignment.by_name(frame, fields) if by_name else assignment.by_position(frame, fields)
        return Rows.of(made, target.table.schema, self.context)

    def append(self, target: Target, by_name: bool, saved: bool = False) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            if saved:
                check_append(target, frame, self.message, self.context)
            rows = self.rows(frame, target, by_name)
            return lambda: insert(target, rows, "append")

        return self.written(write)

    def overwrite(self, target: Target, by_name: bool, dynamic: bool) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = self.rows(frame, target, by_name)
            if dynamic:
                return lambda: overwrite_partitions(target, rows)
            check_not_read(target, rows.query)
            return lambda: insert(target, rows, "overwrite")

        return self.written(write)

    def create(self, made: Definition) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = rows_for(made, frame, self.context)
            return lambda: made.create_as(rows)

        made.catalog.load_namespace(made.name.identifier.namespace)
        return self.written(write)

    def replace(self, made: Definition, or_create: bool) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = rows_for(made, frame, self.context)
            return lambda: made.replace_as(rows, or_create)

        return self.written(write)

    def overwrite_where(self, target: Target, condition: Any) -> Command:
        frame = table_frame(target, self.context)
        made = checked(frame, read_expression(condition, Scope(frame, self.context)), self.context)
        replace_rows = replacing(target, frame, made, self.context)

        def write(frame: Frame) -> Callable[[], object]:
            rows = self.rows(frame, target, True)
            return lambda: replace_rows(rows)

        return self.written(write)


def quietly(change: Callable[[], object]) -> Command:
    def carry_out() -> Answer:
        change()
        return NOTHING

    return carry_out


def parsed(name: str, context: Context) -> Parts:
    return tuple(parse_multipart_identifier(name, parser_config(context)))


# ---- df.write


def write_table(message: Any, context: Context, session: "Session") -> Command:
    write = FrameWrite(parsed(message.table.table_name, context), message, context, session)
    if message.table.save_method == INSERT_INTO:
        return insert_into(write)
    return save_as_table(write)


def insert_into(write: FrameWrite) -> Command:
    message = write.message
    if message.partitioning_columns or message.HasField("bucket_by"):
        raise NotNative("insertInto with partitionBy or bucketBy: Spark refuses it in its words")
    target = written_to(write.parts, write.context)
    if message.mode != OVERWRITE:
        return write.append(target, by_name=False)
    return write.overwrite(target, False, is_dynamic(message.options, write.context, target))


def is_dynamic(options: Any, context: Context, target: Target) -> bool:
    told = {key.lower(): value for key, value in options.items()}
    mode = told.get("partitionoverwritemode") or told.get("overwrite-mode")
    chosen = mode or context.config.get("spark.sql.sources.partitionOverwriteMode", "STATIC")
    return chosen.upper() == "DYNAMIC" and bool(target.table.partitioning)


def save_as_table(write: FrameWrite) -> Command:
    message = write.message
    target = find_target(write.parts, write.context)
    if target is not None and message.mode == IGNORE:
        return quietly(lambda: None)
    if target is not None and message.mode == APPEND:
        return write.append(target, by_name=True, saved=True)
    if target is None:
        made = table_of(write)
        check_new_place(made, message.mode)
        return write.create(made)
    if message.mode != OVERWRITE:
        raise target.catalog.iceberg.already_exists(target.name.identifier)
    overwriting = here(target, lambda: overwritten(write, target))
    return lambda: here(target, overwriting)


def overwritten(write: FrameWrite, target: Target) -> Command:
    made = table_of(write)
    if isinstance(target.table, IcebergTable) and made.provider == "iceberg":
        return write.replace(made, or_create=True)
    return recreate(write, target, made)


def here(target: Target, work: Callable[[], Made]) -> Made:
    """Spark would make the new table beside ours, which would still be the one that its name means."""
    try:
        return work()
    except NotNative as why:
        raise target.refuses(f"being overwritten by what only Spark can keep ({why.reason}): drop it first") from why


def check_new_place(made: Definition, mode: int) -> None:
    """Files that are there would be overwritten or added to, without a table that knows of them."""
    place = made.properties.get("location")
    if mode in (OVERWRITE, APPEND) and place is not None and os.path.exists(local_path(place)):
        raise NotNative("saveAsTable over files that are there")


def recreate(write: FrameWrite, target: Target, made: Definition) -> Command:
    """A table of files is dropped and made again, under a name of its own until its rows are there."""

    def carry_out(rows: Rows) -> None:
        aside = made.aside()
        aside.create_as(rows)
        target.catalog.drop_table(target.name.identifier, purge=True)
        target.catalog.rename_table(aside.name.identifier, target.name.identifier)

    def write_rows(frame: Frame) -> Callable[[], object]:
        rows = rows_for(made, frame, write.context)
        check_not_read(target, rows.query)
        return lambda: carry_out(rows)

    return write.written(write_rows)


def table_of(write: FrameWrite) -> Definition:
    message = write.message
    options = dict(message.options)
    properties = {"location": path} if (path := options.pop("path", None)) else {}
    properties |= clustering(message)
    provider = message.source.lower()
    if provider in FORMATS:
        properties |= {f"option.{key}": value for key, value in options.items()}
    partitions: list[Transform] = [Identity(parsed(name, write.context)) for name in message.partitioning_columns]
    if message.HasField("bucket_by"):
        partitions += buckets(message.bucket_by, provider)
    return definition(write.parts, write.context, provider, partitions, properties)


def clustering(message: Any) -> dict[str, str]:
    """clusterBy: nested names have points."""
    paths = [name.split(".") for name in message.clustering_columns]
    return {"clusteringColumns": json.dumps(paths)} if paths else {}


def buckets(spec: Any, provider: str) -> list[Transform]:
    """Iceberg's buckets are of one column each; files in buckets are Hive's, and not ours to write."""
    if provider not in ("", "iceberg"):
        raise NotNative("a table in buckets of files")
    return [Bucket((name,), spec.num_buckets) for name in spec.bucket_column_names]


# ---- df.writeTo


def write_to(message: Any, context: Context, session: "Session") -> Command:
    write = FrameWrite(parsed(message.table_name, context), message, context, session)
    if message.mode in (CREATE, REPLACE, CREATE_OR_REPLACE):
        return create_or_replace(write)
    target = written_to(write.parts, context)
    check_written_by_v1(target)
    if message.mode == APPEND_V2:
        return write.append(target, by_name=True)
    if message.mode == OVERWRITE_PARTITIONS:
        return write.overwrite(target, True, bool(target.table.partitioning))
    return write.overwrite_where(target, message.overwrite_condition)


def create_or_replace(write: FrameWrite) -> Command:
    message, context = write.message, write.context
    partitions = [transform_of(each, context) for each in message.partitioning_columns]
    properties = dict(message.table_properties) | clustering(message)
    made = definition(write.parts, context, message.provider, partitions, properties)
    target = find_target(write.parts, context)
    if message.mode == CREATE:
        if target is not None:
            raise target.catalog.iceberg.already_exists(target.name.identifier)
        return write.create(made)
    if target is None and message.mode == REPLACE:
        name = name_of(write.parts, context)
        path = f"[{quoted(name.qualifier[:-1])}]"
        raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(name.qualifier), searchPath=path)
    return write.replace(made, or_create=message.mode == CREATE_OR_REPLACE)


def transform_of(expression: Any, context: Context) -> Transform:
    kind = expression.WhichOneof("expr_type")
    if kind == "unresolved_attribute":
        return Identity(parsed(expression.unresolved_attribute.unparsed_identifier, context))
    if kind == "unresolved_function":
        call = expression.unresolved_function
        return of_call(call.function_name, arguments(call.arguments, context))
    raise not_a_transform(str(kind))


def arguments(expressions: Sequence[Any], context: Context) -> list[Parts | int]:
    return [argument(each, context) for each in expressions]


def argument(expression: Any, context: Context) -> Parts | int:
    if expression.WhichOneof("expr_type") == "unresolved_attribute":
        return parsed(expression.unresolved_attribute.unparsed_identifier, context)
    value = read_expression(expression, Scope(frame_of(OneRow()), context))
    if not isinstance(value, Literal) or not isinstance(value.value, int):
        raise not_a_transform(value.text)
    return value.value
