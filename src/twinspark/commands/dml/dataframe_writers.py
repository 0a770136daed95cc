"""Writes DataFrames into tables: saveAsTable, insertInto, and the methods of writeTo."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pyspark.sql.connect.proto import expressions_pb2
from pyspark.sql.connect.proto.commands_pb2 import WriteOperation, WriteOperationV2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.commands.ddl.definition import Definition, definition, rows_for
from twinspark.commands.ddl.targets import Parts, Target, find_target, name_of, quote_name, write_target
from twinspark.commands.dml.file_checks import check_append, check_not_read, check_written_by_v1
from twinspark.commands.dml.replace_where import filter_condition, replacing, table_frame
from twinspark.commands.dml.schema_evolution import evolve_table, is_requested
from twinspark.commands.dml.source import Source, write_rows_of
from twinspark.commands.dml.store_assignment import Assignment
from twinspark.commands.dml.write import Rows, insert, overwrite_partitions
from twinspark.commands.results import Answer
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Literal
from twinspark.plan.relations import OneRow
from twinspark.read.proto import read_frame
from twinspark.read.proto.expressions import read_expression
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.sql_text import parser_config
from twinspark.sessions.services import Services
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.table import FORMATS, FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.transforms import Bucket, Identity, Transform, not_a_transform, of_call
from twinspark.types import DataType, StructType, as_nullable

Command = Callable[[], Answer]
NOTHING: Answer = ()  # a DataFrame's write returns no rows
APPEND, OVERWRITE, IGNORE = 1, 2, 4
SAVE_AS_TABLE, INSERT_INTO = 1, 2
CREATE, OVERWRITE_WHERE, OVERWRITE_PARTITIONS, APPEND_V2, REPLACE, CREATE_OR_REPLACE = 1, 2, 3, 4, 5, 6

Made = TypeVar("Made")
Written = TypeVar("Written", WriteOperation, WriteOperationV2)


@dataclass(frozen=True)
class FrameWrite(Generic[Written]):
    """A DataFrame that is written to a named table."""

    parts: Parts
    message: Written
    context: Context
    services: Services

    def source(self) -> Source:
        return Source(lambda: read_frame(self.message.input, self.context), lambda: self.message.input)

    def write_command(self, write: Callable[[Frame], Callable[[], object]]) -> Command:
        return write_rows_of(self.services, self.context, self.source(), lambda frame: quietly(write(frame)))

    def rows(self, frame: Frame, target: Target, by_name: bool) -> Rows:
        if self.message.with_schema_evolution or is_requested(self.message.options, target):
            target = evolve_table(target, frame, by_name, self.context)
        assignment = Assignment(target.full_name, self.context)
        fields = target.table.schema.fields
        made = assignment.by_name(frame, fields) if by_name else assignment.by_position(frame, fields)
        return Rows.of(made, target.table.schema, self.context, isinstance(target.table, FileTable))

    def append(self, target: Target, by_name: bool, saved: bool = False) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            if saved:
                assert isinstance(self.message, WriteOperation)
                check_append(target, frame, self.message, self.context)
            rows = self.rows(frame, target, by_name)
            return lambda: insert(target, rows, "append")

        return self.write_command(write)

    def overwrite(self, target: Target, by_name: bool, dynamic: bool) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = self.rows(frame, target, by_name)
            if dynamic:
                return lambda: overwrite_partitions(target, rows)
            check_not_read(target, rows.query)
            return lambda: insert(target, rows, "overwrite")

        return self.write_command(write)

    def create(self, made: Definition) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = rows_for(made, frame, self.context)
            return lambda: made.create_as(rows)

        made.catalog.load_namespace(made.name.identifier.namespace)
        return self.write_command(write)

    def replace(self, made: Definition, or_create: bool) -> Command:
        def write(frame: Frame) -> Callable[[], object]:
            rows = rows_for(made, frame, self.context)
            return lambda: made.replace_as(rows, or_create)

        return self.write_command(write)

    def overwrite_where(self, target: Target, condition: expressions_pb2.Expression) -> Command:
        frame = table_frame(target, self.context)
        made = filter_condition(frame, read_expression(condition, Scope(frame, self.context)), self.context)
        replace_rows = replacing(target, frame, made, self.context)

        def write(frame: Frame) -> Callable[[], object]:
            rows = self.rows(frame, target, True)
            return lambda: replace_rows(rows)

        return self.write_command(write)


def quietly(change: Callable[[], object]) -> Command:
    def carry_out() -> Answer:
        change()
        return NOTHING

    return carry_out


def parse_name(name: str, context: Context) -> Parts:
    return tuple(parse_multipart_identifier(name, parser_config(context)))


# ---- df.write


def write_table(message: WriteOperation, context: Context, services: Services) -> Command:
    write = FrameWrite(parse_name(message.table.table_name, context), message, context, services)
    if message.table.save_method == INSERT_INTO:
        return insert_into(write)
    return save_as_table(write)


def insert_into(write: FrameWrite[WriteOperation]) -> Command:
    message = write.message
    if message.partitioning_columns or message.HasField("bucket_by"):
        raise NotNative(reasons.ERROR_MESSAGE, "insertInto together with partitionBy or bucketBy")
    target = write_target(write.parts, write.context)
    if message.mode != OVERWRITE:
        return write.append(target, by_name=False)
    return write.overwrite(target, False, is_dynamic(message.options, write.context, target))


def is_dynamic(options: Mapping[str, str], context: Context, target: Target) -> bool:
    by_lower_case = {key.lower(): value for key, value in options.items()}
    mode = by_lower_case.get("partitionoverwritemode") or by_lower_case.get("overwrite-mode")
    chosen = mode or context.conf("spark.sql.sources.partitionOverwriteMode")
    return chosen.upper() == "DYNAMIC" and bool(target.table.partitioning)


def save_as_table(write: FrameWrite[WriteOperation]) -> Command:
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
    overwriting = without_fall_back(target, lambda: overwrite_table(write, target))
    return lambda: without_fall_back(target, overwriting)


def overwrite_table(write: FrameWrite[WriteOperation], target: Target) -> Command:
    made = table_of(write)
    if isinstance(target.table, IcebergTable) and made.provider == "iceberg":
        return write.replace(made, or_create=True)
    return recreate(write, target, made)


def without_fall_back(target: Target, work: Callable[[], Made]) -> Made:
    """If Spark created the new table, ours of the same name would still hide it, so falling back raises an error."""
    try:
        return work()
    except NotNative as why:
        raise target.unsupported_error(
            f"being overwritten by a table that only Spark can store ({why}): drop it first"
        ) from why


def check_new_place(made: Definition, mode: int) -> None:
    """Existing files would be overwritten or added to, though no table owns them."""
    place = made.properties.get("location")
    if mode in (OVERWRITE, APPEND) and place is not None and os.path.exists(local_path(place)):
        raise NotNative(reasons.WRITE_TARGET, "saveAsTable over files that exist already")


def recreate(write: FrameWrite[WriteOperation], target: Target, made: Definition) -> Command:
    """A table of files is dropped and created again, under a temporary name until its rows are written."""

    def carry_out(rows: Rows) -> None:
        aside = made.aside()
        aside.create_as(rows)
        target.catalog.drop_table(target.name.identifier, purge=True)
        target.catalog.rename_table(aside.name.identifier, target.name.identifier)

    def write_rows(frame: Frame) -> Callable[[], object]:
        if keeps_table(target, made, frame):
            kept = write.rows(frame, target, by_name=True)
            check_not_read(target, kept.query)
            return lambda: insert(target, kept, "overwrite")
        check_may_go(target)
        rows = rows_for(made, frame, write.context)
        check_not_read(target, rows.query)
        return lambda: carry_out(rows)

    return write.write_command(write_rows)


def keeps_table(target: Target, made: Definition, frame: Frame) -> bool:
    """Delta keeps an overwritten table, with its history, properties and constraints, unless its columns change."""
    table = target.table
    if not isinstance(table, DeltaTable) or made.provider != "delta" or "location" in made.properties:
        return False
    if made.partitions and list(made.partitions) != list(table.partitioning):
        return False
    return named_types(table.schema) == named_types(frame.plain().schema)


def named_types(schema: StructType) -> dict[str, DataType]:
    return {field.name: as_nullable(field.dataType) for field in schema.fields}


def check_may_go(target: Target) -> None:
    if isinstance(target.table, DeltaTable):
        target.table.check_removable()


def table_of(write: FrameWrite[WriteOperation]) -> Definition:
    message = write.message
    options = dict(message.options)
    properties = {"location": path} if (path := options.pop("path", None)) else {}
    properties |= clustering(message)
    provider = message.source.lower()
    if provider in FORMATS:
        properties |= {f"option.{key}": value for key, value in options.items()}
    partitions: list[Transform] = [Identity(parse_name(name, write.context)) for name in message.partitioning_columns]
    if message.HasField("bucket_by"):
        partitions += buckets(message.bucket_by, provider)
    return definition(write.parts, write.context, provider, partitions, properties)


def clustering(message: WriteOperation | WriteOperationV2) -> dict[str, str]:
    """clusterBy: nested names contain dots."""
    paths = [name.split(".") for name in message.clustering_columns]
    return {"clusteringColumns": json.dumps(paths)} if paths else {}


def buckets(spec: WriteOperation.BucketBy, provider: str) -> list[Transform]:
    """Iceberg's buckets are of one column each; bucketed files use Hive's layout and fall back to Spark."""
    if provider not in ("", "iceberg"):
        raise NotNative(reasons.WRITE_BUCKETED, "saveAsTable of a table of files")
    return [Bucket((name,), spec.num_buckets) for name in spec.bucket_column_names]


# ---- df.writeTo


def write_to(message: WriteOperationV2, context: Context, services: Services) -> Command:
    write = FrameWrite(parse_name(message.table_name, context), message, context, services)
    if message.mode in (CREATE, REPLACE, CREATE_OR_REPLACE):
        return create_or_replace(write)
    target = write_target(write.parts, context)
    check_written_by_v1(target)
    if message.mode == APPEND_V2:
        return write.append(target, by_name=True)
    if message.mode == OVERWRITE_PARTITIONS:
        return write.overwrite(target, True, bool(target.table.partitioning))
    return write.overwrite_where(target, message.overwrite_condition)


def create_or_replace(write: FrameWrite[WriteOperationV2]) -> Command:
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
        path = f"[{quote_name(name.qualifier[:-1])}]"
        raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quote_name(name.qualifier), searchPath=path)
    return write.replace(made, or_create=message.mode == CREATE_OR_REPLACE)


def transform_of(expression: expressions_pb2.Expression, context: Context) -> Transform:
    kind = expression.WhichOneof("expr_type")
    if kind == "unresolved_attribute":
        return Identity(parse_name(expression.unresolved_attribute.unparsed_identifier, context))
    if kind == "unresolved_function":
        call = expression.unresolved_function
        return of_call(call.function_name, arguments(call.arguments, context))
    raise not_a_transform(str(kind))


def arguments(expressions: Sequence[Any], context: Context) -> list[Parts | int]:
    return [argument(each, context) for each in expressions]


def argument(expression: expressions_pb2.Expression, context: Context) -> Parts | int:
    if expression.WhichOneof("expr_type") == "unresolved_attribute":
        return parse_name(expression.unresolved_attribute.unparsed_identifier, context)
    value = read_expression(expression, Scope(frame_of(OneRow()), context))
    if not isinstance(value, Literal) or not isinstance(value.value, int):
        raise not_a_transform(value.text)
    return value.value
