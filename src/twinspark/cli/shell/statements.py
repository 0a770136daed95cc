"""Decides while a person types whether a statement is complete: a semicolon outside of quotes and comments ends it."""

import re

# Quoted texts, identifiers and comments, which may contain semicolons.
CLOSED = re.compile(r"'(?:\\.|[^'\\])*'" r'|"(?:\\.|[^"\\])*"' r"|`(?:``|[^`])*`" r"|--[^\n]*" r"|/\*.*?\*/", re.DOTALL)
OPEN = re.compile(r"['\"`]|/\*")
SCRIPT = re.compile(r"\s*begin\b", re.IGNORECASE)
SCRIPT_END = re.compile(r"\bend\s*;$", re.IGNORECASE)


def is_complete(text: str) -> bool:
    bare = CLOSED.sub(" ", text).strip()
    if not bare:
        return True
    if OPEN.search(bare) or not bare.endswith(";"):
        return False
    return not SCRIPT.match(bare) or SCRIPT_END.search(bare) is not None


def is_blank(text: str) -> bool:
    return not CLOSED.sub("", text).strip(" \t\r\n;") and OPEN.search(CLOSED.sub("", text)) is None
