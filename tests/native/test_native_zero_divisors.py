"""Which error a zero divisor raises, where divisions stand within one another: conditions as Spark 4.2 named them."""

import duckdb
import pytest

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.duck.errors import translate_error
from twinspark.duck.run import connect
from twinspark.errors import SparkError
from twinspark.read.proto import read_relation  # noqa: F401 -- tells how schemas are read
from twinspark.read.sql_text import read_query_text

CASES = {
    "7 div (id % 2)": "DIVIDE_BY_ZERO",
    "7 % (7 div (id + 1) - 7)": "REMAINDER_BY_ZERO",
    "(7 div id) % 2": "DIVIDE_BY_ZERO",
    "cast(7 as decimal(5,2)) % cast(id as decimal(10,2))": "REMAINDER_BY_ZERO",
    "cast(7 div id as decimal(10,2)) % cast(2.5 as decimal(5,2))": "DIVIDE_BY_ZERO",
}


@pytest.mark.parametrize("expression", CASES)
def test_the_outer_operation_names_the_error(expression: str) -> None:
    frame = read_query_text(f"SELECT {expression} FROM range(3)", Context())
    with pytest.raises(duckdb.Error) as raised:
        connect().execute(compile_rows(frame.plain(), Context()).text).fetchall()
    found = translate_error(raised.value)
    assert isinstance(found, SparkError)
    assert found.condition == CASES[expression]
