"""`make conformance`: a suite against twinspark, in both modes; the counts go to docs/contribute/conformance.md.

usage: run.py doctests|parity|golden [--engines auto,duckdb] [--keep] [pattern …]
With patterns only a part is run: it is scored and printed, and the documentation stays as it is, unless --keep says
that the part takes the place of what was known of its files.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import report
from environment import ROOT, Suite, prepared
from score import Score, group, outcomes, score
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


def keep_part(kind: str, engine: str, part: Score) -> None:
    """The files that were run, instead of what was known of them; needs the list of what is lost in the others."""
    path = RESULTS / f"{kind}-{engine}.json"
    known = json.loads(path.read_text())
    lost = {case: reason for case, reason in known["lost"].items() if group(case) not in part.groups()} | part.lost
    groups = dict(sorted({**known["groups"], **part.groups()}.items()))
    reasons = dict(Counter(lost.values()).most_common())
    content = {"groups": groups, "reasons": reasons, "lost": dict(sorted(lost.items()))}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--engines", default="auto,duckdb")
    parser.add_argument("--keep", action="store_true", help="a part's results replace those of its files")
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
        elif chosen.keep:
            keep_part(chosen.kind, engine, result)
        lost_in_auto += len(result.lost) if engine == "auto" else 0
        print(f"{chosen.kind} {engine}: {len(result.kept)} of {result.total} that pass on Spark pass here ({path})")
    if not chosen.patterns or chosen.keep:
        report.write()
    sys.exit(lost_in_auto > 0)


if __name__ == "__main__":
    main()
