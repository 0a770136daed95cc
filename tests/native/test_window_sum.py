"""Sums of doubles in windows: the very double that adding row after row gives, as Spark adds them."""

import random
from collections.abc import Sequence

import duckdb
import pyarrow as pa
import pytest

from twinspark.duck import native

ROWS = 700
FRAMES = {
    "ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW": lambda i: range(i + 1),
    "PARTITION BY g ORDER BY i": lambda i: range(i % 3, i + 1, 3),
    "ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING": lambda i: range(i, ROWS),
    "ORDER BY i ROWS BETWEEN 50 PRECEDING AND 20 FOLLOWING": lambda i: range(max(0, i - 50), min(ROWS, i + 21)),
    "ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING": lambda i: range(ROWS),
}


def values() -> list[float | None]:
    rng = random.Random(3)
    return [None if rng.random() < 0.1 else rng.uniform(-1, 1) * 10.0 ** rng.randrange(-3, 6) for _ in range(ROWS)]


def added(numbers: Sequence[float | None]) -> float | None:
    present = [number for number in numbers if number is not None]
    total = 0.0
    for number in present:
        total += number
    return total if present else None


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("frame", FRAMES)
def test_frames_are_added_row_after_row(frame: str, threads: int) -> None:
    connection = duckdb.connect(config=native.CONFIG)
    assert native.load(connection)
    connection.execute(f"SET threads = {threads}")
    numbers = values()
    rows = pa.table({"i": range(ROWS), "g": [i % 3 for i in range(ROWS)], "v": pa.array(numbers, pa.float64())})
    connection.register("rows", rows)
    sql = f"SELECT spark_window_sum(v, spark_operation()) OVER ({frame}) FROM rows ORDER BY i"
    found = [row[0] for row in connection.execute(sql).fetchall()]
    assert found == [added([numbers[k] for k in FRAMES[frame](i)]) for i in range(ROWS)]
