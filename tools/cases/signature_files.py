"""Reads the recorded signatures: what a call over the probe columns is expected to be, or why it is refused."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.cases.files import Answer, refusal, unescape

ACCEPTED = re.compile(r"(?P<types>.*?) -> (?P<result>(?:(?! -> )[^|])*) \| (?P<call>.*?)(?: \| as (?P<name>.*))?")
REFUSED = re.compile(r"!([A-Za-z_.0-9]+) <- (.*)")
ANSI_OFF = "### ansi=false"


@dataclass
class Probes:
    """The probed calls of one function: as answered with ANSI on, and what is answered otherwise with ANSI off."""

    ansi: dict[str, Answer] = field(default_factory=dict)
    changed: dict[str, Answer] = field(default_factory=dict)

    @property
    def without_ansi(self) -> dict[str, Answer]:
        return self.ansi | self.changed


def read_signatures(path: Path) -> dict[str, Probes]:
    """By function: each probed call with its type and name, or with the condition that refuses it."""
    functions: dict[str, Probes] = {}
    calls: dict[str, Answer] = {}
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            probes = functions.setdefault(function_named(line[3:]), Probes())
            calls = probes.ansi
        elif line == ANSI_OFF:
            calls = probes.changed
        elif refused := REFUSED.fullmatch(line):
            calls |= {call: refusal(refused[1]) for call in refused[2].split(" ; ")}
        elif line and not line.startswith("# "):
            calls |= dict([read_accepted(line)])
    return functions


def function_named(heading: str) -> str:
    return re.sub(r"  \(as .*\)$", "", heading)


def read_accepted(line: str) -> tuple[str, Answer]:
    found = ACCEPTED.fullmatch(line)
    assert found is not None, line
    several = found["result"].startswith("(")  # a generator's columns carry their names in the result
    name = "" if several else unescape(found["name"]) if found["name"] else found["call"]
    return found["call"], Answer(found["result"], "", name)
