"""`python -m tools.record signatures|ansi-off|values [topic …]`: asks Spark again and rewrites the case files."""

import argparse
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tools.cases.connect import Connection, Mode
from tools.cases.files import read_cases, write_cases
from tools.cases.signature_files import ANSI_OFF, Probes, function_named, read_signatures
from tools.cases.typetext import type_text
from tools.record.catalogue import Documented, describe, function_names, is_operator
from tools.record.grid import topic_cases, topic_names
from tools.record.groups import TOPICS, topic_of
from tools.record.operators import cast_calls, operator_calls
from tools.record.probes import DECIMALS, TYPES
from tools.record.signatures import Prober, Signature, lines_of, otherwise, otherwise_than
from tools.record.values import modes_of, record_missing, record_topic

CASES = Path(__file__).parents[2] / "tests" / "cases"
TEMPLATES = {"operators": operator_calls, "casts": cast_calls}
ORACLE = "sc://localhost:15002"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.record", description=__doc__)
    parser.add_argument("what", choices=["signatures", "ansi-off", "values"])
    parser.add_argument("topics", nargs="*", help="; ".join(TOPICS))
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_TEST_ORACLE", ORACLE), help="a real Spark 4.2")
    parser.add_argument("--missing", action="store_true", help="ask only for cases that are not recorded yet")
    asked = parser.parse_args()
    if asked.what == "signatures":
        record_signatures(asked.remote, asked.topics or list(TOPICS))
    elif asked.what == "ansi-off":
        record_without_ansi(asked.remote, asked.topics or list(TOPICS))
    else:
        record_values(asked.remote, asked.topics or topic_names(), asked.missing)


def record_values(remote: str, topics: list[str], only_missing: bool) -> None:
    for topic in topics:
        path = CASES / "values" / f"{topic}.txt"
        if only_missing and path.exists():
            cases = record_missing(remote, topic_cases(topic), read_cases(path), modes_of(topic))
        else:
            cases = record_topic(remote, topic_cases(topic), modes_of(topic))
        write_cases(path, cases)
        print(f"{topic}: {sum(map(len, cases.values()))} lines", flush=True)


def record_signatures(remote: str, topics: list[str]) -> None:
    with Connection(remote) as connection, Connection(remote, Mode(ansi=False)) as without_ansi:
        prober, other = Prober(connection), Prober(without_ansi)
        functions = by_topic([describe(connection, name) for name in function_names(connection)])
        for topic in topics:
            templates = template_signatures(prober, TEMPLATES[topic]()) if topic in TEMPLATES else ()
            found = chain(all_signatures(prober, functions[topic]), templates)
            write_signatures(topic, [line for heading, one in found for line in block_of(heading, one, other)])


def record_without_ansi(remote: str, topics: list[str]) -> None:
    """Asks the calls of the signature files again with ANSI off, and rewrites only what the files say of that."""
    with Connection(remote, Mode(ansi=False)) as connection:
        for topic in topics:
            path = CASES / "signatures" / f"{topic}.txt"
            header, *blocks = re.split(r"(?m)^## ", path.read_text())
            known = read_signatures(path)
            again = [block_without_ansi(Prober(connection), block, known) for block in blocks]
            path.write_text("".join([header, *again]))
            print(f"{topic}: ANSI off", flush=True)


def block_without_ansi(prober: Prober, block: str, known: dict[str, Probes]) -> str:
    kept = block.partition(ANSI_OFF)[0].rstrip("\n").splitlines()
    changed = lines_of(otherwise_than(prober, known[function_named(kept[0])].ansi))
    return "\n".join([f"## {kept[0]}", *kept[1:], *([ANSI_OFF, *changed] if changed else []), "", ""])


def by_topic(functions: list[Documented]) -> dict[str, list[Documented]]:
    topics: dict[str, list[Documented]] = defaultdict(list)
    for function in functions:
        topics[topic_of(function.name)].append(function)
    return topics


def all_signatures(prober: Prober, functions: list[Documented]) -> Iterator[tuple[str, Signature]]:
    """Aliases (same implementation) are probed at their base call only; the first name is probed in full."""
    first: dict[str, str] = {}
    for function in functions:
        if not is_operator(function.name):
            original = first.setdefault(family_of(function), function.name)
            same = "" if original == function.name else f"  (as {original})"
            yield function.name + same, prober.probe(function, thorough=not same)


def family_of(function: Documented) -> str:
    """Casts by function name share one implementation, and nothing else."""
    return function.name if function.implementation.endswith(".Cast") else function.implementation


def template_signatures(prober: Prober, templates: dict[str, list[str]]) -> Iterator[tuple[str, Signature]]:
    for template, calls in templates.items():
        found = Signature(template)
        for call in calls:
            prober.note_call(found, call)
        yield template, found


def block_of(heading: str, found: Signature, without_ansi: Prober) -> list[str]:
    changed = lines_of(otherwise(without_ansi, found))
    return [f"## {heading}", *lines_of(found), *([ANSI_OFF, *changed] if changed else []), ""]


def write_signatures(topic: str, blocks: list[str]) -> None:
    path = CASES / "signatures" / f"{topic}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = ", ".join(f"{name} {type_text(kind)}" for name, kind in (TYPES | DECIMALS).items())
    header = [
        "# Recorded from Spark 4.2.1, ANSI on, by `python -m tools.record signatures`. Do not edit.",
        "# call in types -> result | call [| as: the column's name, when it is not the call's text]",
        "# !CONDITION <- refused calls; after `### ansi=false`: what is otherwise with ANSI off",
        f"# columns (each never null; with _n nullable): {columns}",
    ]
    path.write_text("\n".join([*header, "", *blocks]))
    print(f"{topic}: {len(blocks)} lines")


if __name__ == "__main__":
    main()
