"""Cells as show prints them."""

from typing import Any

from twinspark.functions.casts import pretty
from twinspark.functions.registry import fn


def shown(call: Any, value: str) -> str:
    return pretty(value, call.arguments[0].type, call.settings)


fn("to_pretty_string(any?) -> string!", shown)
