"""Reads calls out of SQL text: where a function is called and with which arguments, minding quotes and brackets."""

import re
from collections.abc import Iterator

OPENING, CLOSING = "([{", ")]}"


def find_call(text: str, name: str) -> tuple[list[str], str] | None:
    """The arguments of the first call of `name` in `text`, and what follows the call."""
    for start in re.finditer(rf"(?<![\w`]){re.escape(name)}\(", text, re.IGNORECASE):
        if in_quotes(text, start.start()):
            continue
        end = closing(text, start.end())
        if end is not None:
            return split_arguments(text[start.end() : end]), text[end + 1 :]
    return None


def closing(text: str, start: int) -> int | None:
    """Where the bracket opened just before `start` closes."""
    depth = 1
    for position, character in outside_quotes(text, start):
        depth += (character in OPENING) - (character in CLOSING)
        if depth == 0:
            return position
    return None


def split_arguments(text: str) -> list[str]:
    """The parts between the commas of the outermost level."""
    depth, begin, parts = 0, 0, []
    for position, character in outside_quotes(text, 0):
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and depth == 0:
            parts.append(text[begin:position].strip())
            begin = position + 1
    last = text[begin:].strip()
    return [*parts, last] if parts or last else []


def in_quotes(text: str, place: int) -> bool:
    return all(position != place for position, _ in outside_quotes(text, 0))


def outside_quotes(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Every character with its position, without those inside '…', "…" and `…`."""
    quote, position = "", start
    while position < len(text):
        character = text[position]
        if quote:
            position += 1 if character == "\\" and quote != "`" else 0
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        else:
            yield position, character
        position += 1
