"""`python -m tools.record signatures|values [topic …]`: asks Spark again and rewrites the case files."""

import argparse
import os
from collections import defaultdict
from pathlib import Path

from tools.cases.connect import Connection
from tools.cases.files import write_cases
from tools.cases.typetext import type_text
from tools.record.catalogue import Documented, describe, function_names, is_operator
from tools.record.grid import topic_cases, topic_names
from tools.record.groups import TOPICS, topic_of
from tools.record.operators import operator_calls
from tools.record.probes import DECIMALS, TYPES
from tools.record.signatures import Prober, Signature, lines_of
from tools.record.values import record_topic

CASES = Path(__file__).parents[2] / "tests" / "cases"
ORACLE = "sc://localhost:15002"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.record", description=__doc__)
    parser.add_argument("what", choices=["signatures", "values"])
    parser.add_argument("topics", nargs="*", help="; ".join(TOPICS))
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_ORACLE", ORACLE), help="a real Spark 4.2")
    asked = parser.parse_args()
    if asked.what == "signatures":
        record_signatures(asked.remote, asked.topics or list(TOPICS))
    else:
        record_values(asked.remote, asked.topics or topic_names())


def record_values(remote: str, topics: list[str]) -> None:
    for topic in topics:
        cases = record_topic(remote, topic_cases(topic))
        write_cases(CASES / "values" / f"{topic}.txt", cases)
        print(f"{topic}: {sum(map(len, cases.values()))} lines", flush=True)


def record_signatures(remote: str, topics: list[str]) -> None:
    with Connection(remote) as connection:
        prober = Prober(connection)
        functions = by_topic([describe(connection, name) for name in function_names(connection)])
        for topic in topics:
            blocks = operator_blocks(prober) if topic == "operators" else function_blocks(prober, functions[topic])
            write_signatures(topic, blocks)


def by_topic(functions: list[Documented]) -> dict[str, list[Documented]]:
    topics: dict[str, list[Documented]] = defaultdict(list)
    for function in functions:
        topics[topic_of(function.name)].append(function)
    return topics


def function_blocks(prober: Prober, functions: list[Documented]) -> list[str]:
    """Aliases (same implementation) are probed at their base call only; the first name is probed in full."""
    blocks: list[str] = []
    first: dict[str, str] = {}
    for function in functions:
        if is_operator(function.name):
            continue
        original = first.setdefault(function.implementation, function.name)
        found = prober.probe(function, thorough=original == function.name)
        same = "" if original == function.name else f"  (as {original})"
        blocks += [f"## {function.name}{same}", *lines_of(found), ""]
    return blocks


def operator_blocks(prober: Prober) -> list[str]:
    blocks: list[str] = []
    for template, calls in operator_calls().items():
        found = Signature(template)
        for call in calls:
            answer = prober.ask(call)
            if isinstance(answer, str):
                found.refused[call] = answer
            else:
                found.accepted[call] = answer
        blocks += [f"## {template}", *lines_of(found), ""]
    return blocks


def write_signatures(topic: str, blocks: list[str]) -> None:
    path = CASES / "signatures" / f"{topic}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = ", ".join(f"{name} {type_text(kind)}" for name, kind in (TYPES | DECIMALS).items())
    header = [
        "# Recorded from Spark 4.2.1, ANSI on, by `python -m tools.record signatures`. Do not edit.",
        "# call in types -> result | call [| as: the column's name, when it is not the call's text]",
        "# !CONDITION <- refused calls",
        f"# columns (each never null; with _n nullable): {columns}",
    ]
    path.write_text("\n".join([*header, "", *blocks]))
    print(f"{topic}: {len(blocks)} lines")


main()
