"""The command: a plan file over an input, its output or its problems; fixtures that are equal and one that is not."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from twinspark.plans_json.command import run_arguments, run_fixture

PLAN = [
    {"op": "filter", "payload": {"op": "gt", "left": {"col": "v"}, "right": {"lit": 1}}},
    {"op": "groupBy", "payload": {"group_by": ["k"], "aggs": [{"agg": "sum", "column": "v", "alias": "total"}]}},
    {"op": "orderBy", "payload": ["k"]},
]
ANSWER = [{"k": "a", "total": 5}, {"k": "b", "total": 7}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pyarrow.parquet.write_table(pa.table({"k": ["a", "a", "b", "b"], "v": [2, 3, 7, 1]}), tmp_path / "in.parquet")
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    return tmp_path


def test_a_plan_reads_its_input_and_writes_its_output(folder: Path, on_twinspark: Any) -> None:
    arguments = ["--input", str(folder / "in.parquet"), "--output", str(folder / "out.parquet")]
    assert run_arguments(folder / "plan.json", arguments, on_twinspark) == 0
    assert pyarrow.parquet.read_table(folder / "out.parquet").to_pylist() == ANSWER


def test_an_output_that_exists_is_not_overwritten_unasked(folder: Path, on_twinspark: Any, capsys: Any) -> None:
    (folder / "out.json").mkdir()
    (folder / "out.json" / "kept").write_text("x")
    arguments = ["--input", str(folder / "in.parquet"), "--output", str(folder / "out.json")]
    assert run_arguments(folder / "plan.json", arguments, on_twinspark) == 1
    assert "PATH_ALREADY_EXISTS" in capsys.readouterr().err
    assert (folder / "out.json" / "kept").exists()


def test_without_an_output_the_answer_is_printed(folder: Path, on_twinspark: Any, capsys: Any) -> None:
    assert run_arguments(folder / "plan.json", ["--input", str(folder / "in.parquet")], on_twinspark) == 0
    assert "|b  |7    |" in capsys.readouterr().out


def test_a_plan_may_bring_its_own_input(folder: Path, on_twinspark: Any, capsys: Any) -> None:
    own = {"input": {"schema": "k string, v int", "rows": [["z", 9]]}, "plan": PLAN}
    (folder / "own.json").write_text(json.dumps(own))
    assert run_arguments(folder / "own.json", [], on_twinspark) == 0
    assert "|z  |9    |" in capsys.readouterr().out


@pytest.mark.spark
def test_problems_are_printed_by_their_place(folder: Path, on_twinspark: Any, capsys: Any) -> None:
    (folder / "bad.json").write_text(json.dumps([{"op": "select", "payload": [{"fn": "uper", "args": ["k"]}]}]))
    assert run_arguments(folder / "bad.json", ["--input", str(folder / "in.parquet")], on_twinspark) == 1
    assert "step 0.payload[0]: unknown function 'uper'" in capsys.readouterr().err
    assert run_arguments(folder / "plan.json", [], on_twinspark) == 1
    assert "needs --input" in capsys.readouterr().err


def test_a_fixture_is_equal_or_tells_its_first_difference(folder: Path, on_twinspark: Any, capsys: Any) -> None:
    given = {"schema": [{"name": "k", "type": "string"}, {"name": "v", "type": "bigint"}], "rows": [["a", 2], ["b", 7]]}
    expected = {
        "schema": [{"name": "k", "type": "string"}, {"name": "total", "type": "bigint"}],
        "rows": [["a", 2], ["b", 7]],
    }
    fixture = {"name": "sums", "input": given, "plan": PLAN, "expected": expected}
    (folder / "f.json").write_text(json.dumps(fixture))
    assert run_fixture(folder / "f.json", on_twinspark) == 0
    assert capsys.readouterr().out == "equal (1)\n"
    expected["rows"][1] = ["b", 8]
    (folder / "f.json").write_text(json.dumps([fixture, fixture]))
    assert run_fixture(folder / "f.json", on_twinspark) == 1
    assert 'sums: row 1: expected ["b", 8], found ["b", 7]' in capsys.readouterr().out
    expected["schema"][1]["type"] = "int"
    (folder / "f.json").write_text(json.dumps(fixture))
    assert run_fixture(folder / "f.json", on_twinspark) == 1
    assert "type of column 'total': expected 'int', found 'bigint'" in capsys.readouterr().out
