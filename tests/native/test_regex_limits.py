"""Patterns that backtracking alone would never finish: linear where they can be, else left to Spark with a reason."""

import time
from collections.abc import Iterator

import duckdb
import pytest

from twinspark.duck import run


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with run.connect() as connection:
        yield connection


def answer(database: duckdb.DuckDBPyConnection, call: str) -> object:
    """The pattern is a column, as `p`: constants go another way."""
    found = database.execute(f"SELECT {call}").fetchone()
    assert found is not None
    return found[0]


# Times are of an idle machine times a hundred: each of these took hours, or minutes, once.
QUICK = {
    "branches that may be empty, when read": ("spark_rlike('x', repeat('(?:a*|b*)', 40))", True),
    "a run without what follows it": (r"spark_regexp_extract(repeat('a', 50000), '[\w-]+@', 0)", ""),
    "the same, lazily": (r"spark_regexp_extract(repeat('a', 50000), '[\w-]+?@', 0)", ""),
    "runs after runs": ("spark_rlike(repeat('a', 50000), 'a*a*a*a*a*b')", False),
    "equal branches": ("spark_rlike(repeat('a', 40), repeat('(?:a|a)', 39) || 'b')", False),
    "branches in groups": ("spark_rlike(repeat('a', 60), repeat('(a|a?)', 20) || 'b')", False),
}


@pytest.mark.parametrize("name", QUICK)
def test_plain_patterns_take_linear_time(database: duckdb.DuckDBPyConnection, name: str) -> None:
    call, expected = QUICK[name]
    began = time.process_time()
    assert answer(database, call) == expected
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("spark_rlike(repeat('a', 60), '(a+)+b')", "backtracked more than 20 million times"),
        ("spark_rlike(repeat('ab', 100000), '(?:ab|c)*d')", "kept more than 8000 alternatives open"),
    ],
)
def test_limits_leave_plans_to_spark_and_say_why(database: duckdb.DuckDBPyConnection, call: str, reason: str) -> None:
    with pytest.raises(duckdb.Error, match=f"FALL_BACK.*{reason}"):
        answer(database, call)


def test_what_was_remembered_does_not_change_an_answer(database: duckdb.DuckDBPyConnection) -> None:
    """A run that failed once is not tried again: only its own rest, only in this text."""
    pattern, value = "([a-c]+)x|([a-c]*)y", "abcabc abcz bcy ax"
    assert answer(database, f"spark_regexp_replace('{value}', '{pattern}', '<$1|$2>', 1)") == "abcabc abcz <|bc> <a|>"
    assert answer(database, f"spark_regexp_extract_all('{value}', 'a?[ab]?c*?z|b', 0)") == ["b", "b", "abcz", "b"]
