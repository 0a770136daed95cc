"""SQL on the embedded engine: schemas, rows, errors and their places in the text, as Spark gave them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sql_answers import HERE, Answer, native, queries, recorded, topics

from twinspark.errors import NotNative

GAPS = (HERE / "gaps.txt").read_text().splitlines()
CASES = [answer for topic in topics() for answer in recorded(topic)]


@pytest.mark.parametrize("answer", CASES, ids=[answer.sql for answer in CASES])
def test_as_spark(answer: Answer) -> None:
    try:
        ours = native(answer.sql)
    except NotNative as why:
        assert answer.sql in GAPS, f"no longer native: {why}"
        return
    assert answer.sql not in GAPS, "native now: take it off gaps.txt"
    assert comparable(ours) == comparable(answer)


def comparable(answer: Answer) -> Answer:
    """Without ORDER BY rows come in any order."""
    rows = answer.rows if answer.rows is None or answer.is_sorted else sorted(answer.rows)
    return replace(answer, rows=rows)


@pytest.mark.parametrize("topic", topics())
def test_every_query_is_recorded(topic: str) -> None:
    assert [answer.sql for answer in recorded(topic)] == queries(topic)


@pytest.mark.parametrize("answer", recorded("eliminated_sorts"), ids=lambda answer: answer.sql)
def test_rows_come_in_sparks_order(answer: Answer) -> None:
    """Spark removes sorts below joins, aggregates and other sorts: its rows come as if they were never there."""
    assert native(answer.sql).rows == answer.rows
