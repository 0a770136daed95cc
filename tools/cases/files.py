"""The text format of value cases: sections of one mode, a line for each expression with its type and value."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.cases.connect import Mode
from tools.cases.lift import has_literals

HEADER = """\
# Recorded from Spark 4.2.1 by `{command}`. Do not edit: ask Spark again.
# A line is: expression, type (! never null, ? nullable), value or !CONDITION, and the column's name where it is not
# simply the expression without its quotes; fields are separated by tabs. A section says its mode and its relation.
# The first section of a relation is whole. The following ones list only what differs from it: in another mode, or
# with every literal made a column (`columns`), or, where Spark refuses that, only the first literal (`first`).
# ` ¦ ` separates the values of several rows.
"""


@dataclass(frozen=True)
class Section:
    """Where the expressions below it are evaluated."""

    mode: Mode = field(default_factory=Mode)
    lifted: str = ""  # "columns": every literal a column; "first": only the first literal
    relation: str = ""

    def __str__(self) -> str:
        lifted = f" {self.lifted}" if self.lifted else ""
        relation = f" from={self.relation}" if self.relation else ""
        return f"## {self.mode}{lifted}{relation}"


@dataclass(frozen=True)
class Answer:
    """What came out of an expression: a type and a value, or an error condition."""

    kind: str
    value: str
    name: str = ""

    @property
    def failed(self) -> bool:
        return self.kind == "!"


def refusal(condition: str, message: str = "") -> Answer:
    """The message is for who reads a report: cases hold and compare only the condition."""
    return Answer("!", condition, message)


Cases = dict[Section, dict[str, Answer]]


def plain_name(expression: str) -> str:
    """What most columns are called: the expression without the quotes of its strings."""
    return re.sub(r"'((?:[^'\\]|\\.)*)'", r"\1", expression)


def write_cases(path: Path, cases: Cases) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    command = "make fuzz" if path.parent.name == "found" else f"make record TOPIC={path.stem}"
    blocks = [HEADER.format(command=command)]
    for section, answers in cases.items():
        lines = [line_of(expression, answer) for expression, answer in answers.items()]
        blocks.append("\n".join([str(section), *lines, ""]))
    path.write_text("\n".join(blocks))


def line_of(expression: str, answer: Answer) -> str:
    if answer.failed:
        return f"{expression}\t!{answer.value}"
    named = [] if answer.name in ("", plain_name(expression)) else [escape(answer.name)]
    return "\t".join([expression, answer.kind, answer.value, *named])


def read_cases(path: Path) -> Cases:
    cases: Cases = {}
    section = Section()
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            section = read_section(line)
            cases[section] = {}
        elif line and not line.startswith("# "):
            expression, answer = read_line(line)
            cases[section][expression] = answer
    return cases


def read_section(line: str) -> Section:
    found = re.fullmatch(r"## ansi=(\w+) zone=(\S+)(?: (columns|first))?(?: from=(.*))?", line)
    assert found is not None, line
    return Section(Mode(found[1] == "true", found[2]), found[3] or "", found[4] or "")


def read_line(line: str) -> tuple[str, Answer]:
    expression, kind, *rest = line.split("\t")
    if kind.startswith("!"):
        return expression, refusal(kind[1:])
    several = kind.startswith("(")  # columns that carry their names in the type
    name = unescape(rest[1]) if len(rest) > 1 else "" if several else plain_name(expression)
    return expression, Answer(kind, rest[0], name)


def whole_sections(cases: Cases) -> Cases:
    """Every section with all its lines: those not listed are as in the first section of the same relation."""
    first: dict[str, dict[str, Answer]] = {}
    whole: Cases = {}
    for section, answers in cases.items():
        base = first.setdefault(section.relation, answers)
        if answers is base:
            whole[section] = base
        else:  # names are told in the first section only
            asked = asked_in(section, base, cases)
            whole[section] = {e: replace(answers.get(e, base[e]), name="") for e in asked}
    return whole


def listed_sections(cases: Cases) -> Cases:
    """The first section of each relation whole, the lifted ones whole, and of other modes only what differs there."""
    whole = whole_sections(cases)
    first = next(iter(cases)).mode
    return {
        section: answers if section.mode == first else only(cases[section], answers)
        for section, answers in whole.items()
    }


def only(listed: dict[str, Answer], answers: dict[str, Answer]) -> dict[str, Answer]:
    return {expression: answer for expression, answer in answers.items() if expression in listed}


def asked_in(section: Section, base: dict[str, Answer], cases: Cases) -> list[str]:
    """The expressions evaluated in a section: `first` is for those that `columns` refused."""
    if section.lifted == "columns":
        return [expression for expression in base if has_literals(expression)]
    if section.lifted == "first":
        return newly_refused(base, cases[replace(section, lifted="columns")])
    return list(base)


def newly_refused(base: dict[str, Answer], columns: dict[str, Answer]) -> list[str]:
    return [e for e, answer in columns.items() if answer.failed and not base[e].failed]


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def unescape(text: str) -> str:
    words = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: words[found[1]], text)
