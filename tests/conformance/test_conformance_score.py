"""Scoring: what counts is what passes on Spark, and every loss has a reason."""

import json
from pathlib import Path

import pytest
from score import baseline, first_line, group, outcomes, score


@pytest.mark.parametrize(("kind", "count"), [("doctests", 831), ("parity", 2345), ("golden", 18237)])
def test_the_baseline_is_sparks_passes(kind: str, count: int) -> None:
    names = baseline(kind)
    assert len(names) == len(set(names)) == count


def test_kept_lost_and_not_run(tmp_path: Path) -> None:
    alias, cast, isin, *_ = (f"pyspark.sql.column.Column.{name}" for name in ("alias", "cast", "isin"))
    run = {
        alias: {"status": "pass"},
        cast: {"status": "fail", "first": {"kind": "error", "got": "AnalysisException: [X] no\nmore"}},
        isin: {"status": "fail", "first": {"kind": "diff", "got": "1"}},
        "pyspark.sql.column.Column.new": {"status": "pass"},
    }
    (tmp_path / "run.json").write_text(json.dumps(run))
    found = outcomes(tmp_path / "run.json")
    part, whole = score("doctests", found, only_run=True), score("doctests", found)
    assert part.kept == whole.kept == [alias]
    assert part.lost == {cast: "AnalysisException: [X] no", isin: "the output differs"}
    assert part.groups() == {"pyspark.sql.column": (1, 3)}
    assert (whole.total, whole.not_run) == (831, 828)


def test_golden_results_are_a_list_per_file(tmp_path: Path) -> None:
    run = {
        "array.sql": [
            {"i": 0, "verdict": "match", "note": ""},
            {"i": 1, "verdict": "error", "note": "[Y] no"},
            {"i": 2, "verdict": "rows", "note": "want 1 got 2"},
        ]
    }
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert outcomes(tmp_path / "run.json") == {"array.sql#0": "", "array.sql#1": "[Y] no", "array.sql#2": "rows"}


def test_groups() -> None:
    assert group("arrow.test_parity_arrow::ArrowParityTests::test_x") == "arrow.test_parity_arrow"
    assert group("subquery/in.sql#12") == "subquery/in.sql"
    assert group("pyspark.sql.functions.builtin.abs") == "pyspark.sql.functions.builtin"


def test_reasons_do_not_hold_what_changes_from_run_to_run() -> None:
    text = "pyspark.errors.exceptions.connect.AnalysisException: [Z] id 0f1e2d3c-0000-1111-2222-333344445555 gone\nJVM"
    assert first_line(text) == "AnalysisException: [Z] id … gone"


def test_the_part_that_is_not_native_is_the_reason() -> None:
    text = "X: [TWINSPARK_NOT_NATIVE] The engine (…) does not run this: [CAST] No cast: a Instead: b. SQLSTATE: 0A000"
    assert first_line(text) == "not native: [CAST] No cast: a"
