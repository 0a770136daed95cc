"""The history of operations that ran on a real Spark: its rows, its plan with metrics, its errors."""

from typing import Any

import pytest
from pyspark.errors import ArithmeticException

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.history.record import Details, OperationRecord
from twinspark.sessions.history.store import Filter

pytestmark = pytest.mark.spark


def newest(server: ConnectServer, session_id: str) -> tuple[OperationRecord, Details]:
    history = server.shared.watched.history
    (record,) = history.page(Filter(session=session_id, engine="spark"), 0, 1)
    found = history.find(record.operation_id, Filter())
    assert found is not None
    return found


@pytest.fixture
def on_spark(spark: Any) -> Any:
    spark.conf.set("twinspark.engine", "spark")
    return spark


def test_rows_and_metrics_of_every_operator(auto_server: ConnectServer, on_spark: Any) -> None:
    on_spark.range(0, 1000, 1, 2).selectExpr("id % 7 AS k").groupBy("k").count().collect()
    record, details = newest(auto_server, on_spark.session_id)
    assert (record.state, record.code, record.rows) == ("SUCCEEDED", "ENGINE_SETTING", 7)
    assert record.bytes > 100 and record.seconds > 0
    assert details.origin == "spark" and {each.engine for each in details.nodes} == {"spark"}
    names = [each.name for each in details.nodes]
    assert any("HashAggregate" in name for name in names) and any("Range" in name for name in names)
    assert 1000 in [each.rows for each in details.nodes] and 7 in [each.rows for each in details.nodes]
    assert any(each.seconds is not None for each in details.nodes)
    assert [each.number for each in details.nodes if each.parent == -1] == [0]


def test_rows_of_large_batches_are_counted(auto_server: ConnectServer, on_spark: Any) -> None:
    assert len(on_spark.range(50_000).collect()) == 50_000
    record, _ = newest(auto_server, on_spark.session_id)
    assert record.rows == 50_000 and record.bytes > 50_000


def test_errors_of_spark(auto_server: ConnectServer, on_spark: Any) -> None:
    with pytest.raises(ArithmeticException):
        on_spark.sql("SELECT 1 / id FROM range(1)").collect()
    record, _ = newest(auto_server, on_spark.session_id)
    assert (record.state, record.condition) == ("FAILED", "DIVIDE_BY_ZERO")
    assert "by zero" in record.error


def test_a_reason_for_falling_back(auto_server: ConnectServer, spark: Any) -> None:
    spark.sql("SELECT from_csv('1', 'a int', map('locale', 'de'))").collect()
    record, details = newest(auto_server, spark.session_id)
    assert (record.engine, record.code) == ("spark", "FUNCTION_OPTION") and details.instead
    tables = spark.sql("SELECT code, engine FROM system.runtime.operations WHERE engine = 'spark'").collect()
    assert ("FUNCTION_OPTION", "spark") in [tuple(row) for row in tables]
