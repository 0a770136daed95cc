"""String literals and simple values in Scala and Java source text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LITERAL = re.compile(
    r'(?s)//[^\n]*|/\*.*?\*/|(?P<prefix>\b[a-z]+)?(?:"""(?P<raw>.*?)"""(?!")|"(?P<plain>(?:[^"\\\n]|\\.)*)")'
    r"|'(?:[^'\\]|\\.)'"
)
MARGIN = re.compile(r"(?m)^\s*\|")
STRIPPED = re.compile(r"\s*\.stripMargin")
INSERTED = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
GLUE = re.compile(r"\s*\+\s*")


@dataclass(frozen=True)
class Literal:
    """A string as the program sees it, with its offsets in the source."""

    start: int
    end: int
    text: str


def literals(source: str, known: Mapping[str, str]) -> Iterator[Literal]:
    """Concatenated ones joined; those with values inserted only where the values are in `known`."""
    waiting: Literal | None = None
    for one in single_literals(source, known):
        if waiting and GLUE.fullmatch(source[waiting.end : one.start]):
            waiting = Literal(waiting.start, one.end, waiting.text + one.text)
            continue
        if waiting:
            yield from whole(source, waiting)
        waiting = one
    if waiting:
        yield from whole(source, waiting)


def whole(source: str, literal: Literal) -> list[Literal]:
    """Nothing when a part that is not a literal is appended."""
    after, before = source[literal.end : literal.end + 40].lstrip(), source[max(0, literal.start - 40) : literal.start]
    return [] if after.startswith("+") or before.rstrip().endswith("+") else [literal]


def single_literals(source: str, known: Mapping[str, str]) -> Iterator[Literal]:
    for found in LITERAL.finditer(source):
        raw, plain, prefix = found["raw"], found["plain"], found["prefix"]
        if raw is None and plain is None:
            continue
        text, end = (raw, found.end()) if raw is not None else (unescape(plain), found.end())
        if raw is not None and (stripped := STRIPPED.match(source, end)):
            text, end = MARGIN.sub("", text), stripped.end()
        if prefix in ("s", "f"):
            filled = insert_values(text, known)
            if filled is not None:
                yield Literal(found.start(), end, filled)
        else:
            yield Literal(found.start(), end, text)


def insert_values(text: str, known: Mapping[str, str]) -> str | None:
    names = {first or second for first, second in INSERTED.findall(text)}
    filled = INSERTED.sub(lambda found: known.get(found[1] or found[2], ""), text)
    return None if names - known.keys() or "$" in filled else filled


def unescape(text: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})|\\(.)", escape_value, text)


def escape_value(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else ESCAPES.get(found[2], found[2])


def constants(source: str) -> dict[str, str]:
    """`val name = "text"`, where the file gives the name one value only."""
    found: dict[str, set[str]] = {}
    for name, text in re.findall(r'\bval\s+(\w+)(?:\s*:\s*String)?\s*=\s*"([^"\\\n$]*)"', source):
        found.setdefault(name, set()).add(text)
    return {name: texts.pop() for name, texts in found.items() if len(texts) == 1}


def closing(source: str, opened: int) -> int:
    """The offset of the bracket that closes the one at `opened`; -1 when there is none."""
    depth = 0
    for found in re.compile(rf"{LITERAL.pattern}|[()\[\]{{}}]").finditer(source, opened):
        text = found.group()
        depth += (text in "([{") - (text in ")]}") if len(text) == 1 else 0
        if depth == 0:
            return found.start()
    return -1


def split_arguments(text: str) -> list[str]:
    """By commas outside of brackets and strings."""
    parts, depth, start = [], 0, 0
    for found in re.compile(rf"{LITERAL.pattern}|[()\[\]{{}},]").finditer(text):
        token = found.group()
        if token == "," and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
        elif len(token) == 1:
            depth += (token in "([{") - (token in ")]}")
    return [part for part in (*parts, text[start:].strip()) if part]
