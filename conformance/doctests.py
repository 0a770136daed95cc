"""Runs PySpark's own Connect doctests against any Spark Connect server, one case per documented object.

usage: doctests.py sc://host:port [module …] [--out FILE] [--timeout SECONDS] [--only SUBSTRING] [--cases FILE]

Each module's own ``_test()`` prepares globals, option flags and removed docstrings; only ``doctest.testmod`` is
replaced, so that every DocTest is run, timed and recorded on its own. Run it with the suite's interpreter.
"""

from __future__ import annotations

import argparse
import doctest
import importlib
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = [  # as listed for module pyspark-connect in Spark's dev/sparktestsupport/modules.py
    *("catalog", "conf", "group", "session", "window", "column", "merge", "readwriter", "dataframe"),
    *("functions.builtin", "functions.partitioning", "observation", "tvf", "avro.functions"),
    *("protobuf.functions", "streaming.readwriter", "streaming.query"),
]
Case = dict[str, Any]


class CaseTimeout(BaseException):
    """Not an Exception: doctest must not record it as an example's outcome."""


def on_alarm(*_: object) -> None:
    raise CaseTimeout


def discard(text: str) -> None:
    """What doctest would print: the outcome is kept instead."""


class Runner(doctest.DocTestRunner):
    """Keeps the first difference of a case only."""

    first: dict[str, Any] | None

    def run_case(self, test: doctest.DocTest, seconds: int) -> dict[str, Any] | None:
        self.first = None
        signal.signal(signal.SIGALRM, on_alarm)
        signal.alarm(seconds)
        try:
            self.run(test, out=discard, clear_globs=True)
        except CaseTimeout:
            self.first = {"kind": "timeout", "got": f"no answer in {seconds} s"}
        finally:
            signal.alarm(0)
        return self.first

    def note(self, kind: str, example: doctest.Example, got: str) -> None:
        if self.first is None:
            self.first = {
                "kind": kind,
                "line": example.lineno,
                "source": example.source.rstrip(),
                "want": example.want.rstrip()[:2000],
                "got": got.rstrip()[:2000],
            }

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        same_words = sorted(got.split()) == sorted(example.want.split())
        self.note("order" if same_words else "diff", example, got)

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        self.note("error", example, f"{exc_info[0].__name__}: {exc_info[1]}")


class Results:
    """The outcome of every case so far, and which cases are wanted."""

    def __init__(self, wanted: Callable[[str], bool], seconds: int) -> None:
        self.wanted, self.seconds, self.module = wanted, seconds, ""
        self.cases: dict[str, Case] = {}

    def testmod(self, module: ModuleType, globs: Any = None, optionflags: int = 0, **_: Any) -> doctest.TestResults:
        """Stands in for doctest.testmod."""
        runner = Runner(verbose=False, optionflags=optionflags)
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__, globs=globs):
            if test.examples and self.wanted(test.name):
                self.cases[test.name] = self.outcome(runner, test)
        return doctest.TestResults(0, len(self.cases))

    def outcome(self, runner: Runner, test: doctest.DocTest) -> Case:
        started = time.time()
        if all(example.options.get(doctest.SKIP) for example in test.examples):
            return {"status": "skip", "module": self.module, "s": 0.0}
        first = runner.run_case(test, self.seconds)
        case = {"status": "fail" if first else "pass", "module": self.module, "s": round(time.time() - started, 2)}
        return case | ({"first": first} if first else {})

    def run_module(self, name: str) -> None:
        """The module's own set-up, then its cases; one line says how it went."""
        self.module, before, started, note = name, set(self.cases), time.time(), ""
        try:
            importlib.import_module("pyspark.sql.connect." + name)._test()
        except (Exception, SystemExit) as error:  # noqa: BLE001  its set-up failed, or it asked to be left out
            note = f"  {type(error).__name__}: {str(error)[:120]}"
        count = counted(case for key, case in self.cases.items() if key not in before)
        print(f"{name:24} {count}  {time.time() - started:6.1f}s{note}", flush=True)


def counted(cases: Any) -> str:
    """Such as: pass 5 fail 1 skip 0."""
    status = [case["status"] for case in cases]
    return " ".join(f"{kind} {status.count(kind):4}" for kind in ("pass", "fail", "skip"))


def prepare(url: str) -> None:
    """What the modules' `_test` reads from the environment: a pure client that never starts a JVM."""
    source = Path(os.environ.get("SUITE_SRC", "."))
    os.environ["SPARK_CONNECT_TESTING_REMOTE"] = url
    os.environ["SPARK_SKIP_CONNECT_COMPAT_TESTS"] = "1"
    os.environ["SPARK_TESTING"] = "1"
    os.environ["SPARK_HOME"] = str(source.resolve())  # some modules change to it: python/test_support lies there
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.chdir(source)
    logging.disable(logging.CRITICAL)  # the client logs every error it receives, with the server's stack trace


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("modules", nargs="*", help="such as functions.builtin; default all")
    parser.add_argument("--out", default="doctests.json")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--only", default="", help="run only the cases whose name contains this")
    parser.add_argument("--cases", type=Path, help="run only the cases that this file lists")
    return parser.parse_intermixed_args()


def main() -> None:
    chosen = arguments()
    out = Path(chosen.out).resolve()
    listed = set(chosen.cases.read_text().split()) if chosen.cases else None
    prepare(chosen.url)
    results = Results(lambda name: chosen.only in name and (listed is None or name in listed), chosen.timeout)
    doctest.testmod = results.testmod  # type: ignore[assignment]
    started = time.time()
    for name in chosen.modules or MODULES:
        results.run_module(name)
        out.write_text(json.dumps(results.cases, indent=1, sort_keys=True))
    count = counted(results.cases.values())
    print(f"DOCTESTS {chosen.url} {count} of {len(results.cases)} in {time.time() - started:.0f}s")


if __name__ == "__main__":
    main()
