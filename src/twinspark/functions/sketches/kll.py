"""KLL sketches that still hold every item; compacted ones fall back (duck/native/sketches/kll.c)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.sql_text import is_window
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    any_of,
    is_foldable,
    non_foldable_input,
    type_text,
    unexpected_input_type,
)
from twinspark.functions.sketches.arguments import check_not_null, constant, expects, failed_check, is_between
from twinspark.types import BINARY, BYTE, DOUBLE, FLOAT, INT, LONG, SHORT, STRING, ArrayType, DataType, is_null

LEAST, MOST, DEFAULT = 8, 65535, 200


def sketch_writer(function: str, default_size: int, type: str | None) -> Callable[..., str]:
    """For no items: an empty sketch. Windows and DISTINCT fall back, since they have another order of items."""

    def write(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if distinct or is_window(suffix):
            raise NotNative(reasons.AGGREGATE_DISTINCT, f"{call.name} of DISTINCT values or over a window")
        size = constant(call, 1, default_size)
        empty = bytes([2, 1, 15, 1, *(size or DEFAULT).to_bytes(2, "little"), 8, 0])
        item = f"CAST({value} AS {type})" if type else value
        return f"coalesce({function}({item}, {size}{order}){suffix}, unhex('{empty.hex()}'))"

    return write


def sketch_of(*types: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        casts = expects(call, types, (INT,))
        check_size(call)
        return Typed(BINARY, False, casts)

    return rule


def check_size(call: Call) -> None:
    """The checks of KllSketchAggBase.checkKInputDataTypes."""
    check_not_null(call, 1, "k")
    size = constant(call, 1, DEFAULT)
    if not is_between(size, LEAST, MOST):
        error = SparkError("KLL_SKETCH_K_OUT_OF_RANGE", functionName=f"`{call.name}`", k=size)
        raise failed_check(call, error)


def merge_type(call: Call) -> Typed:
    return Typed(BINARY, call.any_nullable, (BINARY, BINARY))


def answers(type: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        return Typed(type, call.any_nullable, (BINARY,))

    return rule


def query_rule(listed: str, name: str, question: DataType, answer: DataType) -> Callable[[Call], Typed]:
    """Queries with one constant, or with an array of constants, which returns an array."""

    def rule(call: Call) -> Typed:
        type = call.types[1]
        if isinstance(type, ArrayType):
            casts = (BINARY, questions(call, type))
            check_foldable(call, casts[1])
            return Typed(ArrayType(answer, False), call.any_nullable, casts, writer=listed)
        casts = (BINARY, one(call, type))
        check_foldable(call, casts[1])
        return Typed(answer, call.any_nullable or is_null(type), casts)

    def questions(call: Call, type: ArrayType) -> DataType:
        if type.containsNull:
            raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} of nulls")
        return ArrayType(one(call, type.elementType), False)

    def one(call: Call, type: DataType) -> DataType:
        if not is_null(type) and implicit_type(type, (question.simpleString(),), call.settings.ansi) is None:
            raise unexpected_input_type(call, 1, any_of((question, ArrayType(question))))
        return question

    def check_foldable(call: Call, type: DataType) -> None:
        if not is_foldable(call.arguments[1]):
            raise non_foldable_input(call, 1, name, type_text(type))

    return rule


def lines(kind: str, item: DataType, *accepted: DataType) -> None:
    """Registers the functions of sketches with one type of items."""
    duck = {"bigint": "BIGINT", "float": "FLOAT", "double": "DOUBLE"}[kind]
    for count in ("", ", any"):  # the column name does not show a missing size
        aggregate(
            f"kll_sketch_agg_{kind}(any{count})",
            sketch_writer(f"spark_kll_sketch_agg_{kind}", DEFAULT, duck),
            rule=sketch_of(*accepted),
        )
        aggregate(
            f"kll_merge_agg_{kind}(any{count})",
            sketch_writer(f"spark_kll_merge_agg_{kind}", 0, None),
            rule=sketch_of(BINARY),
        )
    fn(f"kll_sketch_merge_{kind}(binary, binary)", f"spark_kll_sketch_merge_{kind}({{0}}, {{1}})", rule=merge_type)
    fn(f"kll_sketch_get_n_{kind}(binary)", f"spark_kll_sketch_get_n_{kind}({{0}})", rule=answers(LONG))
    fn(f"kll_sketch_to_string_{kind}(binary)", f"spark_kll_sketch_to_string_{kind}({{0}})", rule=answers(STRING))
    for name, shown, question, answer in (("quantile", "rank", DOUBLE, item), ("rank", "quantile", item, DOUBLE)):
        function = f"spark_kll_sketch_get_{name}"
        fn(
            f"kll_sketch_get_{name}_{kind}(binary, any)",
            f"{function}_{kind}({{0}}, {{1}})",
            rule=query_rule(f"{function}s_{kind}({{0}}, {{1}})", shown, question, answer),
        )


lines("bigint", LONG, BYTE, INT, LONG, SHORT)
lines("float", FLOAT, FLOAT)
lines("double", DOUBLE, FLOAT, DOUBLE)
