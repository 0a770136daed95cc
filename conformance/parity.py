"""Runs PySpark's own Connect unit tests against any Spark Connect server, one pytest process per file.

usage: parity.py sc://host:port [file-pattern …] [--out DIR] [--timeout S] [--cap S] [--groups sql,…] [-k EXPRESSION]

SUITE_RESTART: a shell command that starts the server again, in the background, when a test has crashed it.
Writes DIR/<file>.xml (JUnit), DIR/<file>.log and DIR/summary.json. Run it with the suite's interpreter.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import pyspark
from parity_plugin import GONE

HERE = Path(__file__).resolve().parent
PACKAGE = Path(pyspark.__file__).parent
SOURCE = Path(os.environ.get("SUITE_SRC", "."))
GROUPS = {  # directories under pyspark/ whose test_*.py belong to the group
    "sql": [f"sql/tests/connect{room}" for room in ("", "/arrow", "/pandas", "/client", "/shell")],
    "streaming": ["sql/tests/connect/streaming", "sql/tests/connect/pandas/streaming"],
    "ml": ["ml/tests/connect"],
    "pandas": ["pandas/tests/connect"],
    "misc": ["errors/tests/connect", "logger/tests/connect"],
}
STATUSES = ("pass", "fail", "error", "skip")
STREAMING = "test_parity_python_streaming_datasource.py"  # stands in the directory of group sql
Cases = dict[str, dict[str, Any]]


def files_of(group: str) -> list[Path]:
    """The test files of a group; only pandas' directories are walked down."""
    pattern = "**/test_*.py" if group == "pandas" else "test_*.py"
    found = [path for room in GROUPS[group] for path in (PACKAGE / room).glob(pattern) if path.name != STREAMING]
    return sorted([*found, PACKAGE / "sql/tests/connect" / STREAMING] if group == "streaming" else found)


def environment(url: str) -> dict[str, str]:
    """A pure client: never a JVM in these processes."""
    return {
        **os.environ,
        "SPARK_CONNECT_TESTING_REMOTE": url,
        "SPARK_SKIP_CONNECT_COMPAT_TESTS": "1",
        "SPARK_TESTING": "1",
        "SPARK_HOME": str(SOURCE.resolve()),  # holds python/test_support
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": str(HERE),
        "MPLBACKEND": "agg",
    }


def short_name(path: Path) -> str:
    """As the baseline names a file: arrow.test_parity_arrow."""
    inside = path.relative_to(PACKAGE).with_suffix("").as_posix()
    return inside.replace("tests/connect/", "").replace("sql/", "", 1).replace("/", ".")


def run_file(path: Path, out: Path, chosen: argparse.Namespace) -> tuple[Cases, int, str]:
    """One pytest process: its cases, its exit code, and a note when it had to be ended."""
    name = short_name(path)
    xml = out / f"{name}.xml"
    xml.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", str(path), "-q", "--tb=short", "-p", "no:cacheprovider"]
    command += ["-p", "parity_plugin", "-o", "junit_family=xunit1", f"--junitxml={xml}"]
    command += [f"--timeout={chosen.timeout}", "--timeout-method=signal", *(["-k", chosen.k] if chosen.k else [])]
    with (out / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=SOURCE, env=environment(chosen.url), stdout=log, stderr=log, start_new_session=True
        )
        note = ended(process, chosen.cap)
    if not xml.exists():
        return {}, process.returncode, note + "  NO RESULT (see log)"
    return cases_of(xml, name), process.returncode, note


def ended(process: subprocess.Popen[bytes], cap: int) -> str:
    """Wait; after too long let pytest write its XML, then end it."""
    try:
        process.wait(cap)
        return ""
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return "  CAPPED"


def cases_of(xml: Path, name: str) -> Cases:
    """The outcome of every test; of a test and its teardown the first failure is kept."""
    cases: Cases = {}
    for element in ElementTree.parse(xml).iter("testcase"):
        case = f"{name}::{(element.get('classname') or '').rsplit('.', 1)[-1]}::{element.get('name')}"
        if cases.get(case, {}).get("status") not in ("fail", "error"):
            status, message = outcome(element)
            cases[case] = {"status": status, "s": float(element.get("time") or 0), "message": message[:500]}
    return cases


def outcome(element: ElementTree.Element) -> tuple[str, str]:
    """JUnit's words as ours."""
    kinds = {child.tag: child.get("message") or "" for child in element}
    for tag, status in (("error", "error"), ("failure", "fail"), ("skipped", "skip")):
        if tag in kinds:
            return status, kinds[tag]
    return "pass", ""


def count_text(counts: Counter[str]) -> str:
    return " ".join(f"{status} {counts[status]:4}" for status in STATUSES)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("patterns", nargs="*", help="such as 'test_parity_functions' or '*arrow*'; default all")
    parser.add_argument("--out", type=Path, default=Path("parity-out"))
    parser.add_argument("--timeout", type=int, default=60, help="seconds per test")
    parser.add_argument("--cap", type=int, default=1800, help="seconds per file")
    parser.add_argument("--groups", default="sql", help=",".join(GROUPS))
    parser.add_argument("-k", default="", help="passed on to pytest")
    return parser.parse_intermixed_args()


def chosen_files(groups: str, patterns: list[str]) -> list[Path]:
    files = [path for group in groups.split(",") for path in files_of(group)]
    return [path for path in files if not patterns or any(fnmatch.fnmatch(path.stem, pattern) for pattern in patterns)]


def main() -> None:
    chosen = arguments()
    out = chosen.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    summary: Cases = {}
    total, started = Counter[str](), time.time()
    files = chosen_files(chosen.groups, chosen.patterns)
    if not files:
        sys.exit(f"no file is called {' or '.join(chosen.patterns)}: what is in {out} is of an earlier run")
    for path in files:
        began = time.time()
        cases, code, note = run_file(path, out, chosen)
        counts = Counter(case["status"] for case in cases.values())
        summary |= cases
        total += counts
        gone = "  SERVER GONE after the last of these" if code == GONE else ""
        print(f"{short_name(path):44} {count_text(counts)}  {time.time() - began:6.0f}s{note}{gone}", flush=True)
        (out / "summary.json").write_text(json.dumps(summary, indent=1, sort_keys=True))
        if gone:
            break
    print(f"PARITY {chosen.url} {count_text(total)} in {len(files)} files, {time.time() - started:.0f}s")


if __name__ == "__main__":
    main()
