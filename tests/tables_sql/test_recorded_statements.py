"""Spark's own answers to the statements of statements.sql, given again by the embedded engine."""

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession
from statements import RECORDED, all_answers, statements

from twinspark.doors.connect.server import ConnectServer

EXPECTED: list[dict[str, Any]] = json.loads(RECORDED.read_text())
# Where our tables are more than Spark's own, or others than them: what they say instead.
OTHERWISE = {"ALTER TABLE t8 ADD COLUMN a INT": "FIELD_ALREADY_EXISTS"}  # as Spark says it of tables like Iceberg's


@pytest.fixture(scope="module")
def answers(tables_server: ConnectServer) -> list[dict[str, Any]]:
    session = SparkSession.builder.remote(tables_server.url).create()
    found: list[dict[str, Any]] = json.loads(json.dumps(all_answers(session)))
    session.stop()
    return found


def test_the_record_is_of_these_statements() -> None:
    assert [each["statement"] for each in EXPECTED] == statements()


@pytest.mark.parametrize("at", range(len(EXPECTED)), ids=[each["statement"] for each in EXPECTED])
def test_as_spark(at: int, answers: list[dict[str, Any]]) -> None:
    statement = EXPECTED[at]["statement"]
    if statement in OTHERWISE:
        assert answers[at]["condition"] == OTHERWISE[statement]
    else:
        assert answers[at] == EXPECTED[at]
