"""Records the answers to a topic's expressions: on literals and on columns, ANSI on and off, in three time zones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from tools.cases.connect import Connection, Mode
from tools.cases.evaluate import evaluate
from tools.cases.files import Answer, Cases, Section, newly_refused
from tools.cases.lift import has_literals

FIRST = Mode()
ANSI_OFF = Mode(ansi=False)
ZONES = [Mode(zone="America/Los_Angeles"), Mode(zone="Asia/Kolkata")]
OTHER_MODES = [ANSI_OFF, *ZONES]
WITHOUT_ZONES = {
    *[
        "aggregates",
        "arrays",
        "conditional",
        "hashes",
        "lambdas",
        "maps",
        "maths",
        "sketches",
        "structs",
        "times",
        "windows",
    ]
}


def modes_of(topic: str) -> list[Mode]:
    """Time zones are tried where dates, texts of dates or casts are about."""
    return [ANSI_OFF] if topic in WITHOUT_ZONES else OTHER_MODES


def record_topic(remote: str, expressions: Mapping[str, list[str]], others: Sequence[Mode] = OTHER_MODES) -> Cases:
    """The first section of each relation whole, then what differs from it elsewhere."""
    cases: Cases = {}
    with Connection(remote, FIRST) as connection:
        for relation, asked in expressions.items():
            section = Section(FIRST, "", relation)
            cases[section] = lasting(evaluate(connection, asked, section))
            if not relation:
                cases |= on_columns(connection, section, cases[section])
    for mode in others:
        cases |= in_mode(remote, mode, cases)
    return {section: answers for section, answers in cases.items() if answers or section.lifted}


def lasting(answers: dict[str, Answer]) -> dict[str, Answer]:
    """Without those that tell the day they were asked on, as a time of day does that becomes a timestamp."""
    days = tuple((date.today() + timedelta(days=days)).isoformat() for days in (-1, 0, 1))
    return {expression: answer for expression, answer in answers.items() if not answer.value.startswith(days)}


def record_missing(
    remote: str, expressions: Mapping[str, list[str]], known: Cases, others: Sequence[Mode] = OTHER_MODES
) -> Cases:
    """Asks only for expressions not recorded yet, and forgets those no longer wanted."""
    first = {section.relation: answers for section, answers in known.items() if section == first_section(section)}
    missing = {r: [e for e in asked if e not in first.get(r, {})] for r, asked in expressions.items()}
    new = record_topic(remote, {relation: asked for relation, asked in missing.items() if asked}, others)
    merged = {section: known.get(section, {}) | new.get(section, {}) for section in [*known, *new]}
    wanted = {
        section: {e: answers[e] for e in expressions.get(section.relation, []) if e in answers}
        for section, answers in merged.items()
    }
    return {section: answers for section, answers in wanted.items() if answers or section.lifted}


def first_section(section: Section) -> Section:
    return Section(FIRST, "", section.relation)


def on_columns(connection: Connection, section: Section, base: dict[str, Answer]) -> Cases:
    """With every literal a column; where Spark insists on a literal, with only the first one a column."""
    columns, first = replace(section, lifted="columns"), replace(section, lifted="first")
    lifted = evaluate(connection, [expression for expression in base if has_literals(expression)], columns)
    refused = newly_refused(base, lifted)
    return {
        columns: differing(base, lifted),
        first: differing(base, evaluate(connection, refused, first)),
    }


def in_mode(remote: str, mode: Mode, cases: Cases) -> Cases:
    found: Cases = {}
    with Connection(remote, mode) as connection:
        for section in [s for s in cases if s.mode == FIRST and not s.lifted]:
            other = replace(section, mode=mode)
            found[other] = differing(cases[section], evaluate(connection, list(cases[section]), other))
    return found


def differing(base: dict[str, Answer], others: dict[str, Answer]) -> dict[str, Answer]:
    """What is answered otherwise; names are compared in the first section only."""
    return {
        expression: replace(answer, name="")
        for expression, answer in others.items()
        if (answer.kind, answer.value) != (base[expression].kind, base[expression].value)
    }
