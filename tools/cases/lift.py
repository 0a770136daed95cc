"""Makes columns of an expression's literals, so that constant folding cannot hide what a function does to columns."""

import re
from collections.abc import Iterable
from zlib import crc32

# What is left as it is: casts' type texts, paths of variants, intervals, lambda heads, named arguments, keyword forms.
TYPE = r"(?:decimal|numeric|dec|char|varchar|struct|map|array)\s*[(<][^()]*?[)>]+(?=\s*[,)]|$)"
STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
PATH = r"(?<=\)):\w+(?:\.\w+|\[[^\]]*\])*"  # of a variant
CAST_TYPE, INTERVAL = rf"(?:\bas\s+|::){TYPE}", rf"\binterval\s+-?(?:{STRING}|\d+)"
KEPT = rf"(?i:{CAST_TYPE}|{PATH}|{INTERVAL}|\b(?:time|collate)\s*{STRING}|`[^`]*`|\w*[a-z_]\w*\s*=>)"
TYPED_NULL = r"(?i:\bcast\(null as (?:[^()]|\([^()]*\))*\))"
TYPED_STRING = rf"(?i:\b(?:date|timestamp|timestamp_ntz|timestamp_ltz|x)\s*{STRING})"
NUMBER = r"(?i:(?<![\w.`])(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:bd|[lsydf])?(?![\w.]))"
NEGATIVE = rf"(?<=[(,\s])(?<![\w)]\s)-{NUMBER}|^-{NUMBER}"
LITERAL = rf"{TYPED_NULL}|{TYPED_STRING}|{STRING}|{NEGATIVE}|{NUMBER}|(?i:\b(?:true|false)\b)"
TOKEN = re.compile(rf"(?P<kept>{KEPT})|(?P<literal>{LITERAL})")


class Lifter:
    """Collects the literals of many expressions as columns of one row."""

    def __init__(self, only_first: bool = False) -> None:
        self.only_first = only_first
        self.columns: dict[str, str] = {}

    def lift(self, expression: str) -> str:
        if not self.only_first:
            return TOKEN.sub(self.replace, expression)
        literal = next((found for found in TOKEN.finditer(expression) if is_lifted(found)), None)
        if literal is None:
            return expression
        return expression[: literal.start()] + self.replace(literal) + expression[literal.end() :]

    def replace(self, found: re.Match[str]) -> str:
        if not is_lifted(found):
            return found[0]
        return self.columns.setdefault(found["literal"], column_name(found["literal"]))

    def relation(self) -> str:
        names = ", ".join(self.columns.values())
        return f"FROM VALUES ({', '.join(self.columns)}) AS t({names})"


def is_lifted(found: re.Match[str]) -> bool:
    """Field names of named_struct are no data: they stay."""
    names = "named_struct" in found.string and re.fullmatch(r"'\w{1,2}'", found[0])
    return bool(found["literal"]) and not names


def column_name(literal: str) -> str:
    """The same for the same literal in every batch: Spark makes field names of column names."""
    return f"c{crc32(literal.encode()):08x}"


def has_literals(expression: str) -> bool:
    lifter = Lifter()
    lifter.lift(expression)
    return bool(lifter.columns)


def lifted_query(expressions: Iterable[str], only_first: bool = False) -> tuple[list[str], str]:
    """The expressions over columns, and the relation that holds those columns."""
    lifter = Lifter(only_first)
    lifted = [lifter.lift(expression) for expression in expressions]
    return lifted, lifter.relation()
