"""Arrays of whole numbers as sets: integer_sets.c writes the elements at the positions that sets.c says."""

import pytest

from twinspark.duck.run import connect

# Short and long arrays, with nulls among them and without, and null arrays.
ARRAYS = """
SELECT i,
    CASE WHEN i % 53 = 0 THEN NULL ELSE list_transform(
        range((hash(i) % 12)::BIGINT + CASE WHEN i % 211 = 0 THEN 60 ELSE 0 END),
        lambda x: CASE WHEN hash(i, x) % 9 = 0 AND i % 2 = 0 THEN NULL ELSE
                       (hash(x, i, 3) % (3 + i % 40))::INTEGER END) END AS a,
    CASE WHEN i % 59 = 0 THEN NULL ELSE list_transform(
        range((hash(i, 7) % 10)::BIGINT + CASE WHEN i % 311 = 0 THEN 60 ELSE 0 END),
        lambda x: CASE WHEN hash(i, x, 4) % 9 = 0 AND i % 3 = 0 THEN NULL ELSE
                       (hash(x, i, 5) % (3 + i % 40))::INTEGER END) END AS b
FROM range(5000) AS source(i)
"""


@pytest.mark.parametrize("type", ["INTEGER[]", "BIGINT[]"])
@pytest.mark.parametrize("name", ["array_except", "array_intersect"])
@pytest.mark.parametrize("rows", ["true", "i % 2 = 1 AND i % 3 <> 0"])  # the second: no nulls in any array
def test_elements_are_those_at_the_positions(type: str, name: str, rows: str) -> None:
    sides = f"a::{type}, b::{type}"
    other = f"list_select(a::{type}, spark_{name}({sides})) IS DISTINCT FROM spark_whole_{name}({sides})"
    counted = f"SELECT count(*) > 1000, count(*) FILTER ({other}) FROM ({ARRAYS}) WHERE {rows}"
    assert connect().execute(counted).fetchone() == (True, 0)
