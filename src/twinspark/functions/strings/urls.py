"""URL functions: encode and decode as java.net.URLEncoder, parse_url as java.net.URI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.types import STRING, is_null, is_string

fn("url_encode(string) -> string?", "spark_url_encode({0})")
fn("url_decode(string) -> string?", "spark_url_decode({0})")
fn("try_url_decode(string) -> string?", "spark_url_decode_try({0})")


def parse_url_type(call: Call) -> Typed:
    """Arguments are not cast (ExpectsInputTypes)."""
    for index, type in enumerate(call.types):
        if not (is_string(type) or is_null(type)):
            raise unexpected_input_type(call, index, '"STRING"')
    return Typed(STRING, True, [STRING] * len(call.arguments))


def parse_url_writer(tries: bool) -> Callable[..., str]:
    def write(call: Any, *parts: str) -> str:
        suffix = "" if call.settings.ansi and not tries else "_try"
        return f"spark_parse_url{suffix}({', '.join(parts)})"

    return write


for name, tries in (("parse_url", False), ("try_parse_url", True)):
    fn(f"{name}(any, any)", parse_url_writer(tries), rule=parse_url_type)
    fn(f"{name}(any, any, any)", parse_url_writer(tries), rule=parse_url_type)
