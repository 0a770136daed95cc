"""Joins where nothing is broadcast come sorted by their keys: recorded from Spark 4.2.1 at local[2]."""

from typing import Any

import pytest
from pyspark.sql.connect.proto import Relation

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery
from twinspark.duck import run
from twinspark.read.proto import read_relation

CONFIG = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}
DATABASE = run.connect()
LEFT = "('c', 2, 0), ('b', 4, 1), (NULL, 3, 2), ('a', 3, 3), ('b', 1, 4), ('b', 1, 5), ('c', 3, 7) AS l(k, j, x)"
RIGHT = "('c', 2, 0), ('b', 4, 1), ('a', 3, 2), ('a', 4, 3), (NULL, 2, 4), ('b', 3, 5) AS r(k, j, y)"
RECORDED: dict[str, list[tuple[Any, ...]]] = {
    "SELECT x, y FROM l JOIN r ON l.k = r.k": [
        (3, 2), (3, 3), (1, 1), (1, 5), (4, 1), (4, 5), (5, 1), (5, 5), (0, 0), (7, 0),
    ],
    "SELECT x, y FROM l LEFT JOIN r ON l.j = r.j": [
        (4, None), (5, None), (0, 0), (0, 4), (2, 2), (2, 5), (3, 2), (3, 5), (7, 2), (7, 5), (1, 1), (1, 3),
    ],
    "SELECT x, y FROM l RIGHT JOIN r ON l.k = r.k AND l.j = r.j": [
        (None, 4), (3, 2), (None, 3), (None, 5), (1, 1), (0, 0),
    ],
    "SELECT x FROM l LEFT SEMI JOIN r ON l.j = r.j": [(0,), (2,), (3,), (7,), (1,)],
    "SELECT x FROM l LEFT ANTI JOIN r ON l.k = r.k AND x < y": [(2,), (3,), (5,), (0,), (7,)],
    "SELECT l.k, count(*) FROM l LEFT JOIN r ON l.k = r.k GROUP BY l.k": [("a", 2), ("b", 6), ("c", 2), (None, 1)],
    "SELECT l.k, l.j, max(x) FROM l JOIN r ON l.j = r.j GROUP BY l.k, l.j": [
        ("c", 2, 0), ("a", 3, 3), ("c", 3, 7), ("b", 4, 1), (None, 3, 2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", RECORDED)
def test_rows_come_by_the_keys_of_the_join(text: str) -> None:
    context = Context(config=CONFIG)
    query = text.replace(" l ", f" (SELECT * FROM VALUES {LEFT}) l ", 1).replace(
        " r ", f" (SELECT * FROM VALUES {RIGHT}) r ", 1
    )
    relation = read_relation(Relation(sql={"query": query}), context)
    table = CompiledQuery.of(relation, context, DATABASE.cursor()).stream().read_all()
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == RECORDED[text]
