"""Reads Connect's table-valued functions: range, listings, and generators without an input."""

from __future__ import annotations

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.generators import generate, is_generator
from twinspark.analysis.relations.listings import listing_relation
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.registry import overloads
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import Field, OneRow, Range
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.relations import RELATIONS
from twinspark.types import LONG, is_integral


@RELATIONS.handles("unresolved_table_valued_function")
def read_table_function(message: relations_pb2.UnresolvedTableValuedFunction, context: Context) -> Frame:
    name = message.function_name.lower()
    frame = frame_of(OneRow())
    arguments = [read_expression(argument, Scope(frame, context)) for argument in message.arguments]
    if name == "range":
        return frame_of(range_of(arguments))
    rows = listing_relation(name, arguments, context)
    if rows is not None:
        return frame_of(rows)
    if not overloads(name):
        raise NotNative(reasons.TABLE_FUNCTION, name)
    call = build.call(name, arguments, context.settings)
    if not is_generator(call):
        raise NotNative(reasons.TABLE_FUNCTION, name)
    return generate(frame, [Named(call, call.text)], context.settings)


def range_of(arguments: list[Expression]) -> Range:
    """range(end), range(start, end), range(start, end, step), and the number of partitions."""
    values = [int(a.value) for a in arguments if isinstance(a, Literal) and is_integral(a.type) and a.value is not None]
    if len(values) < len(arguments) or not 1 <= len(values) <= 4:
        raise NotNative(reasons.TABLE_FUNCTION, "range with an argument that is not a whole number")
    start, end = (0, values[0]) if len(values) == 1 else values[:2]
    step = values[2] if len(values) > 2 else 1
    if step == 0:
        raise NotNative(reasons.ERROR_MESSAGE, "a range with a step of zero")
    return Range(start=start, end=end, step=step, fields=(Field("id", LONG, False),))
