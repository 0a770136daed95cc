"""Table functions, one case each: tables as arguments, analyze methods, rows of another relation, pickled rows."""

from collections.abc import Iterator
from typing import Any

from function_cases import CASES, PICKLED, Case, case
from pyspark.sql import functions as F
from pyspark.sql.functions import AnalyzeArgument, AnalyzeResult, OrderingColumn, PartitioningColumn, SelectedColumn
from pyspark.sql.types import IntegerType, StructType

TABLE = "select cast(id % 3 as int) as id, cast(id as int) as v from range(10)"


def counting(arrow: bool) -> Any:
    class Count:
        def __init__(self) -> None:
            self.id, self.count = None, 0

        def eval(self, row: Any, step: int = 1) -> Iterator[Any]:
            self.id, self.count = row["id"], self.count + step
            yield row["id"], -row["v"]

        def terminate(self) -> Iterator[Any]:
            yield self.id, self.count

    return F.udtf(Count, returnType="id: int, n: int", useArrow=arrow)


CALLS = {
    "divided": f"count(table({TABLE}) partition by id order by v desc)",
    "divided_by_an_expression": f"count(table({TABLE}) partition by id % 2 order by (v desc nulls last, id), 5)",
    "whole": f"count(row => table({TABLE}) with single partition order by v, step => 2)",
    "one_row": "count(table(select 1 as id, 2 as v))",
    "renamed": "count(table(select 1 as id, 2 as v) partition by 1 order by 1) as t(x, y)",
    "two_tables": "count(table(select 1 as id), table(select 2 as id))",
    "unknown_column": f"count(table({TABLE}) partition by nope)",
    "positions_after_names": "count(step => 1, 2)",
    "a_name_twice": "count(step => 1, step => 2)",
    "for_one_row": "values (1, 2) t(a, b), lateral count(named_struct('id', a, 'v', b), a) u where u.id = a",
}


def called(query: str, arrow: bool) -> Case:
    def make(spark: Any) -> Any:
        spark.udtf.register("count_rows", counting(arrow))
        return spark.sql(f"select * from {query.replace('count(', 'count_rows(')}")

    return make


for name, query in CALLS.items():
    CASES[f"table_function_{name}"] = called(query, True)
    CASES[f"pickled_table_function_{name}"] = called(query, False)


@case
def table_function_as_table(spark: Any) -> Any:
    rows = spark.sql(TABLE)
    return counting(True)(rows.asTable().partitionBy("id").orderBy(rows.v.desc()), F.lit(2))


@case
def table_function_for_each_row(spark: Any) -> Any:
    class Twice:
        def eval(self, n: int) -> Iterator[Any]:
            yield from ((n, i) for i in range(n or 0))

    spark.udtf.register("twice", F.udtf(Twice, returnType="n int, i int"))
    return spark.sql("select t.a, u.i + t.b as s from values (1, 2), (3, 4), (null, 5) t(a, b), lateral twice(a) u")


@case
def pickled_table_function_for_each_row(spark: Any) -> Any:
    class Twice:
        def eval(self, n: int) -> Iterator[Any]:
            yield from ((n, i) for i in range(n or 0))

    spark.udtf.register("twice", F.udtf(Twice, returnType="n int, i int", useArrow=False))
    return spark.sql("select t.a, u.* from values (1, 2), (3, 4), (null, 5) t(a, b), lateral twice(a) u")


def returning(kind: str, value: str) -> Case:
    def make(spark: Any) -> Any:
        one = type("One", (), {"eval": eval(f"lambda self: [({value},)]")})
        return F.udtf(one, returnType=f"x: {kind}", useArrow=False)()

    return make


for kind, values in PICKLED.items():
    for place, value in enumerate(values):
        CASES[f"pickled_table_function_of_{kind}_{place}"] = returning(kind, value)


# ---- analyze methods


def analyzed(arrow: bool) -> Any:
    class Columns:
        def __init__(self, result: AnalyzeResult) -> None:
            self.names = result.schema.names

        @staticmethod
        def analyze(kind: AnalyzeArgument, text: AnalyzeArgument) -> AnalyzeResult:
            assert text.isConstantExpression
            return AnalyzeResult(StructType().add("first", kind.dataType).add(text.value, text.dataType))

        def eval(self, kind: Any, text: Any) -> Iterator[Any]:
            yield kind, f"{text} {self.names}"

    return F.udtf(Columns, useArrow=arrow)


@case
def table_function_with_analyze(spark: Any) -> Any:
    return analyzed(True)(F.lit(1.5), text=F.lit("second"))


@case
def pickled_table_function_with_analyze(spark: Any) -> Any:
    spark.udtf.register("columns_of", analyzed(False))
    return spark.sql("select * from columns_of(date'2020-01-02', 'b')")


@case
def table_function_whose_analyze_fails(spark: Any) -> Any:
    return analyzed(True)(F.lit(1))


def planned(**metadata: Any) -> Any:
    class Planned:
        def __init__(self) -> None:
            self.rows: list[Any] = []

        @staticmethod
        def analyze(rows: AnalyzeArgument) -> AnalyzeResult:
            return AnalyzeResult(StructType().add("n", IntegerType()).add("rows", "string"), **metadata)

        def eval(self, rows: Any) -> None:
            self.rows.append(rows.asDict())

        def terminate(self) -> Iterator[Any]:
            yield len(self.rows), str(self.rows)

    return F.udtf(Planned)


PLANS: dict[str, dict[str, Any]] = {
    "divides": {"partitionBy": [PartitioningColumn("id")], "orderBy": [OrderingColumn("v", False)]},
    "divides_by_an_expression": {"partitionBy": [PartitioningColumn("v > 4")], "orderBy": [OrderingColumn("v")]},
    "keeps_whole": {"withSinglePartition": True, "orderBy": [OrderingColumn("v", True, False)]},
    "selects": {
        "partitionBy": [PartitioningColumn("id")],
        "select": [SelectedColumn("v + 1", "w"), SelectedColumn("id")],
    },
    "contradicts_itself": {"withSinglePartition": True, "partitionBy": [PartitioningColumn("id")]},
    "only_orders": {"orderBy": [OrderingColumn("v")]},
}


def planned_call(metadata: dict[str, Any], suffix: str) -> Case:
    def make(spark: Any) -> Any:
        spark.udtf.register("planned", planned(**metadata))
        return spark.sql(f"select * from planned(table({TABLE}){suffix})")

    return make


for name, metadata in PLANS.items():
    CASES[f"analyze_{name}"] = planned_call(metadata, "")
CASES["analyze_against_the_call"] = planned_call(PLANS["divides"], " partition by v")
