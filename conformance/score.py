"""Scores a run against Spark's own: of the cases that pass on Spark, how many pass here, and why the others do not.

usage: score.py KIND RUN.json [--lost | --wrong]     (KIND: doctests, parity or golden)
--lost lists every case lost, --wrong only those whose reason is not that a part is not native.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BASELINE = Path(__file__).resolve().parent / "baseline"
SPARK = "spark-4.2.1"
Outcomes = dict[str, str]  # case -> "" when it passed, else the reason


@dataclass(frozen=True)
class Score:
    """Of the baseline's passes: those kept and those lost, the latter with their reasons."""

    kept: list[str]
    lost: Outcomes
    not_run: int

    @property
    def total(self) -> int:
        return len(self.kept) + len(self.lost)

    def groups(self) -> dict[str, tuple[int, int]]:
        """Kept and total of each module or file."""
        total = Counter(group(case) for case in (*self.kept, *self.lost))
        kept = Counter(map(group, self.kept))
        return {name: (kept[name], total[name]) for name in sorted(total)}

    def reasons(self) -> Counter[str]:
        """How often each reason was given."""
        return Counter(self.lost.values())


def baseline(kind: str) -> list[str]:
    """The cases that pass on Apache Spark."""
    return gzip.decompress((BASELINE / f"{kind}-{SPARK}.txt.gz").read_bytes()).decode().split("\n")[:-1]


def outcomes(path: Path) -> Outcomes:
    """Of any of the three kinds of result file; skipped cases are left out."""
    found: Outcomes = {}
    for name, value in json.loads(path.read_text()).items():
        if isinstance(value, list):  # golden: a list of statements per file
            found |= {f"{name}#{one['i']}": golden_reason(one) for one in value}
        elif value["status"] != "skip":
            found[name] = case_reason(value)
    return found


def golden_reason(result: dict[str, Any]) -> str:
    """Empty for a match."""
    if result["verdict"] == "match":
        return ""
    return first_line(result["note"]) if result["verdict"] == "error" else result["verdict"]


def case_reason(result: dict[str, Any]) -> str:
    """Empty for a pass; of a difference only that there is one: the results file holds its text."""
    if result["status"] == "pass":
        return ""
    first = result.get("first")
    if first is None:
        return first_line(result.get("message") or result["status"])
    return {"diff": "the output differs", "order": "the rows come in another order"}.get(
        first["kind"], first_line(first["got"])
    )


def first_line(text: str) -> str:
    """Without what is different in every run: ids, addresses, places."""
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    line = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "…", line)
    line = re.sub(r"file:/\S*?/(?=\w+\.db)", "file:/…/", line)
    native = re.search(r"\[TWINSPARK_NOT_NATIVE\].*? does not run this: (.*?)(?: Instead: .*?)?(?: SQLSTATE.*)?$", line)
    if native:
        return f"not native: {native[1]}"[:180]
    return re.sub(r"^\(?[\w.]*?(\w+(?:Exception|Error))\)?: ", r"\1: ", line)[:180]


def group(case: str) -> str:
    """The test file, the golden file, or the module."""
    if "::" in case or "#" in case:
        return re.split("::|#", case)[0]
    return ".".join(part for part in case.split(".")[:-1] if part.islower())


def score(kind: str, found: Outcomes, only_run: bool = False) -> Score:
    """Cases that were not run count as lost, unless the run was meant to be a part."""
    wanted = [case for case in baseline(kind) if not only_run or case in found]
    kept = [case for case in wanted if found.get(case) == ""]
    lost = {case: found.get(case, "not run") for case in wanted if found.get(case) != ""}
    return Score(kept, lost, sum(case not in found for case in wanted))


def main() -> None:
    kind, path = sys.argv[1], Path(sys.argv[2])
    result = score(kind, outcomes(path))
    for name, (kept, total) in result.groups().items():
        print(f"{name:64} {kept:5} of {total:5}")
    for case, reason in result.lost.items():
        if "--lost" in sys.argv or ("--wrong" in sys.argv and not reason.startswith(("not native", "not run"))):
            print(f"lost {case}: {reason}")
    print(f"SCORE {len(result.kept)} of {result.total} that pass on Spark pass here; {result.not_run} were not run")


if __name__ == "__main__":
    main()
