"""Groups are cut into chunks of many; one that is too large to hold is read by the run that it is given to."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from twinspark.workers import group_batches as module
from twinspark.workers.group_batches import chunks
from twinspark.workers.input_rows import groups


def batches(keys: list[int], size: int = 2) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(keys), size):
        yield pa.RecordBatch.from_pydict({"k": keys[start : start + size]})


def read(found: Any) -> list[list[tuple[int, int]]]:
    """Of each chunk the keys of its groups and how many rows they have, read before the next chunk is."""
    return [[(key[0], sum(b.num_rows for b in rows)) for key, rows in chunk.groups] for chunk in found]


def test_chunks_have_many_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GROUPS", 2)
    assert read(chunks(groups(batches([1, 1, 2, 3, 3, 3]), [0]))) == [[(1, 2), (2, 1)], [(3, 3)]]


def test_chunks_have_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    assert read(chunks(groups(batches([1, 1, 2, 3, 3, 3]), [0]))) == [[(1, 2), (2, 1)], [(3, 3)]]


def test_a_huge_group_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HUGE", 3)
    found = chunks(groups(batches([1, *[2] * 9, 3]), [0]))
    first = next(found)
    assert first.is_open
    assert read([first]) == [[(1, 1), (2, 9)]]
    assert read(found) == [[(3, 1)]]


def test_no_rows_make_no_chunk() -> None:
    assert read(chunks(groups(batches([]), [0]))) == []
