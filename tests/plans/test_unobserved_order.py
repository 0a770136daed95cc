"""Row order that nothing observes is not emulated: the plan has no positions and no tie order."""

import pytest
from pyspark.sql.connect.proto import Relation as Message

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_plan
from twinspark.compile.query import CompiledQuery
from twinspark.duck import run
from twinspark.plan.contents import contents_of
from twinspark.plan.relations import RowPositions, TieOrder
from twinspark.read.proto import read_relation

CONFIG = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "4"}
DATABASE = run.connect()
ROWS = "(select * from values (1, 'a', 2), (2, 'b', 1), (3, 'b', null), (4, null, 2) as t(u, s, n))"


def emulates(text: str) -> bool:
    context = Context(config=CONFIG)
    compiled = compile_plan(read_relation(Message(sql={"query": text}), context), context)
    return contents_of(compiled.ordered).has(RowPositions, TieOrder) or "place" in compiled.sql


@pytest.mark.parametrize(
    "text",
    [
        "select s, count(*), sum(n) from {rows} group by s order by s",
        "select s, max(n) from {rows} group by s order by s desc limit 2",
        "select distinct s, n from {rows} order by n, s",
        "select * from {rows} order by n, u",
        "select id, id % 3 k from range(9) order by k, id limit 4",
        "select a.u, b.u from {rows} a join {rows} b on a.n = b.n order by a.u, b.u",
        "select s, max(s) from {rows} group by s",
        "select u, row_number() over (partition by s order by u) from {rows}",
        "select s from {rows} union select 'x' order by s",
    ],
)
def test_an_order_that_nothing_observes(text: str) -> None:
    assert not emulates(text.replace("{rows}", ROWS))


@pytest.mark.parametrize(
    "text",
    [
        "select * from {rows} order by n",
        "select * from {rows} order by n limit 1",
        "select s, count(*) from {rows} group by s",
        "select s, first(u), count(*) from {rows} group by s order by count(*)",
        "select u, row_number() over (partition by s order by n) from {rows}",
        "select n + 0 from (select distinct n from {rows}) order by n % 2",
        "select sum(n / 3D) from {rows}",
        "select s, sum(n / 3D) from {rows} group by s order by s",
    ],
)
def test_an_order_that_is_observed(text: str) -> None:
    assert emulates(text.replace("{rows}", ROWS))


def test_rows_with_a_unique_key_come_sorted() -> None:
    text = "select id % 7 k, id from range(0, 1000, 1) order by k desc, id limit 3"
    context = Context(config=CONFIG)
    query = CompiledQuery.of(read_relation(Message(sql={"query": text}), context), context, DATABASE.cursor())
    assert query.stream().read_all().to_pylist() == [{"k": 6, "id": 6}, {"k": 6, "id": 13}, {"k": 6, "id": 20}]
