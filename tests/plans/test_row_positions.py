"""Rows whose tasks and places are known beforehand are numbered without a window, as a window would number them."""

import pyarrow as pa
import pytest

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.scan_tasks import with_positions_in_task
from twinspark.compile.pipeline import compile_rows
from twinspark.compile.query import stream_rows
from twinspark.duck import run
from twinspark.duck.row_positions import add_positions
from twinspark.plan.relations import Field, Filter, Range, Relation
from twinspark.types import LONG


def test_local_rows_are_sliced_evenly() -> None:
    """ParallelCollectionRDD.slice: slice k of n rows begins at k * n / slices."""
    table = add_positions(pa.table({"a": ["a", "b", "c", "d", "e"]}), 2)
    assert table["task"].to_pylist() == [0, 0, 1, 1, 1]
    assert table["place"].to_pylist() == [0, 1, 2, 3, 4]
    assert add_positions(pa.table({"a": [1, 2]}), 4)["task"].to_pylist() == [0, 1]
    assert add_positions(pa.table({"a": [1, 2]}), 0)["task"].to_pylist() == [0, 0]
    assert add_positions(pa.table({"a": pa.array([], pa.int64())}), 2).num_rows == 0


@pytest.mark.parametrize(("start", "end", "step"), [(0, 10, 1), (5, -4, -2), (-7, 8, 3), (3, 3, 1), (0, 2, 1)])
@pytest.mark.parametrize("slices", [0, 2, 4])
def test_a_range_tells_its_places(start: int, end: int, step: int, slices: int) -> None:
    known = with_positions_in_task(Range(start=start, end=end, step=step, fields=IDS), slices)
    counted = with_positions_in_task(hidden(Range(start=start, end=end, step=step, fields=IDS)), slices)
    assert "OVER" not in compile_rows(known, Context()).text
    assert "OVER" in compile_rows(counted, Context()).text
    numbers = range(start, end, step)
    assert rows(known) == [(n, task_of(place, slices, len(numbers)), place) for place, n in enumerate(numbers)]
    assert [place for _, _, place in rows(counted)] == list(range(len(numbers)))


IDS = (Field("id", LONG, False),)


def hidden(relation: Relation) -> Relation:
    """Below a filter, which might leave out rows."""
    return Filter(input=relation, condition=build.literal(True), fields=relation.fields)


def task_of(place: int, slices: int, count: int) -> int:
    return ((place + 1) * slices - 1) // count if slices else 0


def rows(relation: Relation) -> list[tuple[int, int, int]]:
    table = stream_rows(relation, Context(), run.connect().cursor()).read_all()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
