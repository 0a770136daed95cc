"""Generators (explode, inline, stack): functions that return several rows; the result type is a struct of their
columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.registry import GENERATOR, fn
from twinspark.functions.notation.typing import Call, Typed, quote_expression, type_text, unexpected_input_type
from twinspark.types import INT, NULL, ArrayType, DataType, MapType, StructField, StructType, is_null, same_type


def inner_call(call: Call) -> Call:
    """Errors of an outer generator such as explode_outer name the generator inside it."""
    return replace(call, text=call.text.replace("_outer(", "(", 1))


def exploded_type(positions: bool) -> Any:
    def rule(call: Call) -> Typed:
        type = call.types[0]
        if isinstance(type, ArrayType):
            fields = [StructField("col", type.elementType, type.containsNull)]
        elif isinstance(type, MapType):
            value = StructField("value", type.valueType, type.valueContainsNull)
            fields = [StructField("key", type.keyType, False), value]
        else:
            raise unexpected_input_type(inner_call(call), 0, '("ARRAY" or "MAP")')
        return Typed(StructType([StructField("pos", INT, False), *fields] if positions else fields), False)

    return rule


for name in ("explode", "explode_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=exploded_type(False))
for name in ("posexplode", "posexplode_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=exploded_type(True))


def inlined_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, ArrayType) or not isinstance(type.elementType, StructType):
        raise unexpected_input_type(inner_call(call), 0, '"ARRAY<STRUCT>"')
    fields = [StructField(f.name, f.dataType, f.nullable or type.containsNull) for f in type.elementType.fields]
    return Typed(StructType(fields), False)


for name in ("inline", "inline_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=inlined_type)


def stacked_type(call: Call) -> Typed:
    """stack(rows, value...): the values row by row; a column has the type of its first value with a type."""
    rows = getattr(call.arguments[0], "value", None)
    if not isinstance(rows, int) or isinstance(rows, bool) or call.types[0] != INT or len(call.arguments) < 2:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "stack: the number of rows")
    if rows <= 0:
        raise SparkError(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            sqlExpr=quote_expression(call.text),
            exprName="`n`",
            valueRange="(0, 2147483647]",
            currentValue=rows,
        )
    width = -(-(len(call.arguments) - 1) // rows)
    types = [stacked_column(call, column, width) for column in range(width)]
    fields = [StructField(f"col{i}", type, True) for i, type in enumerate(types)]
    return Typed(StructType(fields), False, casts=[None, *(types[i % width] for i in range(len(call.arguments) - 1))])


def stacked_column(call: Call, column: int, width: int) -> DataType:
    indexes = range(1 + column, len(call.arguments), width)
    if any(is_null(call.types[index]) and not hasattr(call.arguments[index], "value") for index in indexes):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "stack of untyped values that are not constants")
    first = next((index for index in indexes if not is_null(call.types[index])), None)
    if first is None:
        return NULL
    for index in indexes:
        if not is_null(call.types[index]) and not same_type(call.types[index], call.types[first]):
            raise SparkError(
                "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
                sqlExpr=quote_expression(call.text),
                columnIndex=column,
                leftParamIndex=first,
                leftType=type_text(call.types[first]),
                rightParamIndex=index,
                rightType=type_text(call.types[index]),
            )
    return call.types[first]


fn("stack(any, any...+)", "", kind=GENERATOR, rule=stacked_type)
