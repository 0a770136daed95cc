"""Parses the start of a statement: its first keywords and the names after them, even if the rest does not parse."""

from dataclasses import dataclass

from twinspark.read.sql.grammar import GRAMMAR
from twinspark.read.sql.lexer.config import DEFAULT, ParserConfig
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.tree import Name

_DEFINING = frozenset({"CREATE", "ALTER", "DROP", "DECLARE"})
_MODIFIERS = frozenset({"OR", "REPLACE", "GLOBAL", "TEMPORARY", "EXTERNAL"})


@dataclass(frozen=True, slots=True)
class Head:
    """`DROP TEMPORARY FUNCTION IF EXISTS a.f` starts with the keywords DROP, TEMPORARY, FUNCTION and the name a.f."""

    keywords: tuple[str, ...]
    names: tuple[tuple[str, ...], ...] = ()


def parse_head(text: str, config: ParserConfig = DEFAULT) -> Head:
    """The names are those of the objects that a statement creates, alters, drops or declares."""
    cursor = Cursor(text, config, GRAMMAR)
    if cursor.kinds[0] not in _DEFINING:
        return Head(tuple(kind for kind in cursor.kinds[:2] if kind != "eof"))
    cursor.at = 1
    while cursor.kinds[cursor.at] in _MODIFIERS:
        cursor.at += 1
    if cursor.kinds[0] != "DECLARE" or cursor.kinds[cursor.at] in ("VARIABLE", "VAR"):
        cursor.at += 1
    keywords = tuple(cursor.kinds[: cursor.at])
    names = cursor.attempt(_parse_names) or ()
    return Head(keywords, tuple(name.parts for name in names))


def _parse_names(cursor: Cursor) -> tuple[Name, ...]:
    cursor.take("IF")
    cursor.take("NOT")
    cursor.take("EXISTS")
    names = cursor.list_of(parse_multipart_identifier)
    return (*names, parse_multipart_identifier(cursor)) if cursor.take("RENAME", "TO") else names
