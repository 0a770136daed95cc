"""Windows over rows that were sorted below them, of files that are not small: recorded from Spark 4.2.1 at local[2]."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 60_000


@pytest.fixture
def sorted_below(spark: Any, tmp_path: Path) -> Any:
    ids = range(ROWS)
    columns = {"id": ids, "k": [each % 3 for each in ids], "v": [each * 7919 % ROWS for each in ids]}
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()}), file)
    assert file.stat().st_size > 256 * 1024
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    spark.conf.set("twinspark.engine", "duckdb")
    return spark


def rows(spark: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in spark.sql(query).collect()]


SORTED = "(SELECT * FROM t WHERE id < 7 ORDER BY v DESC)"


def test_a_window_without_an_order_follows_the_sort(sorted_below: Any) -> None:
    windows = "collect_list(id) OVER (PARTITION BY k), last(v) OVER (PARTITION BY k)"
    found = rows(sorted_below, f"SELECT k, v, {windows} FROM {SORTED}")
    assert found == [
        (0, 47514, [6, 3, 0], 0),
        (0, 23757, [6, 3, 0], 0),
        (0, 0, [6, 3, 0], 0),
        (1, 31676, [4, 1], 7919),
        (1, 7919, [4, 1], 7919),
        (2, 39595, [5, 2], 15838),
        (2, 15838, [5, 2], 15838),
    ]


def test_rows_that_are_equal_to_a_window_follow_the_sort(sorted_below: Any) -> None:
    found = rows(sorted_below, f"SELECT id, row_number() OVER (ORDER BY k) AS n FROM {SORTED} s WHERE v > 0")
    assert found == [(6, 1), (3, 2), (4, 3), (1, 4), (5, 5), (2, 6)]
