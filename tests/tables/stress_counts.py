"""What a stress run counts: each line of the file that TWINSPARK_TEST_STRESS names is a thing that went as it should.

`python stress_counts.py FILE PAGE [COMMAND]` writes the sums into the page, between the marks of that command.
"""

import json
import os
import re
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

STRESS = os.environ.get("TWINSPARK_TEST_STRESS")


def count(kind: str, number: int = 1) -> None:
    """Counted only in a stress run, and only once it is known to be right."""
    if STRESS is not None:
        with open(STRESS, "a") as file:
            file.write(json.dumps([kind, number]) + "\n")


def sums(lines: list[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, number in map(json.loads, lines):
        found[kind] += number
    return found


def report(found: Counter[str]) -> str:
    rows = "".join(f"| {kind} | {number:,} |\n" for kind, number in sorted(found.items()))
    return f"Last whole run, {datetime.now(UTC):%Y-%m-%d}:\n\n| went as it should | times |\n|---|---|\n{rows}"


def main(counted: Path, page: Path, command: str = "make tables-stress") -> None:
    marks = re.compile(rf"(<!-- {command} -->\n).*?(<!-- end -->)", re.DOTALL)
    text = report(sums(counted.read_text().splitlines()))
    page.write_text(marks.sub(lambda found: f"{found[1]}{text}{found[2]}", page.read_text()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
