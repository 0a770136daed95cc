"""How long a statement takes to parse, in CPU time: TPC-H, and TPC-DS where Spark's source is at hand.

usage: [SUITE_SRC=<Apache Spark's source>] parser.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from tpch_sql import QUERIES

from twinspark.read.sql import parse_query

TPCDS = Path(os.environ.get("SUITE_SRC", ".")) / "sql/core/src/test/resources/tpcds"
TARGETS = {"TPC-H": 2.0, "TPC-DS": 8.0}  # milliseconds


def milliseconds(text: str) -> float:
    """Best of five."""
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        parse_query(text)
        best = min(best, time.process_time() - began)
    return best * 1000


def report(name: str, texts: list[str]) -> None:
    times = sorted(map(milliseconds, texts))
    middle, most = times[len(times) // 2], times[-1]
    print(f"{name}: {len(texts)} queries, median {middle:.2f} ms, longest {most:.2f} ms (target < {TARGETS[name]} ms)")


def main() -> None:
    report("TPC-H", list(QUERIES.values()))
    if TPCDS.is_dir():
        report("TPC-DS", [path.read_text() for path in sorted(TPCDS.glob("*.sql"))])


if __name__ == "__main__":
    main()
