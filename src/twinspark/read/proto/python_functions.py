"""Python functions in Connect messages: calls inside expressions, and relations made by functions over batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import python_call, workers_of
from twinspark.analysis.relations import Named, passing
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression
from twinspark.plan.python_functions import COGROUP_MAPS, GROUP_MAPS, MAPS, PythonFunction
from twinspark.plan.pythons import PythonCoGroups, PythonGroups, PythonMap
from twinspark.plan.relations import Field, Relation
from twinspark.read.proto.expressions import EXPRESSIONS, read_columns
from twinspark.read.proto.functions import read_argument
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import DataType, StructType


@EXPRESSIONS.handles("common_inline_user_defined_function")
def read_python_call(message: Any, scope: Scope) -> Expression:
    function, type = read_python_function(message)
    arguments = [read_argument(each, scope) for each in message.arguments]
    return python_call(function, type, arguments, message.is_distinct, scope.context)


def read_python_function(message: Any) -> tuple[PythonFunction, DataType]:
    """The function and the type it is said to return."""
    if message.WhichOneof("function") != "python_udf":
        raise NotNative("Java and Scala functions run on Spark", nearest=not_found(message))
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


def not_found(message: Any) -> SparkError | None:
    """Without a JVM no class of Java's is found."""
    if message.WhichOneof("function") != "java_udf":
        return None
    return SparkError("_LEGACY_ERROR_TEMP_1329", className=message.java_udf.class_name)


# ---- functions over batches of rows


@RELATIONS.handles("map_partitions")
def read_map_partitions(message: Any, context: Context) -> Frame:
    """All rows are one partition: how Spark cuts them is Spark's own choice, and no answer may depend on it."""
    if message.HasField("profile_id"):
        raise NotNative("a cluster's resources")
    frame = read_frame(message.input, context)
    function, type = read_python_function(message.func)
    if function.eval_type not in MAPS:
        raise NotNative(f"a Python function of kind {function.eval_type} over partitions")
    return frame_of(
        PythonMap(
            input=frame.plain(),
            function=function,
            fields=fields_of(type),
            workers=workers_of(context),
            is_barrier=message.is_barrier,
        )
    )


def fields_of(type: DataType) -> tuple[Field, ...]:
    if not isinstance(type, StructType):
        raise NotNative("a Python function over rows that returns no struct")
    return tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in type.fields)


# ---- functions over groups


@RELATIONS.handles("group_map")
def read_group_map(message: Any, context: Context) -> Frame:
    function, type = read_python_function(message.func)
    if function.eval_type not in GROUP_MAPS:
        raise NotNative(f"a Python function of kind {function.eval_type} over groups")
    side = grouped_side(message.input, message.grouping_expressions, context)
    made = PythonGroups(
        input=side.relation,
        function=function,
        order=side.order,
        offsets=side.offsets,
        fields=fields_of(type),
        workers=workers_of(context),
    )
    return frame_of(made)


@RELATIONS.handles("co_group_map")
def read_co_group_map(message: Any, context: Context) -> Frame:
    function, type = read_python_function(message.func)
    if function.eval_type not in COGROUP_MAPS:
        raise NotNative(f"a Python function of kind {function.eval_type} over two groups")
    left = grouped_side(message.input, message.input_grouping_expressions, context)
    right = grouped_side(message.other, message.other_grouping_expressions, context)
    if [left.relation.fields[i].type for i in left.order] != [right.relation.fields[i].type for i in right.order]:
        raise NotNative("two groups by keys of different types")
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
    """Rows with their keys, where the keys are, and what the worker is told of both."""

    relation: Relation
    order: tuple[int, ...]
    offsets: tuple[int, ...]


def grouped_side(input: Any, grouping: Any, context: Context) -> Side:
    """Keys that are no columns come first; of others the column itself is the key (PandasGroupUtils)."""
    frame = read_frame(input, context)
    keys = read_columns(grouping, Scope(frame, context))
    rows = [passing(frame, attribute) for attribute in frame.attributes]
    new = [key for key in keys if place_in(frame, key) is None]
    relation = make.project(frame, [*new, *rows]).plain()
    if len({field.name for field in relation.fields}) < len(relation.fields):
        raise NotNative("a name twice in the rows of a Python function")
    order = tuple(new.index(key) if (at := place_in(frame, key)) is None else len(new) + at for key in keys)
    values = range(len(new), len(new) + len(rows))
    return Side(relation, order, (len(keys) + len(rows) + 1, len(keys), *order, *values))


def place_in(frame: Frame, key: Named) -> int | None:
    """Where among the frame's columns the key is, if it is one of them."""
    if key.passes is None:
        return None
    return next((i for i, attribute in enumerate(frame.attributes) if attribute.id == key.passes.id), None)
