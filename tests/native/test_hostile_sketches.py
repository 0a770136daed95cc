"""Sketches with changed bytes: ours is what Spark said (record_hostile_sketches.py), or the plan goes to Spark."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHILD = Path(__file__).parent / "hostile_child.py"
RECORDED = Path(__file__).parent / "recorded" / "hostile_sketches.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.read_text().splitlines()]


@pytest.fixture(scope="module")
def outcomes() -> list[dict[str, Any]]:
    """One process for all: where it ends early, the lines of what it did not answer are missing."""
    statements = json.dumps([{"spark": case["query"], "whole": True} for case in CASES])
    done = subprocess.run([sys.executable, str(CHILD)], input=statements, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_sketch_is_answered(outcomes: list[dict[str, Any]]) -> None:
    assert len(outcomes) == len(CASES)


def test_answers_are_sparks(outcomes: list[dict[str, Any]]) -> None:
    wrong = [
        (case["query"], case.get("message", case.get("value")), said)
        for case, said in zip(CASES, outcomes, strict=True)
        if "falls_back" not in said and said != {key: case[key] for key in ("value", "condition") if key in case}
    ]
    assert wrong == []


def test_sketches_as_they_were_are_answered_here(outcomes: list[dict[str, Any]]) -> None:
    """Falling back is for strange bytes: at least the sketches that nobody changed are ours."""
    answered = sum("value" in said for said in outcomes)
    assert answered >= 16
