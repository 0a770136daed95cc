"""Errors that Spark may not have: beside a null, under a limit, in a join, in one of several conditions or calls."""

import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery, stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.read.proto import read_relation

ROWS = "(select nullif(id, 1) as d, -int(id) as z, int(id - 2147483648) as i from range(3))"


def run(text: str) -> None:
    context = Context()
    plan = read_relation(relations_pb2.Relation(sql=relations_pb2.SQL(query=text)), context)
    stream_rows(plan, context, connect().cursor()).read_all()


@pytest.mark.parametrize(
    "text",
    [
        f"select d > abs(i) from {ROWS}",
        f"select 1 / z from {ROWS} limit 1",
        f"select abs(i) is null from {ROWS}",
        f"select count(abs(i)) from {ROWS}",
        f"select if(abs(i) > 1, 2, 2) from {ROWS}",
        f"select case when abs(i) > 1 then 2 else 2 end from {ROWS}",
        f"select 1 / z, int(string(z) || 'x') from {ROWS}",
        f"select 1 from {ROWS} where d > -5 and 1 / z > 0",
        f"select 1 from {ROWS} join (select 0 as y) on 1 / (z + y) > 0",
    ],
)
def test_spark_is_asked(text: str) -> None:
    with pytest.raises(NotNative) as told:
        run(text)
    assert told.value.likely_error is not None


@pytest.mark.parametrize("text", [f"select abs(i) > d from {ROWS}", f"select 1 / z from {ROWS}"])
def test_spark_would_say_so(text: str) -> None:
    with pytest.raises(SparkError) as told:
        run(text)
    assert told.value.condition in ("ARITHMETIC_OVERFLOW", "DIVIDE_BY_ZERO")


@pytest.mark.parametrize("function", ["forall", "exists"])
def test_a_constant_that_fails_in_a_lambda_function_without_elements(function: str) -> None:
    """Spark 4.2.1 raises DIVIDE_BY_ZERO for these: ConstantFolding evaluates the constant, though no element does."""
    text = f"select {function}(cast(null as array<int>), x -> 1/0 > 0)"
    context = Context()
    plan = read_relation(relations_pb2.Relation(sql=relations_pb2.SQL(query=text)), context)
    with pytest.raises(NotNative, match="a constant expression fails"):
        CompiledQuery.of(plan, context, connect().cursor()).stream()
