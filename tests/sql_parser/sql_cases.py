"""The text cases: a statement, then what Spark's parser says to it; `record_cases.py` asks a Spark again."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twinspark.errors import NotNative
from twinspark.read.sql import ParseError, ParserConfig, parse_statement

CASES = Path(__file__).parent / "cases"
ARROW = "--> "


@dataclass(frozen=True)
class Case:
    """`condition` is `ok` or the condition Spark gave; `details` its parameters and, if told, where in the text."""

    file: str
    line: int
    text: str
    condition: str
    details: dict[str, Any]
    settings: dict[str, str]


def read_cases(path: Path) -> list[Case]:
    """Blocks of a statement and its answer; `--SET key=value` on top of the file holds for all of it."""
    cases: list[Case] = []
    settings: dict[str, str] = {}
    lines: list[str] = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("--SET "):
            key, _, value = line[6:].partition("=")
            settings[key] = value
        elif line.startswith(ARROW):
            condition, _, details = line[len(ARROW) :].partition(" ")
            given = json.loads(details) if details else {}
            cases.append(Case(path.name, number, "\n".join(lines), condition, given, settings))
            lines = []
        elif line or lines:
            lines.append(line)
    return cases


def all_cases() -> list[Case]:
    return [case for path in sorted(CASES.glob("*.sql")) for case in read_cases(path)]


def read(case: Case) -> None:
    """What is Spark's to say is still said as well as we can: the nearest error is compared."""
    try:
        parse_statement(case.text, ParserConfig.of(case.settings))
    except NotNative as error:
        if error.likely_error is None:
            raise
        raise error.likely_error from error


def our_answer(case: Case) -> tuple[str, dict[str, Any]]:
    try:
        read(case)
    except ParseError as error:
        if error.exception != "ParseException":
            return "ok", {}  # the recorder tells those from analysis errors no better
        fragment = error.contexts[0].fragment if error.contexts else None
        place = {"line": error.line, "position": error.position, "fragment": fragment}
        return error.condition, {**error.parameters, **place}
    return "ok", {}
