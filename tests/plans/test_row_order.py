"""Rows of little data come in the order in which Spark gives them, though nobody asked for one."""

from typing import Any

import pytest
from pyspark.sql.connect.proto import Relation
from recorded_plans import ORDERS, PARTITIONS, Recorded, read, rows_of

from twinspark.analysis.context import Context
from twinspark.analysis.partitions.partition_counts import Partitions, partitions_of, tasks_of
from twinspark.compile.pipeline import compile_plan
from twinspark.compile.query import CompiledQuery, stream_rows
from twinspark.duck import run
from twinspark.errors import NotNative
from twinspark.read.proto import read_relation

CASES = [*read(ORDERS), *read(PARTITIONS)]
CONFIG = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "4"}  # of the Spark that was asked
DATABASE = run.connect()


def collect(relation: Any, context: Context) -> Any:
    return stream_rows(relation, context, DATABASE.cursor()).read_all()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_order(case: Recorded) -> None:
    context = Context(config=CONFIG, collect=collect)
    relation = read_relation(case.message().root, context)
    query = CompiledQuery.of(relation, context, DATABASE.cursor())
    assert rows_of(query.stream().read_all(), relation.schema, ordered=True) == case.rows
    assert query.compiled.ordered.schema == relation.schema


SORTED = "WITH w AS (SELECT * FROM VALUES (30, 1), (10, 1), (20, 2) t(v, g) ORDER BY v)"
ROLLED_UP = [(1, 10, [10, 30]), (None, 10, [10, 20, 30]), (2, 20, [20])]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (f"{SORTED} SELECT g, first(v), collect_list(v) FROM w GROUP BY ROLLUP(g)", ROLLED_UP),
        (f"{SORTED}, r AS (SELECT g, first(v), collect_list(v) FROM w GROUP BY ROLLUP(g)) SELECT * FROM r", ROLLED_UP),
        (
            f"{SORTED} SELECT g, listagg(v, ',') FROM w GROUP BY CUBE(g) ORDER BY g NULLS FIRST",
            [(None, "10,20,30"), (1, "10,30"), (2, "20")],
        ),
    ],
)
def test_a_with_query_keeps_the_order_of_its_rows(text: str, rows: list[tuple[Any, ...]]) -> None:
    """As Spark 4.2.1 answered, which inlines such queries (InlineCTE); the order of the groups is not compared."""
    context = Context(config=CONFIG, collect=collect)
    query = CompiledQuery.of(read_relation(Relation(sql={"query": text}), context), context, DATABASE.cursor())
    found = [tuple(row.values()) for row in query.stream().read_all().to_pylist()]
    assert sorted(found, key=str) == sorted(rows, key=str)


def test_only_a_local_spark_has_known_tasks() -> None:
    assert partitions_of(CONFIG) == Partitions(2, 4)
    assert partitions_of({"spark.master": "spark://there:7077"}) is None
    assert partitions_of({}) is None
    assert partitions_of({**CONFIG, "spark.sql.adaptive.enabled": "false"}) is None
    assert partitions_of({**CONFIG, "spark.default.parallelism": "8"}) == Partitions(8, 4)
    assert (tasks_of("local"), tasks_of("local[3]"), tasks_of("local[5,2]")) == (1, 3, 5)


def test_much_data_keeps_its_plan() -> None:
    context = Context(config=CONFIG)
    case = next(case for case in CASES if case.name == "ranges: groups")
    plan = case.message()
    plan.root.aggregate.input.range.end = 1_000_000
    relation = read_relation(plan.root, context)
    assert compile_plan(relation, context).ordered is relation


@pytest.mark.parametrize(
    "text",
    [
        "select id, spark_partition_id() from (select /*+ REPARTITION(3) */ id from range(10))",
        "select rand(1), id from (select id from range(10) distribute by id)",
        "select kurtosis(id) from (select id from range(10) cluster by id)",
    ],
)
def test_where_rows_stand_after_they_were_spread_is_sparks(text: str) -> None:
    context = Context(config=CONFIG)
    relation = read_relation(Relation(sql={"query": text}), context)
    with pytest.raises(NotNative):
        compile_plan(relation, context)


@pytest.mark.parametrize("bounds", [(0.0, -1.0), (0.5, 0.1), (0.0, 1.5)])
def test_a_fraction_that_is_none_is_sparks_to_refuse(bounds: tuple[float, float]) -> None:
    relation = Relation(sample={"lower_bound": bounds[0], "upper_bound": bounds[1], "seed": 1})
    relation.sample.input.range.end = 3
    relation.sample.input.range.step = 1
    with pytest.raises(NotNative):
        read_relation(relation, Context(config=CONFIG))
