"""Window functions: ranks, ntile, nth_value, lag and lead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import common_type
from twinspark.functions.notation.registry import AGGREGATE, WINDOW, fn
from twinspark.functions.notation.sql_text import is_window
from twinspark.functions.notation.typing import Call, Typed, different_data_types, value_out_of_range
from twinspark.types import INT, IntegerType, is_null

fn("row_number() -> int!", "CAST(row_number(){suffix} AS INTEGER)", kind=WINDOW)
fn("rank() -> int!", "CAST(rank(){suffix} AS INTEGER)", kind=WINDOW, shows="RANK")
fn("dense_rank() -> int!", "CAST(dense_rank(){suffix} AS INTEGER)", kind=WINDOW, shows="DENSE_RANK")
fn("percent_rank() -> double!", "percent_rank(){suffix}", kind=WINDOW, shows="PERCENT_RANK")
fn("cume_dist() -> double!", "cume_dist(){suffix}", kind=WINDOW)


def check_positive(call: Call, index: int, name: str, most: str) -> None:
    """The number of NTile and NthValue: a constant int above zero."""
    argument = call.arguments[index]
    value = getattr(argument, "value", None)
    if isinstance(value, bool) or not isinstance(value, int) or not isinstance(argument.type, IntegerType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "a window function: its number, above zero")
    if value < 1:
        raise value_out_of_range(call, name, f"(0, {most}]", f"{value}L" if name == "offset" else value)


def tile_type(call: Call) -> Typed:
    for index in range(len(call.arguments)):
        check_positive(call, index, "buckets", "2147483647")
    return Typed(INT, False, text=None if call.arguments else "ntile(1)")


fn("ntile(any = 1)", "CAST(ntile({0}){suffix} AS INTEGER)", kind=WINDOW, rule=tile_type)


def nth_type(call: Call) -> Typed:
    """nth_value(value, n, ignoreNulls): the column name shows the third argument as `ignore nulls`."""
    text = f"nth_value({call.arguments[0].text}, {call.arguments[1].text})"
    check_positive(replace(call, text=text), 1, "offset", "9223372036854775807")
    return Typed(call.types[0], True, text=text + (" ignore nulls" if ignores_nulls(call) else ""))


def ignores_nulls(call: Any) -> bool:
    ignores = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else False
    if not isinstance(ignores, bool):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "nth_value: the third argument")
    return ignores


def nth(call: Any, value: str, number: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if not is_window(suffix):
        raise NotNative(reasons.WINDOW_FUNCTION, "nth_value without OVER")
    word = " IGNORE NULLS" if call.ignore_nulls or ignores_nulls(call) else ""
    return f"nth_value({value}, {number}{order}{word}){suffix}"


fn("nth_value(any, any)", nth, kind=AGGREGATE, rule=nth_type)
fn("nth_value(any, any, any)", nth, kind=AGGREGATE, rule=nth_type)


def offset_type(call: Call) -> Typed:
    """lag(value, offset, default): the default has the type of the value, and if it is nullable, so is the result."""
    value = call.arguments[0]
    if len(call.arguments) < 3 or is_null(call.types[2]):
        return Typed(value.type, True, text=offset_text(call))
    found = common_type([value.type, call.types[2]], call.settings.ansi)
    if found is None or found != value.type:
        raise different_data_types(call, call.name)
    nullable = value.nullable or call.arguments[2].nullable
    return Typed(value.type, nullable, (None, INT, found), text=offset_text(call))


def offset_text(call: Call) -> str:
    shown = [a.text for a in call.arguments] + ["1", "NULL"][len(call.arguments) - 1 :]
    return f"{call.name}({', '.join(shown)})"


def write_offset(call: Any, *arguments: str, suffix: str = "", **_: str) -> str:
    shown = [arguments[0], *arguments[1:3]]
    if len(arguments) > 2 and arguments[2].startswith("CAST(NULL"):
        shown = shown[:2]
    return f"{call.name}({', '.join(shown)}){suffix}"


fn("lag(any, int = 1, any = null)", write_offset, kind=WINDOW, rule=offset_type)
fn("lead(any, int = 1, any = null)", write_offset, kind=WINDOW, rule=offset_type)
