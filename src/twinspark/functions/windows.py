"""Window functions: ranks and offsets."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.common_types import common_type
from twinspark.functions.registry import AGGREGATE, WINDOW, fn
from twinspark.functions.typing import Call, Typed, different_data_types
from twinspark.types import INT, IntegerType, is_null

fn("row_number() -> int!", "CAST(row_number(){suffix} AS INTEGER)", kind=WINDOW)
fn("rank() -> int!", "CAST(rank(){suffix} AS INTEGER)", kind=WINDOW, shows="RANK")
fn("dense_rank() -> int!", "CAST(dense_rank(){suffix} AS INTEGER)", kind=WINDOW, shows="DENSE_RANK")
fn("percent_rank() -> double!", "percent_rank(){suffix}", kind=WINDOW, shows="PERCENT_RANK")
fn("cume_dist() -> double!", "cume_dist(){suffix}", kind=WINDOW)


def positive(argument: Any) -> None:
    value = getattr(argument, "value", None)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or not isinstance(argument.type, IntegerType):
        raise NotNative("a number that is no positive constant")


def tile_type(call: Call) -> Typed:
    for argument in call.arguments:
        positive(argument)
    return Typed(INT, False, text=None if call.arguments else "ntile(1)")


fn("ntile(any = 1)", "CAST(ntile({0}){suffix} AS INTEGER)", kind=WINDOW, rule=tile_type)


def nth_type(call: Call) -> Typed:
    """nth_value(value, place, ignores nulls): the third is shown as words."""
    positive(call.arguments[1])
    text = f"nth_value({call.arguments[0].text}, {call.arguments[1].text})"
    return Typed(call.types[0], True, text=text + (" ignore nulls" if asks_to_ignore(call) else ""))


def asks_to_ignore(call: Any) -> bool:
    asked = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else False
    if not isinstance(asked, bool):
        raise NotNative("nth_value with a third argument that is no constant")
    return asked


def nth(call: Any, value: str, number: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if " OVER " not in suffix:
        raise NotNative("nth_value outside a window")
    word = " IGNORE NULLS" if call.ignore_nulls or asks_to_ignore(call) else ""
    return f"nth_value({value}, {number}{order}{word}){suffix}"


fn("nth_value(any, any)", nth, kind=AGGREGATE, rule=nth_type)
fn("nth_value(any, any, any)", nth, kind=AGGREGATE, rule=nth_type)


def offset_type(call: Call) -> Typed:
    """lag(value, offset, default): the default must be of the value's type, and its null makes the result nullable."""
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


def shifted(call: Any, *arguments: str, suffix: str = "", **_: str) -> str:
    shown = [arguments[0], *arguments[1:3]]
    if len(arguments) > 2 and arguments[2].startswith("CAST(NULL"):
        shown = shown[:2]
    return f"{call.name}({', '.join(shown)}){suffix}"


fn("lag(any, int = 1, any = null)", shifted, kind=WINDOW, rule=offset_type)
fn("lead(any, int = 1, any = null)", shifted, kind=WINDOW, rule=offset_type)
