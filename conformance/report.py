"""Writes docs/contribute/conformance.md, and the numbers that the web UI shows, from the kept results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from score import baseline
from score import group as group_of

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "contribute" / "conformance.md"
NUMBERS = HERE.parent / "src" / "twinspark" / "ui" / "web" / "conformance.json"
TITLES = {
    "doctests": "PySpark's doctests",
    "parity": "PySpark's own Connect tests",
    "golden": "Spark's SQL golden files",
}
ENGINES = ("auto", "duckdb")
OPENING = """# Conformance

Written by `make conformance`, `make conformance-parity` and `make conformance-golden`; do not edit.

The measure is Apache Spark 4.2.1: only cases that pass there count. `auto` uses both engines, and nothing that passes
on Spark may fail; `duckdb` never starts a JVM, so its count is the share that the embedded engine answers by itself.
"""


def results(kind: str, engine: str) -> dict[str, Any] | None:
    """What the last full run found; None when there was none."""
    path = HERE / "results" / f"{kind}-{engine}.json"
    return json.loads(path.read_text()) if path.exists() else None


def counts(result: dict[str, Any] | None, group: str | None = None) -> str:
    """Such as 420 of 518 (81.1 %)."""
    if result is None:
        return "not measured"
    groups = [result["groups"].get(group, (0, 0))] if group else result["groups"].values()
    kept, total = sum(one[0] for one in groups), sum(one[1] for one in groups)
    return f"{kept} of {total} ({1000 * kept // max(total, 1) / 10:.1f} %)"  # rounded down: 100 % means all


def table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def overview() -> str:
    """All suites on one glance."""
    rows = [
        [title, *(counts(results(kind, engine)) + part(kind, engine) for engine in ENGINES)]
        for kind, title in TITLES.items()
    ]
    return table(["suite", *ENGINES], rows)


def part(kind: str, engine: str) -> str:
    """Of a run of some files only: how many there were."""
    result = results(kind, engine)
    every = len(set(map(group_of, baseline(kind)))) if result else 0
    return f", in {len(result['groups'])} of {every} files" if result and len(result["groups"]) < every else ""


def section(kind: str) -> str:
    """One suite: every module or file, then what is missing."""
    found = {engine: results(kind, engine) for engine in ENGINES}
    rows = part_rows(kind)
    if not rows:
        return ""
    parts = [f"## {TITLES[kind]}", table(["", *ENGINES], rows)]
    parts += [missing(engine, result) for engine, result in found.items() if result]
    return "\n\n".join(part for part in parts if part)


def missing(engine: str, result: dict[str, Any]) -> str:
    """Every case with its reason; for the golden files how often each reason was given."""
    if not result["reasons"]:
        return f"### Missing in `{engine}`\n\nNothing."
    if result["lost"]:
        rows = [[f"`{case}`", reason] for case, reason in sorted(result["lost"].items())]
        return f"### Missing in `{engine}`\n\n" + table(["case", "reason"], rows)
    rows = [[str(count), reason] for reason, count in list(result["reasons"].items())[:100]]
    return f"### Missing in `{engine}`, the 100 most frequent reasons\n\n" + table(["statements", "reason"], rows)


def page() -> str:
    """The whole of it."""
    parts = [OPENING.rstrip(), overview(), *(section(kind) for kind in TITLES)]
    return "\n\n".join(part for part in parts if part) + "\n"


def shown_numbers() -> dict[str, Any]:
    """The tables of the page, for the web UI: a row for each suite, and for each part of a suite."""
    suites = [[title, *(counts(results(kind, engine)) for engine in ENGINES)] for kind, title in TITLES.items()]
    return {"suites": suites, "parts": {title: part_rows(kind) for kind, title in TITLES.items() if part_rows(kind)}}


def part_rows(kind: str) -> list[list[str]]:
    found = {engine: results(kind, engine) for engine in ENGINES}
    groups = sorted({group for result in found.values() if result for group in result["groups"]})
    return [[group, *(counts(found[engine], group) if found[engine] else "" for engine in ENGINES)] for group in groups]


def write() -> None:
    """After every full run."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    NUMBERS.write_text(json.dumps(shown_numbers(), indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write()
