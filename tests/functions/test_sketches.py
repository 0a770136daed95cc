"""Sketches natively: what does not depend on the order of the rows, and what goes to Spark because it does."""

from collections.abc import Iterator

import duckdb
import pytest

from twinspark.analysis.context import Context
from twinspark.analysis.partitions.partition_counts import Partitions
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.plan.relations import Relation
from twinspark.read.sql_text import read_query_text
from twinspark.spark_order.emulate import in_spark_order
from twinspark.spark_order.sketch_bytes import check_displayed_sketches


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    made = connect()
    yield made
    made.close()


def plan_of(sql: str) -> Relation:
    return read_query_text(sql, Context()).plain()


def answer(connection: duckdb.DuckDBPyConnection, sql: str) -> list[object]:
    table = stream_rows(plan_of(sql), Context(), connection.cursor()).read_all()
    return [list(row.values()) for row in table.to_pylist()]


FORWARDS = "range(200000)"
BACKWARDS = "(SELECT 199999 - id AS id FROM range(200000))"


@pytest.mark.parametrize(
    "aggregate", ["theta_sketch_agg(id)", "theta_sketch_agg(id, 4)", "count_min_sketch(id, 0.1D, 0.9D, 7)"]
)
def test_the_order_of_rows_does_not_matter(connection: duckdb.DuckDBPyConnection, aggregate: str) -> None:
    assert answer(connection, f"SELECT {aggregate} FROM {FORWARDS}") == answer(
        connection, f"SELECT {aggregate} FROM {BACKWARDS}"
    )


def test_a_union_of_parts_is_the_whole(connection: duckdb.DuckDBPyConnection) -> None:
    parts = f"SELECT theta_sketch_agg(id, 9) AS s FROM {FORWARDS} GROUP BY id % 7"
    (joined,) = answer(connection, f"SELECT theta_union_agg(s, 9) FROM ({parts})")
    (whole,) = answer(connection, f"SELECT theta_sketch_agg(id, 9) FROM {FORWARDS}")
    assert joined == whole


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT hll_sketch_estimate(hll_sketch_agg(id)) FROM range(385)", "keeps registers"),
        ("SELECT hll_sketch_estimate(hll_sketch_agg(id, 4)) FROM range(8)", "keeps registers"),
        ("SELECT kll_sketch_get_n_bigint(kll_sketch_agg_bigint(id)) FROM range(201)", "more items than fit its size"),
        ("SELECT kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), 0.5) FROM range(0)", "empty"),
        ("SELECT approx_top_k(id, 2, 5) FROM range(20)", "more items than it tracks"),
        ("SELECT theta_sketch_estimate(X'00')", "not a theta sketch"),
        ("SELECT tuple_sketch_estimate_double(theta_sketch_agg(id)) FROM range(5)", "not a tuple sketch"),
        ("SELECT theta_intersection_agg(CAST(NULL AS BINARY))", "some that are null"),
        ("SELECT histogram_numeric(id % 2, 5) FROM range(4)", "repeated values"),
    ],
)
def test_what_spark_alone_knows_goes_there(connection: duckdb.DuckDBPyConnection, sql: str, why: str) -> None:
    with pytest.raises(NotNative, match=why):
        answer(connection, sql)


@pytest.mark.parametrize(
    "sketch",
    [
        "kll_sketch_agg_bigint(id)",
        "hll_sketch_agg(id)",
        "tuple_sketch_agg_integer(id, 1)",
        "approx_top_k_accumulate(id)",
        "hex(kll_sketch_merge_bigint(kll_sketch_agg_bigint(id), kll_sketch_agg_bigint(id)))",
    ],
)
def test_bytes_in_the_order_of_rows_are_not_shown(sketch: str) -> None:
    with pytest.raises(NotNative, match="depends on how Spark divides"):
        check_shown(f"SELECT s AS shown FROM (SELECT {sketch} AS s FROM range(5)) WHERE s IS NOT NULL")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT kll_sketch_get_n_bigint(s) FROM (SELECT kll_sketch_agg_bigint(id) AS s FROM range(5))",
        "SELECT hll_sketch_estimate(hll_union(s, s)) FROM (SELECT hll_sketch_agg(id) AS s FROM range(5))",
        "SELECT theta_sketch_agg(id), count_min_sketch(id, 0.5D, 0.5D, 1) FROM range(5)",
        "SELECT id FROM (SELECT max(id) AS id, hll_sketch_agg(id) AS s FROM range(5))",
    ],
)
def test_answers_of_sketches_are_shown(sql: str) -> None:
    check_shown(sql)


def check_shown(sql: str) -> None:
    plan = plan_of(sql)
    check_displayed_sketches(plan, lambda: plan)


def test_bytes_of_rows_whose_tasks_are_known_are_shown() -> None:
    plan, tasks = plan_of("SELECT kll_sketch_agg_bigint(id) FROM range(5)"), Partitions(2, 4)
    check_displayed_sketches(plan, lambda: in_spark_order(plan, tasks, Context().settings))
