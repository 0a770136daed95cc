"""uniform, randstr and shuffle of a seed: Spark's own draws where it is known which rows stand in which partition."""

from typing import Any

import pytest

from twinspark.analysis.context import Context
from twinspark.duck.run import connect, stream
from twinspark.errors import NotNative
from twinspark.read.text import read_query_text

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
    "SELECT uniform(1, 10)",
    "SELECT randstr(5)",
]


def answers(query: str) -> list[Any]:
    context = Context()
    plan = read_query_text(query, context).plain()
    return stream(connect().cursor(), plan, context.settings).read_all().column(0).to_pylist()


@pytest.mark.parametrize(("query", "expected"), RECORDED)
def test_draws_are_sparks(query: str, expected: list[Any]) -> None:
    assert answers(query) == expected


@pytest.mark.parametrize("query", TO_SPARK)
def test_what_is_not_known_goes_to_spark(query: str) -> None:
    with pytest.raises(NotNative):
        answers(query)
