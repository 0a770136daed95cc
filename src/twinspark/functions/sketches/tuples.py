"""Tuple sketches: theta sketches with a double or integer summary for each key (duck/native/sketches/tuple.c)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.sql_text import is_window
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import (
    KEYS,
    SKETCH,
    Casts,
    cast_of,
    cast_or_fall_back,
    check_not_null,
    constant,
    expects,
    failed_check,
    is_between,
)
from twinspark.types import BINARY, DOUBLE, INT, LONG, STRING, DataType

LEAST, MOST, DEFAULT = 4, 26, 12
MODES = ("sum", "min", "max", "alwaysone")


def mode_number(call: Any, index: int) -> int:
    mode = constant(call, index, "sum")
    if not isinstance(mode, str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with the mode {mode}")
    if mode.lower() not in MODES:
        raise failed_check(call, invalid_mode(call, mode))
    return MODES.index(mode.lower())


def invalid_mode(call: Any, mode: str) -> SparkError:
    function, modes = f"`{call.name}`", ", ".join(MODES)
    return SparkError("TUPLE_INVALID_SKETCH_MODE", function=function, mode=mode, validModes=modes)


def with_mode(function: str, mode: int) -> Callable[..., str]:
    """Writes a call whose last argument, the mode, is a number. Windows fall back, since Spark returns an unmerged
    sketch."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if distinct or is_window(suffix):
            raise NotNative(reasons.AGGREGATE_DISTINCT, f"{call.name} of DISTINCT values or over a window")
        return f"{function}({', '.join([*values[:mode], str(mode_number(call, mode))])}){suffix}"

    return write


def check_constants(call: Call, size: int | None, mode: int) -> None:
    if size is not None:
        check_size(call, size)
    check_not_null(call, mode, "mode")
    mode_number(call, mode)


def check_size(call: Call, index: int) -> None:
    """The checks of SketchSize.checkLgNomEntriesParameter."""
    check_not_null(call, index, "lgNomEntries")
    size = constant(call, index, DEFAULT)
    if not isinstance(size, int) or isinstance(size, bool):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with the size {size}")
    if not is_between(size, LEAST, MOST):
        raise failed_check(call, invalid_size(call, size))


def invalid_size(call: Call, size: int) -> SparkError:
    return SparkError("SKETCH_INVALID_LG_NOM_ENTRIES", function=f"`{call.name}`", min=LEAST, max=MOST, value=size)


def keys_typed(value: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        check_constants(call, 2, 3)
        found = implicit_type(call.types[1], (value.simpleString(),), call.settings.ansi)
        casts: Casts = [cast_or_fall_back(call, 0, KEYS), found or value]
        return Typed(BINARY, False, casts)

    return rule


def sketches_typed(inputs: int, size: int | None, mode: int, never_null: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        constants = [(STRING,)] if size is None else [(INT,), (STRING,)]
        check = cast_or_fall_back if never_null else cast_of  # the aggregate functions cast implicitly
        wanted = [*[SKETCH] * inputs, *constants][: len(call.arguments)]
        casts = [check(call, index, types) for index, types in enumerate(wanted)]
        check_constants(call, size, mode)
        return Typed(BINARY, not never_null and call.any_nullable, casts)

    return rule


def difference_typed(call: Call) -> Typed:
    return Typed(BINARY, call.any_nullable, expects(call, SKETCH, SKETCH))


def double_typed(call: Call) -> Typed:
    return Typed(DOUBLE, call.any_nullable, expects(call, SKETCH))


def summary_typed(type: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        casts = expects(call, SKETCH, (STRING,))
        check_constants(call, None, 1)
        return Typed(type, call.any_nullable, casts)

    return rule


def lines(kind: str, value: DataType, summary: DataType) -> None:
    """Registers the functions of sketches with one kind of summary; only the aggregate functions cast implicitly."""
    size, exact_size = f"int = {DEFAULT}, string = 'sum'", f"any = {DEFAULT}, any = 'sum'"
    aggregate(
        f"tuple_sketch_agg_{kind}(any, {value.simpleString()}, {size})",
        with_mode(f"spark_tuple_sketch_agg_{kind}", 3),
        rule=keys_typed(value),
        shows_defaults=True,
    )
    aggregate(
        f"tuple_union_agg_{kind}(any, {size})",
        with_mode(f"spark_tuple_union_agg_{kind}", 2),
        rule=sketches_typed(1, 1, 2, True),
        shows_defaults=True,
    )
    aggregate(
        f"tuple_intersection_agg_{kind}(any, string = 'sum')",
        with_mode(f"spark_tuple_intersection_agg_{kind}", 1),
        rule=sketches_typed(1, None, 1, True),
        shows_defaults=True,
    )
    for variety in (kind, f"theta_{kind}"):
        fn(
            f"tuple_union_{variety}(any, any, {exact_size})",
            with_mode(f"spark_tuple_union_{variety}", 3),
            rule=sketches_typed(2, 2, 3, False),
            shows_defaults=True,
        )
        fn(
            f"tuple_intersection_{variety}(any, any, any = 'sum')",
            with_mode(f"spark_tuple_intersection_{variety}", 2),
            rule=sketches_typed(2, None, 2, False),
            shows_defaults=True,
        )
        fn(
            f"tuple_difference_{variety}(any, any)",
            f"spark_tuple_difference_{variety}({{args}})",
            rule=difference_typed,
        )
    fn(f"tuple_sketch_estimate_{kind}(any)", f"spark_tuple_sketch_estimate_{kind}({{0}})", rule=double_typed)
    fn(f"tuple_sketch_theta_{kind}(any)", f"spark_tuple_sketch_theta_{kind}({{0}})", rule=double_typed)
    fn(
        f"tuple_sketch_summary_{kind}(any, any = 'sum')",
        with_mode(f"spark_tuple_sketch_summary_{kind}", 1),
        rule=summary_typed(summary),
        shows_defaults=True,
    )


lines("double", DOUBLE, DOUBLE)
lines("integer", INT, LONG)
