"""Where users and operators see the code of a reason: the last operation, the error, the counters, the log, explain."""

import json
import logging
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from waiting import until

from twinspark.cli.explain import lines
from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import reasons
from twinspark.sessions.settings import Settings

PLANNED = "select from_csv('1', 'a int', map('locale', 'de'))"  # known when the plan is read
RUNNING = "select max(x) from values (0.0d), (-0.0d) t(x)"  # known when the rows are
DETAIL = "from_csv with locale = 'de'"


@pytest.fixture(scope="module")
def server() -> Iterator[ConnectServer]:
    made = ConnectServer(Settings(engine="duckdb", metrics_port=0))
    yield made
    made.stop()


@pytest.fixture
def session(server: ConnectServer) -> Iterator[Any]:
    made = SparkSession.builder.remote(server.url).create()
    yield made
    made.stop()


def last(session: Any) -> dict[str, Any]:
    return dict(json.loads(session.conf.get("twinspark.lastOperation")))


def rejected(session: Any, query: str) -> PySparkException:
    with pytest.raises(PySparkException) as raised:
        session.sql(query).collect()
    return raised.value


def test_the_last_operation(session: Any) -> None:
    session.range(1).collect()
    assert last(session)["code"] == "NATIVE"
    rejected(session, PLANNED)
    reason = reasons.FUNCTION_OPTION
    expected = {"engine": "none", "code": reason.code, "instead": reason.instead, "outcome": "REFUSED"}
    assert expected.items() <= last(session).items()
    assert last(session)["reason"] == f"{reason.sentence[:-1]}: {DETAIL}."


def test_the_last_operation_that_failed_on_its_rows(session: Any) -> None:
    rejected(session, RUNNING)
    assert (last(session)["engine"], last(session)["code"]) == ("none", "SIGNED_ZEROS")


def test_the_error(session: Any) -> None:
    error, reason = rejected(session, PLANNED), reasons.FUNCTION_OPTION
    text = f"{reason.sentence[:-1]}: {DETAIL}."
    assert error.getCondition() == "TWINSPARK_NOT_NATIVE"
    assert error.getMessageParameters() == {"code": reason.code, "reason": text, "instead": reason.instead}
    assert f"[{reason.code}] {text} Instead: {reason.instead}" in str(error)


def test_the_counters(server: ConnectServer, session: Any) -> None:
    rejected(session, PLANNED)
    page = urllib.request.urlopen(f"http://127.0.0.1:{server.metrics.server_port}/metrics").read().decode()
    assert 'twinspark_operations_total{engine="none",reason="FUNCTION_OPTION"}' in page


def test_the_log(session: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "twinspark"):
        rejected(session, PLANNED)
        until(lambda: f"on none: [FUNCTION_OPTION] {reasons.FUNCTION_OPTION.sentence[:-1]}: {DETAIL}." in caplog.text)


def test_explain() -> None:
    shown = "\n".join(lines(Settings(engine="duckdb"), PLANNED))
    assert f": [FUNCTION_OPTION] {reasons.FUNCTION_OPTION.sentence[:-1]}: {DETAIL}." in shown
