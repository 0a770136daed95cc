"""The list of cases known to differ: each must be mended or sent to Spark; one that passes must leave the list."""

from collections.abc import Iterable
from pathlib import Path

from tools.cases.files import escape
from tools.replay.run import DIFFERENT, Outcome

HEADER = """\
# Cases that twinspark's engine answers otherwise than Spark: debts, written by `make gaps`. The tests fail when
# a case joins the differing ones without standing here, and when one that stands here is equal.
"""


def gap_line(file: str, outcome: Outcome) -> str:
    return f"{file}\t{outcome.section}\t{escape(outcome.expression)}"


def read_gaps(path: Path) -> set[str]:
    if not path.exists():
        return set()
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


def write_gaps(path: Path, lines: Iterable[str]) -> None:
    path.write_text(HEADER + "".join(f"{line}\n" for line in sorted(lines)))


def gaps_among(file: str, outcomes: Iterable[Outcome]) -> set[str]:
    return {gap_line(file, outcome) for outcome in outcomes if outcome.verdict == DIFFERENT}
