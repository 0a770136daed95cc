"""Spark's own answers to the statements of statements.sql, given again by the embedded engine, for each provider."""

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession
from statements import DATABASE, RECORDED, all_answers, statements

from twinspark.doors.connect.server import ConnectServer

EXPECTED: list[dict[str, Any]] = json.loads(RECORDED.read_text())
# Where a provider's tables are more than Spark's own, or less: what they say instead.
REFUSED = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
OTHERWISE = {
    "iceberg": {  # as Spark says it of such catalogs
        "ALTER TABLE t8 ADD COLUMN a INT": "FIELD_ALREADY_EXISTS",
        "INSERT INTO t14 PARTITION (nosuch = 7) VALUES (8)": "NON_PARTITION_COLUMN",
    },
    "parquet": {},
    "delta": {
        "INSERT OVERWRITE t6 PARTITION (k = 7) VALUES (200)": REFUSED,
        "ALTER TABLE t8 ALTER COLUMN b COMMENT 'texts'": REFUSED,
        "INSERT INTO t14 PARTITION (nosuch = 7) VALUES (8)": "NON_PARTITION_COLUMN",
    },
}
# What follows from these: rows that were not overwritten, a comment that delta-rs does not keep.
CONSEQUENCES = {"delta": {"SELECT id, k FROM t6 WHERE k > 1", "SELECT a, b, c, d FROM t8"}}


@pytest.fixture(scope="module", params=list(OTHERWISE))
def answered(request: pytest.FixtureRequest, tables_server: ConnectServer) -> tuple[str, list[dict[str, Any]]]:
    session = SparkSession.builder.remote(tables_server.url).create()
    session.conf.set("twinspark.tables.provider", request.param)
    found: list[dict[str, Any]] = json.loads(json.dumps(all_answers(session)))
    session.sql(f"DROP DATABASE {DATABASE} CASCADE").collect()
    session.stop()
    return request.param, found


def test_the_record_is_of_these_statements() -> None:
    assert [each["statement"] for each in EXPECTED] == statements()


@pytest.mark.parametrize("at", range(len(EXPECTED)), ids=[each["statement"] for each in EXPECTED])
def test_as_spark(at: int, answered: tuple[str, list[dict[str, Any]]]) -> None:
    provider, answers = answered
    statement = EXPECTED[at]["statement"]
    if statement in OTHERWISE[provider]:
        assert answers[at]["condition"] == OTHERWISE[provider][statement]
    elif statement in CONSEQUENCES.get(provider, ()):
        assert "condition" not in answers[at]
    else:
        assert answers[at] == EXPECTED[at]
