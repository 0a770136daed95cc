"""Spark's own answers to the statements of statements/*.sql, given again by the embedded engine, for each provider."""

import json
from typing import Any

import pytest
from other_reader import check_warehouse
from pyspark.sql import SparkSession
from statements import DATABASE, TOPICS, all_answers, recorded, statements

from twinspark.doors.connect.server import ConnectServer

EXPECTED: dict[str, list[dict[str, Any]]] = {topic: json.loads(recorded(topic).read_text()) for topic in TOPICS}
CASES = [(topic, at) for topic, answers in EXPECTED.items() for at in range(len(answers))]
# Where a provider's tables are more than Spark's own, or less: what they say instead.
REFUSED = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
OTHERWISE: dict[str, dict[str, str | None]] = {
    "iceberg": {  # as Spark says it of such catalogs
        "ALTER TABLE t8 ADD COLUMN a INT": "FIELD_ALREADY_EXISTS",
        "INSERT INTO t14 PARTITION (nosuch = 7) VALUES (8)": "NON_PARTITION_COLUMN",
        "alter table cd alter column v type varchar(10)": None,
        "alter table cd alter column c type string": None,
    },
    "parquet": {},
    "orc": {},
    "delta": {
        "ALTER TABLE t8 ALTER COLUMN b COMMENT 'texts'": REFUSED,
        "alter table cd alter column v type varchar(10)": REFUSED,
        "alter table cd alter column c type char(9)": REFUSED,
        "alter table cd alter column c type string": REFUSED,
        "INSERT INTO t14 PARTITION (nosuch = 7) VALUES (8)": "NON_PARTITION_COLUMN",
    },
}
# What follows from these: a comment that delta-rs does not keep, a type that changed;
# and DESCRIBE of catalogs like Iceberg's tells of defaults only when EXTENDED.
CONSEQUENCES = {
    "iceberg": {"describe cd", "describe table cd"},
    "delta": {"SELECT a, b, c, d FROM t8", "describe cd", "describe table cd"},
}
# Times before 1582 and after 2262 are Spark's to write to ORC: the table that holds them.
LEFT_TO_SPARK = {"orc": ("t15",)}


@pytest.fixture(scope="module", params=list(OTHERWISE))
def answered(request: pytest.FixtureRequest, tables_server: ConnectServer) -> tuple[str, dict[str, Any]]:
    session = SparkSession.builder.remote(tables_server.url).create()
    session.conf.set("twinspark.tables.provider", request.param)
    found: dict[str, Any] = {}
    for topic in TOPICS:
        found[topic] = all_answers(session, topic)
        check_warehouse(tables_server, DATABASE)
    session.sql(f"DROP DATABASE {DATABASE} CASCADE").collect()
    session.stop()
    return request.param, found


@pytest.mark.parametrize("topic", TOPICS)
def test_the_record_is_of_these_statements(topic: str) -> None:
    assert [each["statement"] for each in EXPECTED[topic]] == statements(topic)


@pytest.mark.parametrize(("topic", "at"), CASES, ids=[EXPECTED[topic][at]["statement"] for topic, at in CASES])
def test_as_spark(topic: str, at: int, answered: tuple[str, dict[str, Any]]) -> None:
    provider, answers = answered
    expected, found = EXPECTED[topic][at], answers[topic][at]
    statement = expected["statement"]
    if any(name in statement for name in LEFT_TO_SPARK.get(provider, ())):
        assert found == expected or found["condition"] in ("TWINSPARK_NOT_NATIVE", "TABLE_OR_VIEW_NOT_FOUND")
    elif statement in OTHERWISE[provider]:
        assert found.get("condition") == OTHERWISE[provider][statement]
    elif statement in CONSEQUENCES.get(provider, ()):
        assert "condition" not in found
    else:
        assert found == expected
