"""A change that other writers overtake is made again; when they always do, Iceberg's own words say so."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from table_helpers import rows, run

from twinspark.doors.connect.server import ConnectServer
from twinspark.tables.iceberg.staged_write import StagedWrite


def overtaken(times: int, other: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client's write is committed right before each of the next commits."""
    commit, left = StagedWrite.commit, [times]

    def late(write: StagedWrite) -> None:
        if left[0] > 0 and write.deleted:
            left[0] -= 1
            other()
        commit(write)

    monkeypatch.setattr(StagedWrite, "commit", late)


@pytest.fixture
def appends(tables: Any, tables_server: ConnectServer) -> Callable[[], None]:
    run(tables, "CREATE TABLE t AS SELECT id FROM range(3)")
    other = SparkSession.builder.remote(tables_server.url).create()
    return lambda: run(other, "INSERT INTO mine.t VALUES (1)")


def test_made_again(tables: Any, appends: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    overtaken(2, appends, monkeypatch)
    run(tables, "UPDATE t SET id = 10 WHERE id = 1")
    assert rows(tables, "SELECT id FROM t") == [(0,), (10,), (10,), (10,), (2,)]


def test_given_up(tables: Any, appends: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    overtaken(100, appends, monkeypatch)
    with pytest.raises(PySparkException, match=r"iceberg\.exceptions\.ValidationException") as failure:
        run(tables, "DELETE FROM t WHERE id = 1")
    assert failure.value.getCondition() is None
    assert rows(tables, "SELECT DISTINCT id FROM t") == [(0,), (1,), (2,)]
