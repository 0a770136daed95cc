"""uniform, randstr and shuffle of a seed: Spark's own draws where it is known which rows stand in which partition."""

from typing import Any

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text

RECORDED: list[tuple[str, list[Any]]] = [  # Spark 4.2.1
    ("SELECT uniform(5, 105, 3) FROM range(0, 5, 1, 1)", [30, 71, 99, 77, 16]),
    ("SELECT randstr(16, 3) FROM range(0, 3, 1, 1)", ["nurJIpH4cmmMnsCG", "fl9YtT5m01trZtIt", "PD19rAgscTHS7qQZ"]),
    ("SELECT randstr(3, 0)", ["ceV"]),
    ("SELECT shuffle(array(1, 20, 3, 5), 123)", [[5, 1, 20, 3]]),
    (
        "SELECT shuffle(array(1, 2, 3, 4, 5, id), 7) FROM range(0, 3, 1, 1)",
        [[1, 2, 5, 0, 4, 3], [3, 1, 4, 2, 1, 5], [4, 2, 2, 3, 1, 5]],
    ),
]
TO_SPARK = [
    "SELECT shuffle(sequence(1, id), 99) FROM range(0, 5, 1, 1)",  # arrays of other lengths take other numbers
    "SELECT randstr(5)",
]


def answers(query: str) -> list[Any]:
    context = Context()
    plan = read_query_text(query, context).plain()
    return stream_rows(plan, context, connect().cursor()).read_all().column(0).to_pylist()


@pytest.mark.parametrize(("query", "expected"), RECORDED)
def test_draws_are_sparks(query: str, expected: list[Any]) -> None:
    assert answers(query) == expected


WITHOUT_SEED = [  # any numbers so spread will do
    "SELECT count(DISTINCT r) = 1000 AND min(r) >= 0 AND max(r) < 1 FROM (SELECT rand() r FROM range(1000))",
    "SELECT abs(avg(r)) < 0.2 AND abs(stddev(r) - 1) < 0.2 FROM (SELECT randn() r FROM range(2000))",
    "SELECT bool_and(u BETWEEN 1 AND 5) AND count(DISTINCT u) > 2 FROM (SELECT uniform(1, 5) u FROM range(100))",
    "SELECT bool_and(a = b) FROM (SELECT r a, r b FROM (SELECT rand() r FROM range(10)))",
]


@pytest.mark.parametrize("query", WITHOUT_SEED)
def test_draws_without_a_seed_are_spread_as_sparks(query: str) -> None:
    assert answers(query) == [True]


REFUSED = {
    "SELECT count(rand()) FROM range(3)": "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
    "SELECT count(uuid()) FROM range(3)": "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
    "SELECT sum(id) FILTER (WHERE rand() > 2) FROM range(3)": "INVALID_AGGREGATE_FILTER.NON_DETERMINISTIC",
    "SELECT * FROM range(2) a JOIN range(2) b ON rand() > 2": "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
    "SELECT * FROM VALUES (1, uuid()) t": "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_changes_is_refused_where_spark_wants_the_same_twice(query: str) -> None:
    with pytest.raises(NotNative) as refused:
        answers(query)
    assert refused.value.likely_error is not None
    assert refused.value.likely_error.condition == REFUSED[query]


@pytest.mark.parametrize("query", TO_SPARK)
def test_what_is_not_known_goes_to_spark(query: str) -> None:
    with pytest.raises(NotNative):
        answers(query)
