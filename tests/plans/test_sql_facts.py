"""What the SQL writer knows of its texts it carries along: nobody reads it out of the SQL."""

import duckdb
import pytest

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_plan
from twinspark.compile.query import CompiledQuery
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text


def rows_of(text: str) -> list[tuple[object, ...]]:
    context = Context()
    query = CompiledQuery.of(read_query_text(text, context).plain(), context, connect().cursor())
    return [tuple(row.values()) for row in query.stream().read_all().to_pylist()]


def test_a_text_in_a_filter_makes_no_window() -> None:
    rows = "values ('OVER (', 1, 2), ('b', 3, 4) as t(s, v, k)"
    assert rows_of(f"select max_by(v, k) filter (where s = 'OVER (') from {rows}") == [(1,)]
    assert rows_of(f"select sum(double(v)) filter (where s <> ' OVER (ORDER BY') from {rows}") == [(4.0,)]


def test_a_text_in_a_lambda_is_no_parameter() -> None:
    assert rows_of("select transform(array('x'), (e, i) -> concat(e, 'variable_1_', i))") == [(["xvariable_1_0"],)]


def test_keys_of_windows_are_names() -> None:
    context = Context()
    text = "select sum(id) over (partition by id % 2 order by abs(id)) from range(4)"
    made = compile_plan(read_query_text(text, context).plain(), context).text
    assert "PARTITION BY t" in made and "ORDER BY t" in made


def test_without_the_extension_native_functions_fall_back() -> None:
    context = Context()
    query = CompiledQuery.of(read_query_text("select soundex('a')", context).plain(), context, duckdb.connect())
    with pytest.raises(NotNative, match="was not built: spark_soundex"):
        query.stream().read_all()
