"""Keeps inputs answered otherwise as recorded cases: the call over literals, or over the rows of its group."""

from pathlib import Path

from tools.cases.files import Section, read_cases, write_cases
from tools.fuzz.asking import Asked, named
from tools.fuzz.literals import literal
from tools.fuzz.shapes import Domain
from tools.record.groups import topic_of
from tools.record.values import record_missing
from tools.replay.run import function_of

FOUND = Path(__file__).parents[2] / "tests" / "cases" / "found"
KEPT = 3


def keep(oracle: str, asked: Asked, domains: dict[str, Domain], units: list[int]) -> None:
    """The first differing units, answered by Spark in every mode, in the topic's file of found ones."""
    path = FOUND / f"{topic_of(function_of(asked.call))}.txt"
    known = read_cases(path) if path.exists() else {}
    expressions = {section.relation: list(answers) for section, answers in known.items() if section == first(section)}
    for unit in units[:KEPT]:
        relation, call = case_of(asked.only([unit]), domains)
        expressions.setdefault(relation, []).append(call)
    unique = {relation: list(dict.fromkeys(of)) for relation, of in expressions.items()}
    write_cases(path, record_missing(oracle, unique, known))


def first(section: Section) -> Section:
    return Section(relation=section.relation)


def case_of(asked: Asked, domains: dict[str, Domain]) -> tuple[str, str]:
    """The relation of a case ('' for none) and its expression."""
    rows = [
        {name: literal(row[name], domain.kind) for name, domain in domains.items()} for row in asked.rows.to_pylist()
    ]
    if asked.kind in ("scalar", "generator"):
        return "", named(asked.call, rows[0])
    values = [", ".join([str(n), "1", *row.values()]) for n, row in enumerate(rows)]
    names = ", ".join(["n", "g", *domains])
    order = "" if asked.kind == "aggregate" else " ORDER BY n"
    return f"VALUES {', '.join(f'({row})' for row in values)} AS t({names}){order}", asked.call
