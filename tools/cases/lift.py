"""Makes columns of an expression's literals, so that constant folding cannot hide what a function does to columns."""

import re
from collections.abc import Iterable

# What is left as it is: casts' type texts, intervals, lambda heads, named arguments, keyword forms.
TYPE = r"(?:decimal|numeric|dec|char|varchar|struct|map|array)\s*[(<][^()]*?[)>]+(?=\s*[,)]|$)"
STRING = r"'(?:[^'\\]|\\.)*'"
KEPT = rf"(?i:\bas\s+{TYPE}|\binterval\s+-?(?:{STRING}|\d+)|\b(?:time|collate)\s+{STRING}|`[^`]*`|\w*[a-z_]\w*\s*=>)"
TYPED_NULL = r"(?i:\bcast\(null as (?:[^()]|\([^()]*\))*\))"
TYPED_STRING = rf"(?i:\b(?:date|timestamp|timestamp_ntz|timestamp_ltz|x)\s*{STRING})"
NUMBER = r"(?i:(?<![\w.`])(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:bd|[lsydf])?(?![\w.]))"
NEGATIVE = rf"(?<=[(,\s])(?<![\w)]\s)-{NUMBER}|^-{NUMBER}"
LITERAL = rf"{TYPED_NULL}|{TYPED_STRING}|{STRING}|{NEGATIVE}|{NUMBER}|(?i:\b(?:true|false)\b)"
TOKEN = re.compile(rf"(?P<kept>{KEPT})|(?P<literal>{LITERAL})")


class Lifter:
    """Collects the literals of many expressions as columns of one row."""

    def __init__(self) -> None:
        self.columns: dict[str, str] = {}

    def lift(self, expression: str) -> str:
        return TOKEN.sub(self.replace, expression)

    def replace(self, found: re.Match[str]) -> str:
        if found["kept"]:
            return found["kept"]
        return self.columns.setdefault(found["literal"], f"c{len(self.columns)}")

    def relation(self) -> str:
        names = ", ".join(self.columns.values())
        return f"FROM VALUES ({', '.join(self.columns)}) AS t({names})"


def has_literals(expression: str) -> bool:
    lifter = Lifter()
    lifter.lift(expression)
    return bool(lifter.columns)


def lifted_query(expressions: Iterable[str]) -> tuple[list[str], str]:
    """The expressions over columns, and the relation that holds those columns."""
    lifter = Lifter()
    lifted = [lifter.lift(expression) for expression in expressions]
    return lifted, lifter.relation()
