"""String functions."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.registry import fn
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import BINARY, INT, STRING, ArrayType, BinaryType, MapType, StructType

# ---- parts


def substring(call: Any, value: str, position: str, *length: str) -> str:
    """Position 0 counts as 1, a negative one from the end; a start before the text eats into the length
    (UTF8String.substringSQL)."""
    if isinstance(call.arguments[0].type, BinaryType):
        raise NotNative("substring of bytes")
    if position.isdigit() and int(position) > 0 and (not length or length[0].isdigit()):
        return f"substr({value}, {', '.join([position, *length])})"
    back = f"length({value}) + {position} + 1"
    start = f"CASE WHEN {position} > 0 THEN {position} WHEN {position} < 0 THEN {back} ELSE 1 END"
    if not length:
        return f"substr({value}, greatest({start}, 1))"
    end = f"({start}) + CAST({length[0]} AS BIGINT) - 1"
    return f"substr({value}, greatest({start}, 1), greatest({end} - greatest({start}, 1) + 1, 0))"


def substring_type(call: Call) -> Typed:
    first = call.types[0]
    if isinstance(first, ArrayType | MapType | StructType):
        raise unexpected_input_type(call, 0, '("STRING" or "BINARY" or "ARRAY<BYTE>")')
    kind = BINARY if isinstance(first, BinaryType) else STRING
    shown = [a.text for a in call.arguments] + ["2147483647"] * (3 - len(call.arguments))
    casts = (kind, INT, INT)[: len(call.arguments)]
    return Typed(kind, False, casts, add_nullable_casts=True, text=f"{call.name}({', '.join(shown)})")


fn("substring(any, any)", substring, "substr", rule=substring_type)
fn("substring(any, any, any)", substring, rule=substring_type)

for name, sql in {"startswith": "starts_with", "endswith": "ends_with", "contains": "contains"}.items():
    fn(f"{name}(string, string) -> boolean", f"{sql}({{0}}, {{1}})")


# ---- patterns


def like(call: Any, value: str, pattern: str, escape: str = "") -> str:
    """Spark's escape character is a backslash unless another is given; what it may stand before is checked by Spark."""
    constant = getattr(call.arguments[1], "value", None)
    if not isinstance(constant, str):
        raise NotNative("LIKE with a pattern that is no constant")
    mark = getattr(call.arguments[2], "value", "\\") if len(call.arguments) > 2 else "\\"
    if mark in constant and not well_escaped(constant, mark):
        raise NotNative("LIKE with an escape that Spark refuses")
    return f"({value} LIKE {pattern} ESCAPE {text(mark)})"


def well_escaped(pattern: str, mark: str) -> bool:
    """The escape character stands only before %, _ and itself (StringUtils.escapeLikeRegex)."""
    position = 0
    while position < len(pattern):
        if pattern[position] == mark:
            if pattern[position + 1 : position + 2] not in ("%", "_", mark) or position + 1 >= len(pattern):
                return False
            position += 1
        position += 1
    return True


fn("like(string, string) -> boolean", like)
fn("like(string, string, string literal) -> boolean", like)


# ---- lengths, joining

fn("length(string) -> int", "CAST(length({0}) AS INTEGER)", "char_length", "character_length", "len", keeps_alias=True)
fn("length(binary) -> int", "CAST(octet_length({0}) AS INTEGER)")
