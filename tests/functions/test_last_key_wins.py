"""spark.sql.mapKeyDedupPolicy = LAST_WIN: of equal keys the first place and the last value count."""

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text

LAST_WIN = {"spark.sql.mapKeyDedupPolicy": "LAST_WIN"}
RECORDED = [  # Spark 4.2.1
    ("map('a', 1, 'b', 2, 'a', 3)", "{a -> 3, b -> 2}"),
    ("map_concat(map('a', 1, 'b', 2), map('b', 5, 'c', 6))", "{a -> 1, b -> 5, c -> 6}"),
    ("map_from_arrays(array(1, 2, 1), array('x', 'y', null))", "{1 -> null, 2 -> y}"),
    ("map_from_entries(array(struct('k', 1), struct('k', 2)))", "{k -> 2}"),
    ("transform_keys(map('a', 1, 'b', 2), (k, v) -> 'same')", "{same -> 2}"),
    ("str_to_map('a:1,b:2,a:3')", "{a -> 3, b -> 2}"),
    ("map(0.0D, 1, -0.0D, 2)", "{0.0 -> 2}"),
]


def answer(expression: str) -> object:
    context = Context(LAST_WIN)
    plan = read_query_text(f"SELECT {expression}", context).plain()
    return stream_rows(plan, context, connect().cursor()).read_all().column(0)[0].as_py()


@pytest.mark.parametrize(("expression", "expected"), RECORDED)
def test_the_last_value_counts(expression: str, expected: str) -> None:
    assert answer(f"string({expression})") == expected


def test_maps_that_are_read_go_to_spark() -> None:
    with pytest.raises(NotNative):
        answer("""from_json('{"a": 1, "a": 2}', 'map<string, int>')""")
