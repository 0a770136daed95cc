"""What Spark computes of local data before it leaves anything out, and overflows that DuckDB would reckon away."""

import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.eager_rows import eager_projections
from twinspark.duck.lazy_errors import check_filtered_arguments
from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Relation
from twinspark.read.proto import read_relation

ROWS = "values ('1', 1, 2147483647), ('x', 2, 0) as t(s, k, i)"


def plan_of(text: str) -> tuple[Relation, Context]:
    context = Context()
    return read_relation(relations_pb2.Relation(sql=relations_pb2.SQL(query=text)), context), context


def run(plan: Relation, context: Context) -> None:
    stream_rows(plan, context, connect().cursor()).read_all()


@pytest.mark.parametrize(
    "text",
    [
        f"select k from (select int(s) as x, k from {ROWS})",
        f"select count(*) from (select int(s) as x, k from {ROWS})",
        f"select x from (select int(s) as x, k from {ROWS}) where k = 1",
        f"select k from (select int(s) as x, k from {ROWS}) limit 1",
        f"select 1 where false intersect select int(s) from {ROWS}",
    ],
)
def test_all_columns_of_local_data_are_computed(text: str) -> None:
    plan, context = plan_of(text)
    with pytest.raises(SparkError) as told:
        for each in eager_projections(plan):
            run(each, context)
    assert told.value.condition == "CAST_INVALID_INPUT"


@pytest.mark.parametrize(
    "text",
    [
        f"select int(s) as x, k from {ROWS} where k = 1",
        f"select sum(x) from (select int(s) as x from {ROWS})",
        f"select k from (select upper(s) as x, k from {ROWS}) where k = 1",
        "select id from (select id, int(string(id)) as x from range(3))",
        f"select k from range(2) as a, lateral (select int(s) as x, k from {ROWS} where k = a.id)",
        f"select k from (select int(s) + (select max(id) from range(2)) as x, k from {ROWS})",
    ],
)
def test_the_rest_is_computed_when_asked_for(text: str) -> None:
    assert eager_projections(plan_of(text)[0]) == []


@pytest.mark.parametrize(
    "text",
    [
        f"select i + 1 > 5 from {ROWS}",
        f"select k from {ROWS} where i * 2 = 4",
        f"select k from {ROWS} where -2 - i < 5",
        f"select k from {ROWS} where i + 1 between 0 and 9",
        f"select max(k) from {ROWS} group by i + 1 > 0",
    ],
)
def test_an_overflow_beside_a_constant_is_one(text: str) -> None:
    with pytest.raises(SparkError) as told:
        run(*plan_of(text))
    assert told.value.condition == "ARITHMETIC_OVERFLOW"


def test_an_overflow_in_a_sum_is_one() -> None:
    with pytest.raises(NotNative) as told:
        run(*plan_of(f"select sum(i + 1) from {ROWS}"))
    assert told.value.likely_error is not None
    assert told.value.likely_error.condition == "ARITHMETIC_OVERFLOW"


def test_keys_of_maps_that_nobody_asks_for_are_looked_at() -> None:
    made = "map_from_entries(array(struct(nullif(s, 'x'), k)))"
    plan, context = plan_of(f"select k from (select k, {made} as m from {ROWS})")
    with pytest.raises(SparkError) as told:
        for each in eager_projections(plan):
            run(each, context)
    assert told.value.condition == "NULL_MAP_KEY"


def test_distinct_values_in_an_order_beside_others_are_left_to_spark() -> None:
    lists = "listagg(distinct s) within group (order by s)"
    check_filtered_arguments(plan_of(f"select {lists}, count(k) from {ROWS}")[0])
    with pytest.raises(NotNative):
        check_filtered_arguments(plan_of(f"select {lists}, count(distinct k) from {ROWS}")[0])
