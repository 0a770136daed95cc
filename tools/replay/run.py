"""Replays recorded values and signatures on one server, and sorts the outcomes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.cases.connect import Connection, Mode
from tools.cases.evaluate import evaluate
from tools.cases.files import Answer, Cases, listed_sections, read_cases, refusal, whole_sections
from tools.cases.signature_files import read_signatures
from tools.record.groups import topic_of
from tools.record.signatures import Prober, answer_of
from twinspark.functions import SPARK, overloads
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS

NOT_NATIVE = "TWINSPARK_NOT_NATIVE"
EQUAL, DIFFERENT, ELSEWHERE = "equal", "different", "elsewhere"
FUNCTION = re.compile(r"([a-z_]\w*)\(")
KEYWORDS = {"in", "any", "all", "as", "over", "and", "or", "then", "when", "else", "not"}
Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class Outcome:
    """One case: what Spark said, what we said; `elsewhere` when we leave it to Spark."""

    section: str
    expression: str
    expected: Answer
    found: Answer

    @property
    def verdict(self) -> str:
        if self.found.failed and self.found.value == NOT_NATIVE:
            return ELSEWHERE
        return EQUAL if self.equal else DIFFERENT

    @property
    def equal(self) -> bool:
        named = not self.expected.name or self.expected.failed or self.expected.name == self.found.name
        return named and (self.expected.kind, self.expected.value) == (self.found.kind, self.found.value)

    @property
    def function(self) -> str:
        return function_of(self.expression)


@dataclass
class Tally:
    """The outcomes of one function, counted."""

    counts: dict[str, int] = field(default_factory=lambda: {EQUAL: 0, DIFFERENT: 0, ELSEWHERE: 0})

    def add(self, outcome: Outcome) -> None:
        self.counts[outcome.verdict] += 1


def function_of(expression: str) -> str:
    """The function a case is about: the first one called, or the operator."""
    if re.match(r"(?i)(try_)?cast\(", expression) or "::" in expression:
        return "cast"
    called = next((name for name in FUNCTION.findall(expression) if name not in KEYWORDS), None)
    starts = re.match(r"[a-z_]\w*(?=\()", expression)
    return starts[0] if starts else operator_of(expression) or called or "literal"


def operator_of(expression: str) -> str:
    words = r"RLIKE|ILIKE|LIKE|BETWEEN|IS|IN|AND|OR|NOT|CASE|div"
    symbols = r"\|\||<=>|>>>|<<|>>|!=|>=|<=|[-+*/%&|^~=<>!]"
    bare = re.sub(r"'(?:[^'\\]|\\.)*'", "''", expression)
    found = re.search(rf"\b(?:{words})\b|(?<=\s)(?:{symbols})(?=\s)|^(?:{symbols})", bare)
    return found[0].lower() if found else ""


def left_to_spark(function: str) -> bool:
    """Declared so in the list of functions: no use asking for each of its cases. Operators and casts are no lines."""
    if function not in SPARK_FUNCTIONS or topic_of(function) in ("operators", "casts"):
        return False
    return all(signature.writer is SPARK for signature in overloads(function))


def replay_values(remote: str, path: Path, wanted: Wanted, whole: bool = True) -> Iterator[Outcome]:
    """The wanted cases of a file; in the modes after the first all of them, or only those that differ there."""
    cases: Cases = (whole_sections if whole else listed_sections)(read_cases(path))
    for mode in dict.fromkeys(section.mode for section in cases):
        with Connection(remote, mode) as connection:
            yield from replay_mode(connection, mode, cases, wanted)


def replay_mode(connection: Connection, mode: Mode, cases: Cases, wanted: Wanted) -> Iterator[Outcome]:
    for section, expected in cases.items():
        if section.mode == mode:
            names = {expression: function_of(expression) for expression in expected if wanted(function_of(expression))}
            asked = [expression for expression, name in names.items() if not left_to_spark(name)]
            found = evaluate(connection, asked, section, analysis_first=False)
            for expression in names:
                answer = found.get(expression, refusal(NOT_NATIVE))
                yield Outcome(str(section), expression, expected[expression], answer)


def replay_signatures(remote: str, path: Path, wanted: Wanted, whole: bool = True) -> Iterator[Outcome]:
    functions = {
        name: probes for name, probes in read_signatures(path).items() if wanted(name) or wanted(function_of(name))
    }
    with Connection(remote) as connection:
        for probes in functions.values():
            yield from replay_probes(Prober(connection), Mode(), probes.ansi)
    with Connection(remote, Mode(ansi=False)) as connection:
        for probes in functions.values():
            expected = probes.without_ansi if whole else probes.changed
            yield from replay_probes(Prober(connection), Mode(ansi=False), expected)


def replay_probes(prober: Prober, mode: Mode, expected: dict[str, Answer]) -> Iterator[Outcome]:
    answers = prober.ask_all([call for call, answer in expected.items() if not answer.failed])
    answers |= {call: prober.ask(call) for call, answer in expected.items() if answer.failed}
    for call, answer in answers.items():
        found = refusal(answer) if isinstance(answer, str) else answer_of(answer)
        yield Outcome(f"signature {mode}", call, expected[call], found)
