"""Reads Python functions in Connect messages: calls inside expressions, and relations of functions over batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.python.calls import python_call, workers_of
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.basics import Named, passed_column, without_missing_columns
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.python_functions import COGROUP_MAPS, GROUP_MAPS, MAPS, PythonFunction
from twinspark.plan.python_relations import PythonCoGroups, PythonGroups, PythonMap
from twinspark.plan.relations import Field, Relation
from twinspark.read.proto.expressions import EXPRESSIONS, read_columns
from twinspark.read.proto.functions import read_argument
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import DataType, StructType


@EXPRESSIONS.handles("common_inline_user_defined_function")
def read_python_call(message: expressions_pb2.CommonInlineUserDefinedFunction, scope: Scope) -> Expression:
    function, type = read_python_function(message)
    arguments = [read_argument(each, scope) for each in message.arguments]
    return python_call(function, type, arguments, message.is_distinct, scope.context)


def read_python_function(message: expressions_pb2.CommonInlineUserDefinedFunction) -> tuple[PythonFunction, DataType]:
    """The function and its declared return type."""
    if message.WhichOneof("function") != "python_udf":
        raise NotNative(reasons.JVM_FUNCTION, likely_error=not_found(message))
    python = message.python_udf
    function = PythonFunction(
        message.function_name,
        python.command,
        python.eval_type,
        python.python_ver,
        message.deterministic,
        tuple(python.additional_includes),
    )
    return function, read_type(python.output_type)


def not_found(message: expressions_pb2.CommonInlineUserDefinedFunction) -> SparkError | None:
    """A Java class cannot be found without a JVM."""
    if message.WhichOneof("function") != "java_udf":
        return None
    return SparkError("_LEGACY_ERROR_TEMP_1329", className=message.java_udf.class_name)


# ---- functions over batches of rows


@RELATIONS.handles("map_partitions")
def read_map_partitions(message: relations_pb2.MapPartitions, context: Context) -> Frame:
    """All rows are one partition: Spark's partitioning is not defined, so results must not depend on it."""
    if message.HasField("profile_id"):
        raise NotNative(reasons.CLUSTER_RESOURCES, "a resource profile")
    frame = read_frame(message.input, context)
    function, type = read_python_function(message.func)
    if function.eval_type not in MAPS:
        raise NotNative(reasons.PYTHON_FUNCTION_KIND, f"eval type {function.eval_type} over partitions")
    made = PythonMap(
        input=frame.plain(),
        function=function,
        fields=fields_of(type),
        workers=workers_of(context),
        is_barrier=message.is_barrier,
    )
    return without_missing_columns(frame_of(made), frame)


def fields_of(type: DataType) -> tuple[Field, ...]:
    if not isinstance(type, StructType):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "mapInPandas or mapInArrow that does not return a struct")
    return tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in type.fields)


# ---- functions over groups


@RELATIONS.handles("group_map")
def read_group_map(message: relations_pb2.GroupMap, context: Context) -> Frame:
    function, type = read_python_function(message.func)
    if function.eval_type not in GROUP_MAPS:
        raise NotNative(reasons.PYTHON_FUNCTION_KIND, f"eval type {function.eval_type} over groups")
    side = grouped_side(message.input, message.grouping_expressions, context)
    made = PythonGroups(
        input=side.relation,
        function=function,
        order=side.order,
        offsets=side.offsets,
        fields=fields_of(type),
        workers=workers_of(context),
    )
    return without_missing_columns(frame_of(made), side.frame)


@RELATIONS.handles("co_group_map")
def read_co_group_map(message: relations_pb2.CoGroupMap, context: Context) -> Frame:
    function, type = read_python_function(message.func)
    if function.eval_type not in COGROUP_MAPS:
        raise NotNative(reasons.PYTHON_FUNCTION_KIND, f"eval type {function.eval_type} over cogroups")
    left = grouped_side(message.input, message.input_grouping_expressions, context)
    right = grouped_side(message.other, message.other_grouping_expressions, context)
    if [left.relation.fields[i].type for i in left.order] != [right.relation.fields[i].type for i in right.order]:
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "cogroup by keys of different types")
    made = PythonCoGroups(
        left=left.relation,
        right=right.relation,
        function=function,
        orders=(left.order, right.order),
        offsets=(*left.offsets, *right.offsets),
        fields=fields_of(type),
        workers=workers_of(context),
    )
    return frame_of(made)


@dataclass(frozen=True)
class Side:
    """The input frame, its rows with their keys, the indexes of the keys, and the argument offsets sent to the
    worker."""

    frame: Frame
    relation: Relation
    order: tuple[int, ...]
    offsets: tuple[int, ...]


def grouped_side(
    input: relations_pb2.Relation, grouping: Sequence[expressions_pb2.Expression], context: Context
) -> Side:
    """Computed keys are added before the columns; a key that is a column is not repeated (PandasGroupUtils)."""
    frame = read_frame(input, context)
    keys = read_columns(grouping, Scope(frame, context))
    rows = [passed_column(frame, attribute) for attribute in frame.attributes]
    new = [key for key in keys if column_index(frame, key) is None]
    relation = make.project(frame, [*new, *rows]).plain()
    if len({field.name for field in relation.fields}) < len(relation.fields):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "a field name that occurs twice in the returned rows")
    order = tuple(new.index(key) if (at := column_index(frame, key)) is None else len(new) + at for key in keys)
    values = range(len(new), len(new) + len(rows))
    return Side(frame, relation, order, (len(keys) + len(rows) + 1, len(keys), *order, *values))


def column_index(frame: Frame, key: Named) -> int | None:
    """The index of the key among the frame's columns, if it is one of them."""
    if key.passes is None:
        return None
    return next((i for i, attribute in enumerate(frame.attributes) if attribute.id == key.passes.id), None)
