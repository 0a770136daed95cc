"""The native functions give the answers that were recorded from a running Spark 4.2 (fuzz_native.py --record)."""

import duckdb
import pytest
from fuzz_native import connection, differences, recorded
from native_cases import CASES


@pytest.fixture(scope="module")
def on() -> duckdb.DuckDBPyConnection:
    return connection()


@pytest.mark.parametrize("name", CASES)
def test_answers_are_sparks(name: str, on: duckdb.DuckDBPyConnection) -> None:
    inputs, answers = recorded(CASES[name])
    assert len(answers) > 0
    assert differences(CASES[name], inputs, answers, on) == []
