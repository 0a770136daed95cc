"""The internal function that converts a value to a string as DataFrame.show prints it."""

from typing import Any

from twinspark.functions.casts.cast_sql import pretty
from twinspark.functions.notation.registry import fn


def write_show_cell(call: Any, value: str) -> str:
    return pretty(value, call.arguments[0].type, call.settings)


fn("to_pretty_string(any?) -> string!", write_show_cell)
