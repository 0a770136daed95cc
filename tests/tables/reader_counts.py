"""Writes into a page how many tables another reader agreed on: python reader_counts.py FILE PAGE."""

import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

MARKS = re.compile(r"(<!-- make tables-reader -->\n).*?(<!-- end -->)", re.DOTALL)


def report(lines: list[str]) -> str:
    rows = [count for _, count in map(json.loads, lines)]
    told = f"{len(rows):,} tables that the suites left, {sum(rows):,} rows"
    return f"DuckDB 1.5.5's iceberg extension read the same rows as ours: {told} ({datetime.now(UTC):%Y-%m-%d}).\n"


if __name__ == "__main__":
    page = Path(sys.argv[2])
    text = report(Path(sys.argv[1]).read_text().splitlines())
    page.write_text(MARKS.sub(lambda marks: f"{marks[1]}{text}{marks[2]}", page.read_text()))
