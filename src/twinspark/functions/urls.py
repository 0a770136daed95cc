"""URLs: encoded and decoded as java.net.URLEncoder does, and taken apart as java.net.URI does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.functions.casts import not_native
from twinspark.functions.registry import fn
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import STRING, is_null, is_string

fn("url_encode(string) -> string?", "spark_url_encode({0})")


def decoded(name: str) -> str:
    """Java reads the digits of other scripts, too."""
    odd = "regexp_matches({0}, '%.?[^\\x00-\\x7f]')"
    return f"(CASE WHEN {odd} THEN {not_native('an escape of digits that are no ASCII')} ELSE {name}({{0}}) END)"


fn("url_decode(string) -> string?", decoded("spark_url_decode"))
fn("try_url_decode(string) -> string?", decoded("spark_url_decode_try"))


def parts_type(call: Call) -> Typed:
    """It casts nothing (ExpectsInputTypes)."""
    for index, type in enumerate(call.types):
        if not (is_string(type) or is_null(type)):
            raise unexpected_input_type(call, index, '"STRING"')
    return Typed(STRING, True, [STRING] * len(call.arguments))


def taken_apart(tries: bool) -> Callable[..., str]:
    def write(call: Any, *parts: str) -> str:
        suffix = "" if call.settings.ansi and not tries else "_try"
        return f"spark_parse_url{suffix}({', '.join(parts)})"

    return write


for name, tries in (("parse_url", False), ("try_parse_url", True)):
    fn(f"{name}(any, any)", taken_apart(tries), rule=parts_type)
    fn(f"{name}(any, any, any)", taken_apart(tries), rule=parts_type)
