"""Reads Connect relations over two inputs: joins and set operations."""

from __future__ import annotations

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations import joins
from twinspark.analysis.relations import set_operations as sets
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.analysis.scope.union_by_name import by_name
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.relations import RELATIONS, read_frame

KINDS = {1: "inner", 2: "full", 3: "left", 4: "right", 5: "anti", 6: "semi", 7: "cross"}


@RELATIONS.handles("join")
def read_join(message: relations_pb2.Join, context: Context) -> Frame:
    if message.HasField("join_data_type"):
        raise NotNative(reasons.PROTOCOL, "joinWith, the typed join of the Scala API")
    kind = KINDS[message.join_type]
    left, right = read_frame(message.left, context), read_frame(message.right, context)
    if message.using_columns:
        context.hides_keys = True
        return joins.using_join(left, right, kind, list(message.using_columns), context.settings)

    def condition(sides: Frame) -> Expression | None:
        if not message.HasField("join_condition"):
            return None
        return joins.boolean(read_expression(message.join_condition, Scope(sides, context)))

    return joins.join(left, right, kind, condition)


SET_OPERATIONS = {1: "intersect", 2: "union", 3: "except"}


@RELATIONS.handles("set_op")
def read_set_operation(message: relations_pb2.SetOperation, context: Context) -> Frame:
    kind = SET_OPERATIONS.get(message.set_op_type)
    if kind is None:
        raise NotNative(reasons.PROTOCOL, "a set operation of an unknown kind")
    left, right = read_frame(message.left_input, context), read_frame(message.right_input, context)
    if message.by_name:
        left, right = by_name(left, right, message.allow_missing_columns, context.settings)
    is_all = message.is_all if message.HasField("is_all") else kind == "union"
    return sets.set_operation(left, right, kind, is_all, context.settings)
