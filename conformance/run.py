"""`make conformance`: a suite against twinspark, in auto and in duckdb mode; the counts go to docs/conformance.md.

usage: run.py doctests|parity|golden [--engines auto,duckdb] [pattern …]
With patterns only a part is run: it is scored and printed, and the documentation stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import report
from environment import ROOT, Suite, prepared
from score import Score, outcomes, score
from server import serving

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
KINDS = ("doctests", "parity", "golden")


def run_suite(kind: str, engine: str, patterns: list[str], suite: Suite) -> Path:
    """The runner, in the suite's interpreter, against a server of its own; returns where its results are."""
    out = ROOT / f"{kind}-{engine}" if kind == "parity" else ROOT / f"{kind}-{engine}.json"
    with serving(engine, suite, kind) as url:
        command = [str(suite.python), str(HERE / f"{kind}.py"), url, *patterns, "--out", str(out)]
        subprocess.run(command, env={**os.environ, "SUITE_SRC": str(suite.source)}, check=True)
    return out / "summary.json" if kind == "parity" else out


def keep(kind: str, engine: str, result: Score) -> None:
    """The counts and what is missing, for the documentation and for comparing with the next run."""
    RESULTS.mkdir(exist_ok=True)
    reasons = dict(result.reasons().most_common())
    # Of thousands of statements the reasons are enough.
    listed = result.lost if kind != "golden" or engine == "auto" else {}
    content = {"groups": result.groups(), "reasons": reasons, "lost": listed}
    (RESULTS / f"{kind}-{engine}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--engines", default="auto,duckdb")
    return parser.parse_intermixed_args()


def main() -> None:
    """Run, score, document; in auto mode everything that passes on Spark has to pass."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers are ended too
    chosen = arguments()
    suite = prepared()
    if chosen.kind != "doctests" and not suite.has_spark_files:
        sys.exit("this suite needs Spark's own files: set SPARK_REPO to a git copy of apache/spark")
    lost_in_auto = 0
    for engine in chosen.engines.split(","):
        path = run_suite(chosen.kind, engine, chosen.patterns, suite)
        result = score(chosen.kind, outcomes(path), only_run=bool(chosen.patterns))
        if not chosen.patterns:
            keep(chosen.kind, engine, result)
        lost_in_auto += len(result.lost) if engine == "auto" else 0
        print(f"{chosen.kind} {engine}: {len(result.kept)} of {result.total} that pass on Spark pass here ({path})")
    if not chosen.patterns:
        report.write()
    sys.exit(lost_in_auto > 0)


if __name__ == "__main__":
    main()
