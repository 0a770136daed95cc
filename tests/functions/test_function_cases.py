"""Replays what Spark answered, on the embedded engine: types, nullability, names, values and errors."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.replay.__main__ import CASES, GAPS, files, name_of, replay
from tools.replay.gaps import gap_line, read_gaps
from tools.replay.run import DIFFERENT, ELSEWHERE, Outcome
from tools.replay.server import server

SHOWN = 10
# Everyday, modes other than the first are replayed where Spark answers otherwise in them; with this set, everywhere.
EVERYTHING = bool(os.environ.get("TWINSPARK_TEST_ALL_CASES"))
# The whole replay takes eight minutes of CPU (`make replay-all`); everyday these topics stand for it.
EVERYDAY = ("hashes", "windows", "structs", "lambdas", "generators")


def chosen() -> list[Path]:
    return [path for path in files([], None) if EVERYTHING or path.stem in EVERYDAY]


@pytest.fixture(scope="module")
def remote() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.fixture(scope="module")
def gaps() -> set[str]:
    return read_gaps(GAPS)


@pytest.mark.parametrize("path", chosen(), ids=name_of)
def test_recorded_cases_are_answered_as_spark_did(path: Path, remote: str, gaps: set[str]) -> None:
    outcomes = list(replay(remote, path, None, whole=EVERYTHING))
    differing = {gap_line(name_of(path), o): o for o in outcomes if o.verdict == DIFFERENT}
    replayed = {gap_line(name_of(path), o) for o in outcomes}
    known = gaps & replayed
    new = [outcome for line, outcome in differing.items() if line not in known]
    assert not new, told(new)
    mended = known - set(differing) - elsewhere(path, outcomes)
    assert not mended, "these differ no more; run `make gaps`:\n" + "\n".join(sorted(mended)[:SHOWN])


def elsewhere(path: Path, outcomes: list[Outcome]) -> set[str]:
    return {gap_line(name_of(path), outcome) for outcome in outcomes if outcome.verdict == ELSEWHERE}


def told(outcomes: list[Outcome]) -> str:
    lines = [f"{len(outcomes)} cases differ from Spark:"]
    for outcome in outcomes[:SHOWN]:
        lines += [
            f"{outcome.section}  {outcome.expression}",
            f"    Spark: {outcome.expected.kind} {outcome.expected.value} {outcome.expected.name}",
            f"    we:    {outcome.found.kind} {outcome.found.value} {outcome.found.name}",
        ]
    return "\n".join(lines)


def test_case_files_are_there() -> None:
    assert len(list((CASES / "values").glob("*.txt"))) >= 16
    assert len(list((CASES / "signatures").glob("*.txt"))) >= 18
