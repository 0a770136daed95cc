"""Maps see Spark's partitions: the function is called once for each, also for empty ones."""

from collections.abc import Callable
from typing import Any

from function_cases import CASES


def sizes(frame: Any) -> Any:
    """One row for each iterator: how many rows it had."""

    def size(batches: Any) -> Any:
        import pandas as pd

        yield pd.DataFrame({"n": [sum(len(batch) for batch in batches)]})

    return frame.mapInPandas(size, "n long")


def arrow_sizes(frame: Any) -> Any:
    def size(batches: Any) -> Any:
        import pyarrow as pa

        yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

    return frame.mapInArrow(size, "n long")


def firsts(frame: Any) -> Any:
    """The first row of each partition; the others stay unread."""

    def first(batches: Any) -> Any:
        yield next(batches).head(1)

    return frame.mapInPandas(first, frame.schema)


def numbers(frame: Any) -> Any:
    """The partition that the task context names, for each iterator; sinks name their files so."""

    def number(batches: Any) -> Any:
        import pandas as pd
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        yield pd.DataFrame({"partition": [context.partitionId()], "n": [sum(len(batch) for batch in batches)]})

    return frame.mapInPandas(number, "partition int, n long")


FRAMES: dict[str, Callable[[Any], Any]] = {
    "range": lambda spark: spark.range(0, 12, 1, 4),
    "range_with_empty_partitions": lambda spark: spark.range(0, 3, 1, 7),
    "range_filtered": lambda spark: spark.range(0, 12, 1, 4).where("id > 8"),
    "range_projected": lambda spark: spark.range(0, 12, 1, 5).selectExpr("id * 2 AS id"),
    "range_in_one": lambda spark: spark.range(0, 12, 1, 1),
    "coalesced": lambda spark: spark.range(0, 12, 1, 4).coalesce(2),
    "coalesced_to_more": lambda spark: spark.range(0, 12, 1, 4).coalesce(10),
    "repartitioned_by_key": lambda spark: spark.range(0, 10, 1, 2).repartition(3, "id"),
    "repartitioned_in_one": lambda spark: spark.range(0, 10, 1, 2).repartition(1),
    "sql_range": lambda spark: spark.sql("SELECT * FROM range(0, 12, 1, 4)"),
}


def case_of(function: Callable[[Any], Any], frame: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda spark: function(frame(spark))


for name, frame in FRAMES.items():
    CASES[f"partitions_{name}"] = case_of(sizes, frame)
    CASES[f"partitions_{name}_in_arrow"] = case_of(arrow_sizes, frame)
CASES["partitions_left_unread"] = case_of(firsts, FRAMES["range"])
CASES["partitions_numbered"] = case_of(numbers, FRAMES["range"])
CASES["partitions_numbered_with_empty_ones"] = case_of(numbers, FRAMES["range_with_empty_partitions"])
