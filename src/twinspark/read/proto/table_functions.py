"""Connect's table-valued functions: range, and generators over no relation."""

from __future__ import annotations

from typing import Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.generators import generate, is_generator
from twinspark.analysis.listings import listed
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.functions.registry import overloads
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import Field, OneRow, Range
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.relations import RELATIONS
from twinspark.types import LONG, is_integral


@RELATIONS.handles("unresolved_table_valued_function")
def read_table_function(message: Any, context: Context) -> Frame:
    name = message.function_name.lower()
    frame = frame_of(OneRow())
    arguments = [read_expression(argument, Scope(frame, context)) for argument in message.arguments]
    if name == "range":
        return frame_of(range_of(arguments))
    rows = listed(name, arguments, context)
    if rows is not None:
        return frame_of(rows)
    if not overloads(name):
        raise NotNative(f"table function {name}")
    call = build.call(name, arguments, context.settings)
    if not is_generator(call):
        raise NotNative(f"table function {name}")
    return generate(frame, [Named(call, call.text)], context.settings)


def range_of(arguments: list[Expression]) -> Range:
    """range(end), range(start, end), range(start, end, step), and how many partitions."""
    values = [int(a.value) for a in arguments if isinstance(a, Literal) and is_integral(a.type) and a.value is not None]
    if len(values) < len(arguments) or not 1 <= len(values) <= 4:
        raise NotNative("range of what is no whole number")
    start, end = (0, values[0]) if len(values) == 1 else values[:2]
    step = values[2] if len(values) > 2 else 1
    if step == 0:
        raise NotNative("a range whose step is zero")
    return Range(start=start, end=end, step=step, fields=(Field("id", LONG, False),))
