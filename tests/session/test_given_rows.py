"""Rows that a plan holds already are those that DuckDB would give back; all others are DuckDB's to compute."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.compile.query import CompiledQuery
from twinspark.duck import run
from twinspark.duck.results.arrow import arrow_schema
from twinspark.duck.results.constant_rows import constant_rows, one_value
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.plans.session_context import SessionContext

ENGINE = NativeEngine()
ROWS = pa.table(
    {
        "a": pa.chunked_array([pa.array([1, None], pa.int64()), pa.array([3], pa.int64())]),
        "b": ["x", "", None],
        "c": [float("nan"), -0.0, None],
        "d": [True, None, False],
        "e": pa.array([-128, 127, None], pa.int8()),
    }
)
GIVEN = [
    "select 1",
    "select 1 as a, 'b' as b, true, 2L, 3S, 4Y, 1.5D, -7",
    "select '' as `ü`",
]
COMPUTED = [
    "select 1 + 1 as two, rand()",
    "select 2.50",
    "select date'2020-01-01'",
    "select null",
    "select array(1)",
    "select 1 where false",
    "select 1 union all select 2",
    "select id from range(3)",
    "select cast('a' as char(3))",
]


def query_of(message: Any) -> CompiledQuery:
    known = SessionContext(
        {}, {}, {}, lambda name: b"", catalog="spark_catalog", database="default", user="", session_id=""
    )
    return PlanCache().read(message, known, ENGINE.cursor())


def sql(text: str) -> Any:
    return relations_pb2.Relation(sql=relations_pb2.SQL(query=text))


def local(table: pa.Table) -> Any:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return relations_pb2.Relation(local_relation=relations_pb2.LocalRelation(data=sink.getvalue().to_pybytes()))


def limited(input: Any, limit: int) -> Any:
    return relations_pb2.Relation(limit=relations_pb2.Limit(input=input, limit=limit))


def given_and_computed(query: CompiledQuery) -> tuple[pa.Table | None, pa.Table]:
    settings = query.context.settings
    schema = arrow_schema(query.plan.schema, settings.zone)
    computed = run.read_batches(query.cursor, query.text, query.statement, query.plan, settings, schema)
    return constant_rows(query.plan, schema), pa.Table.from_batches(computed, schema)


def bits(table: pa.Table) -> list[str]:
    """Equal texts are equal values, signs of zeros and all."""
    return [str(table.schema), *map(repr, table.to_pylist())]


@pytest.mark.parametrize("text", GIVEN)
def test_literals(text: str) -> None:
    given, computed = given_and_computed(query_of(sql(text)))
    assert given is not None
    assert bits(given) == bits(computed)


@pytest.mark.parametrize("type", [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float64(), pa.string()])
def test_one_value_is_what_pyarrow_makes_of_it(type: pa.DataType) -> None:
    values = (
        ["", "a", "ü€"] if pa.types.is_string(type) else [True, False] if pa.types.is_boolean(type) else [-128, 127]
    )
    for value in [None, *values]:
        found = one_value(value, type)
        found.validate(full=True)
        assert found.equals(pa.array([value], type))


@pytest.mark.parametrize("limit", [None, 0, 2, 100])
def test_local_rows(limit: int | None) -> None:
    message = local(ROWS) if limit is None else limited(local(ROWS), limit)
    given, computed = given_and_computed(query_of(message))
    assert given is not None
    assert bits(given) == bits(computed)


@pytest.mark.parametrize("text", COMPUTED)
def test_all_else_is_computed(text: str) -> None:
    query = query_of(sql(text))
    assert constant_rows(query.plan, arrow_schema(query.plan.schema, "UTC")) is None


def test_local_rows_of_other_types_are_computed() -> None:
    for column in (pa.array([1], pa.date32()), pa.array(["a"]).dictionary_encode(), pa.array([[1]])):
        query = query_of(local(pa.table({"a": column})))
        assert constant_rows(query.plan, arrow_schema(query.plan.schema, "UTC")) is None


def test_no_rows_at_all_are_computed() -> None:
    empty = relations_pb2.Relation(local_relation=relations_pb2.LocalRelation(schema="a int, b string"))
    query = query_of(empty)
    assert constant_rows(query.plan, arrow_schema(query.plan.schema, "UTC")) is None
