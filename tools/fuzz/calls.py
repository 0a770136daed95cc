"""Reads calls.txt: each line becomes calls over columns, with types and constants chosen by chance."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.fuzz.domains import maker_of
from tools.fuzz.patterns import PATTERNS
from tools.fuzz.shapes import Domain
from twinspark.functions import canonical
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.read.proto.types import read_type_text

HOLE = re.compile(r"\{([^{}]+)\}")
CONSTANT = re.compile(r"\[\[(.+?)\]\](?!\])")
LETTER = re.compile(r"\b([A-Z])\b")
INTEGERS = ["tinyint", "smallint", "int", "bigint"]
NUMBERS = [
    *INTEGERS,
    "float",
    "double",
    "decimal(10,2)",
    "decimal(38,18)",
    "decimal(7,7)",
    "decimal(38,0)",
    "decimal(19,4)",
]
SCALARS = [*NUMBERS[:8], "boolean", "string", "binary", "date", "timestamp", "timestamp_ntz", "interval day to second"]
ORDERED = [*SCALARS, "array<int>", "struct<x:int,y:string>", "array<double>"]
KEYS = ["string", "int", "double", "date", "decimal(10,2)", "boolean"]
LETTERS = {
    **{letter: [*ORDERED, "array<string>", "map<string,int>"] for letter in "TU"},
    **dict.fromkeys("NM", NUMBERS),
    **dict.fromkeys("IJ", INTEGERS),
    "O": ORDERED,
    "P": SCALARS,
    "K": KEYS,
}
ROUNDS = {0: 1, 1: 6, 2: 8}
MOST_ROUNDS = 14
ZONED = re.compile(r"date|timestamp|zone|unix|hour|window")


@dataclass(frozen=True)
class Line:
    """A line of the file: how it is asked, and its text."""

    kind: str
    text: str

    @property
    def zoned(self) -> bool:
        """Whether a time zone may matter."""
        return bool(ZONED.search(self.text))

    @property
    def functions(self) -> set[str]:
        """What it may call: constants choose among some."""
        constants = {name.strip() for found in CONSTANT.findall(self.text) for name in found.split("|")}
        return functions_in(HOLE.sub("x", self.text)) | {canonical(name) for name in constants & set(SPARK_FUNCTIONS)}


def functions_in(call: str) -> set[str]:
    """The functions called, and the operators: those stand between blanks or at the start."""
    bare = re.sub(r"'(?:[^'\\]|\\.)*'", "", re.sub(r"\bv\d+_\d+\b", "x", call))
    words = set(re.findall(r"[a-z_0-9]+(?=\()|(?<!\S)[^\s\w(){}\[\]',]+(?=\s|x)|\b[A-Z]+\b|\bdiv\b", bare))
    if " OVER (" in call:  # the words of frames are no operators
        words = {word for word in words if word.islower()}
    lowered = {word.lower() for word in words} | ({"cast"} if "CAST(" in call else set())
    return {canonical(name) for name in lowered if name in SPARK_FUNCTIONS}


@dataclass(frozen=True)
class Form:
    """One call to compare: over columns of these domains."""

    kind: str
    call: str
    columns: tuple[tuple[str, Domain], ...]

    def renamed(self, prefix: str) -> "Form":
        """The columns v_0, v_1 … with names of their own, so that many calls stand beside each other."""
        columns = tuple((prefix + name.removeprefix("v_"), domain) for name, domain in self.columns)
        return Form(self.kind, re.sub(r"\bv_(?=\d)", prefix, self.call), columns)


@cache
def lines() -> tuple[Line, ...]:
    found, kind = [], ""
    for line in (Path(__file__).parent / "calls.txt").read_text().splitlines():
        if re.fullmatch(r"\[\w+\]", line):
            kind = line[1:-1]
        elif line and not line.startswith("#"):
            found.append(Line(kind, line))
    return tuple(found)


def lines_of(function: str) -> list[Line]:
    return [line for line in lines() if canonical(function) in line.functions]


def forms(line: Line, serial: int, chance: random.Random, most: int = MOST_ROUNDS) -> Iterator[Form]:
    """Enough choices of types and constants that most are met; each choice once. The serial makes names unique."""
    seen = {chosen_form(line, chance) for _ in range(min(most, rounds(line.text)))}
    for place, form in enumerate(sorted(seen, key=str)):
        yield form.renamed(f"v{serial}{place:02d}_")


def rounds(text: str) -> int:
    constants = sum(
        text.count(f"[[{name}]]") * 12 or found.count("|") * 2 for found in CONSTANT.findall(text) for name in [found]
    )
    letters = len({letter for hole in HOLE.findall(text) for letter in LETTER.findall(hole)})
    return min(MOST_ROUNDS, ROUNDS.get(letters, 10) + constants)


def chosen_form(line: Line, chance: random.Random) -> Form:
    types = {letter: chance.choice(of) for letter, of in LETTERS.items()}
    columns: dict[str, Domain] = {}

    def column(found: re.Match[str]) -> str:
        name = f"v_{len(columns)}"
        columns[name] = domain_of(LETTER.sub(lambda letter: types[letter[1]], found[1]))
        return name

    call = CONSTANT.sub(lambda found: constant(found[1], chance), HOLE.sub(column, line.text))
    return Form(line.kind, call, tuple(columns.items()))


def constant(choices: str, chance: random.Random) -> str:
    if choices in PATTERNS:
        return PATTERNS[choices](chance)
    return chance.choice([choice.strip() for choice in choices.split(" | ")])


@cache
def domain_of(hole: str) -> Domain:
    kind, colon, domain = hole.rpartition(":")
    if colon and "<" not in domain and ">" not in domain:
        return Domain(read_type_text(kind), (), maker_of(kind, domain))
    return Domain(read_type_text(hole), ())
