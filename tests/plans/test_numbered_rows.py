"""Rows whose tasks and places are known beforehand are numbered without a window, as a window would number them."""

import pyarrow as pa
import pytest

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scan_tasks import placed
from twinspark.duck import run
from twinspark.duck.numbered_rows import with_places
from twinspark.plan.relations import Field, Filter, Range, Relation
from twinspark.types import LONG


def test_local_rows_are_sliced_evenly() -> None:
    """ParallelCollectionRDD.slice: slice k of n rows begins at k * n / slices."""
    table = with_places(pa.table({"a": ["a", "b", "c", "d", "e"]}), 2)
    assert table["task"].to_pylist() == [0, 0, 1, 1, 1]
    assert table["place"].to_pylist() == [0, 1, 2, 3, 4]
    assert with_places(pa.table({"a": [1, 2]}), 4)["task"].to_pylist() == [0, 1]
    assert with_places(pa.table({"a": [1, 2]}), 0)["task"].to_pylist() == [0, 0]
    assert with_places(pa.table({"a": pa.array([], pa.int64())}), 2).num_rows == 0


@pytest.mark.parametrize(("start", "end", "step"), [(0, 10, 1), (5, -4, -2), (-7, 8, 3), (3, 3, 1), (0, 2, 1)])
@pytest.mark.parametrize("slices", [0, 2, 4])
def test_a_range_tells_its_places(start: int, end: int, step: int, slices: int) -> None:
    known = placed(Range(start=start, end=end, step=step, fields=IDS), slices)
    counted = placed(hidden(Range(start=start, end=end, step=step, fields=IDS)), slices)
    assert "OVER" not in run.sql_of(known)[0]
    assert "OVER" in run.sql_of(counted)[0]
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
    table = run.stream(run.connect().cursor(), relation, Context().settings).read_all()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
