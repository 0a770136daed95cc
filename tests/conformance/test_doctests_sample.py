"""A sample of PySpark's own doctests on the embedded engine, without a JVM; `make conformance` runs them all."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from score import baseline

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

HERE = Path(__file__).resolve().parent
RUNNER = HERE.parents[1] / "conformance" / "doctests.py"
SAMPLE = HERE / "doctests_sample.txt"
CASES = SAMPLE.read_text().split()
MODULES = ("column", "group", "window", "dataframe", "functions.builtin")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All cases in one run: connecting and importing PySpark costs more than most of them."""
    directory = tmp_path_factory.mktemp("doctests")
    server = ConnectServer(Settings(engine="duckdb"))
    try:
        command = [sys.executable, str(RUNNER), server.url, *MODULES, "--cases", str(SAMPLE), "--out", "run.json"]
        subprocess.run(command, cwd=directory, env={**os.environ, "SUITE_SRC": "."}, check=True, timeout=240)
        assert not server.spark.running, "a JVM was started in duckdb mode"
    finally:
        server.stop()
    return dict(json.loads((directory / "run.json").read_text()))


def test_the_sample_is_of_cases_that_pass_on_spark() -> None:
    assert len(CASES) >= 60
    assert set(CASES) <= set(baseline("doctests"))


@pytest.mark.parametrize("case", CASES)
def test_passes_natively(results: dict[str, Any], case: str) -> None:
    assert results[case]["status"] == "pass", results[case].get("first")
