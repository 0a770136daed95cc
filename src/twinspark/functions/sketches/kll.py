"""KLL sketches that still hold every item; compacted ones fall back (duck/native/sketches/kll.c)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.nested.elements import is_foldable
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.sql_text import is_window
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import SKETCH, cast_of, check_between, constant, expects
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
        check_between(call, 1, DEFAULT, LEAST, MOST)
        return Typed(BINARY, False, expects(call, types, (INT,)))

    return rule


def merge_type(call: Call) -> Typed:
    return Typed(BINARY, call.any_nullable, expects(call, SKETCH, SKETCH))


def answers(type: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        return Typed(type, call.any_nullable, expects(call, SKETCH))

    return rule


def query_rule(listed: str, question: DataType, answer: DataType) -> Callable[[Call], Typed]:
    """Queries with one constant, or with an array of constants, which returns an array."""

    def rule(call: Call) -> Typed:
        sketch, type = cast_of(call, call.types[0], SKETCH), call.types[1]
        if not is_foldable(call.arguments[1]):
            raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, call.name)
        if isinstance(type, ArrayType):
            return Typed(ArrayType(answer, False), call.any_nullable, [sketch, questions(call, type)], writer=listed)

        return Typed(answer, call.any_nullable or is_null(type), [sketch, one(call, type)])

    def questions(call: Call, type: ArrayType) -> DataType:
        if type.containsNull:
            raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} of nulls")
        return ArrayType(one(call, type.elementType), False)

    def one(call: Call, type: DataType) -> DataType:
        if not is_null(type) and implicit_type(type, (question.simpleString(),), call.settings.ansi) is None:
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
        return question

    return rule


def lines(kind: str, item: DataType, *accepted: DataType) -> None:
    """Registers the functions of sketches with one type of items."""
    duck = {"bigint": "BIGINT", "float": "FLOAT", "double": "DOUBLE"}[kind]
    for count in ("", ", int"):  # the column name does not show a missing size
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
    fn(f"kll_sketch_merge_{kind}(any, any)", f"spark_kll_sketch_merge_{kind}({{0}}, {{1}})", rule=merge_type)
    fn(f"kll_sketch_get_n_{kind}(any)", f"spark_kll_sketch_get_n_{kind}({{0}})", rule=answers(LONG))
    fn(f"kll_sketch_to_string_{kind}(any)", f"spark_kll_sketch_to_string_{kind}({{0}})", rule=answers(STRING))
    for name, question, answer in (("quantile", DOUBLE, item), ("rank", item, DOUBLE)):
        function = f"spark_kll_sketch_get_{name}"
        fn(
            f"kll_sketch_get_{name}_{kind}(any, any)",
            f"{function}_{kind}({{0}}, {{1}})",
            rule=query_rule(f"{function}s_{kind}({{0}}, {{1}})", question, answer),
        )


lines("bigint", LONG, BYTE, INT, LONG, SHORT)
lines("float", FLOAT, FLOAT)
lines("double", DOUBLE, DOUBLE, FLOAT)
