"""How rows are fetched from the door: on, back, again after a lost reply, and what it tells of itself; no JVM."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

import twinspark.driver as driver
from twinspark.doors.thrift import Server, results
from twinspark.doors.thrift.results import HandleError, Rows
from twinspark.driver.result_types import decide
from twinspark.driver.row_sets import batches_of
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import HIVE_V10, SPARK_V9, OperationState, Orientation, ResultFormat

NEXT, PRIOR, FIRST = Orientation.NEXT, Orientation.PRIOR, Orientation.FIRST
LONG = "select count(*) from range(30000000000) where id % 7 = 3"


def rows_of(count: int, each: int = 10) -> Rows:
    """Numbers from 0 on, in batches of ten."""
    schema = pa.schema([("n", pa.int64())])
    batches = [pa.record_batch([pa.array(range(at, min(at + each, count)))], schema) for at in range(0, count, each)]
    return Rows(t.StructType([t.StructField("n", t.LongType())]), schema, iter(batches))


def numbers(rows: Rows, orientation: int, count: int, start: int | None = None) -> list[int]:
    taken = rows.take(orientation, count, 1 << 20, start)
    found = [number for batch in taken.batches for number in batch["n"].to_pylist()]
    assert not found or found[0] == taken.offset
    return found


def test_rows_go_on_back_and_to_the_first_as_at_spark() -> None:
    rows = rows_of(25)
    assert numbers(rows, NEXT, 7) == list(range(7))
    assert numbers(rows, NEXT, 7) == list(range(7, 14))
    assert numbers(rows, PRIOR, 7) == list(range(7))
    assert numbers(rows, PRIOR, 3) == [0, 1, 2]
    assert numbers(rows, NEXT, 100) == list(range(3, 25))
    assert numbers(rows, NEXT, 100) == []
    assert numbers(rows, FIRST, 2) == [0, 1]


def test_a_lost_reply_is_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large the result is: the last one is always there."""
    monkeypatch.setattr(results, "KEPT_BYTES", 100)
    rows = rows_of(100)
    assert numbers(rows, NEXT, 30, start=0) == list(range(30))
    assert numbers(rows, NEXT, 30, start=30) == list(range(30, 60))
    assert numbers(rows, NEXT, 30, start=30) == list(range(30, 60))
    assert numbers(rows, NEXT, 30, start=60) == list(range(60, 90))
    for start in (0, 95):
        with pytest.raises(HandleError, match=f"Row {start} of the result is out of reach"):
            rows.take(NEXT, 5, 1 << 20, start)
    assert numbers(rows, NEXT, 30) == list(range(90, 100))


def test_what_spark_does_not_offer_is_refused_in_its_words(native_door: Server) -> None:
    with driver.connect("127.0.0.1", native_door.port) as connection, connection.cursor() as cursor:
        cursor.execute("select 1")
        for orientation in (Orientation.RELATIVE, Orientation.ABSOLUTE, Orientation.LAST):
            with pytest.raises(driver.OperationalError) as refused:
                cursor.call_operation("FetchResults", orientation=orientation, maxRows=1, fetchType=0)
            words = f"The fetch type FETCH_{orientation.name} is not supported for this resultset"
            assert (str(refused.value), refused.value.sqlstate) == (words, "HY106")


@pytest.fixture
def connection(native_door: Server) -> Iterator[driver.Connection]:
    with driver.connect("127.0.0.1", native_door.port) as opened:
        yield opened


def test_information(connection: driver.Connection) -> None:
    """GetInfo as Spark's server answers it; the connection survives questions that break Spark's."""
    assert [connection.information(kind) for kind in (13, 17, 18)] == ["Spark SQL", "Spark SQL", "4.2.1"]
    keywords = connection.information(10006).split(",")
    assert keywords[:3] == ["ADD", "AFTER", "AGGREGATE"] and keywords == sorted(keywords) and len(keywords) > 400
    with pytest.raises(driver.Error, match="Unrecognized GetInfoType value: 86"):
        connection.information(86)
    assert connection.information(17) == "Spark SQL"


def test_information_may_be_had_while_opening(connection: driver.Connection) -> None:
    reply = connection.service.call(
        "OpenSession", {"client_protocol": HIVE_V10, "client_protocol_i64": SPARK_V9, "getInfos": [17, 18]}
    )
    assert reply["getInfos"] == [{"stringValue": "Spark SQL"}, {"stringValue": "4.2.1"}]
    connection.service.call("CloseSession", {"sessionHandle": reply["sessionHandle"]})


def test_progress_of_a_native_statement(native_door: Server) -> None:
    seen: list[float] = []

    def note(status: dict[str, Any]) -> None:
        seen.append(status["progressUpdateResponse"]["progressedPercentage"])
        if seen[-1] > 0 or len(seen) > 200:
            cursor.cancel()

    with driver.connect("127.0.0.1", native_door.port) as connection:
        cursor = connection.cursor(progress=note)
        with pytest.raises(driver.QueryCanceled):
            cursor.execute("select count(*) from range(6000000000) where id % 7 = 3")
    assert 0 < seen[-1] < 1


def test_a_timeout_is_the_servers_too(connection: driver.Connection) -> None:
    """A client that only asks for the state is told TIMEDOUT, and the statement has stopped."""
    request = {"sessionHandle": connection.handle, "statement": LONG, "runAsync": True, "queryTimeout": 1}
    operation = connection.service.call("ExecuteStatement", request)["operationHandle"]
    status: Message = {}
    for _ in range(10):
        status = connection.service.call("GetOperationStatus", {"operationHandle": operation})
        if status["operationState"] != OperationState.RUNNING:
            break
    assert (status["operationState"], status["sqlState"]) == (OperationState.TIMEDOUT, "HYT00")


@pytest.mark.parametrize("asked", [{"maxRows": 7}, {"maxBytes": 100}, {"maxRows": -1, "maxBytes": -1}, {}])
def test_a_fetch_gives_what_was_asked_for_and_says_whether_more_follow(
    asked: dict[str, int], connection: driver.Connection
) -> None:
    request = {
        "sessionHandle": connection.handle,
        "statement": "select id from range(5000)",
        "canReadArrowResult": True,
    }
    operation = connection.service.call("ExecuteStatement", request)["operationHandle"]
    types = decide(connection.service.call("GetResultSetMetadata", {"operationHandle": operation}), {}, lambda: "UTC")
    found: list[int] = []
    more = True
    while more:
        reply = connection.service.call("FetchResults", {"operationHandle": operation, "orientation": NEXT, **asked})
        assert reply["resultSetMetadata"]["resultFormat"] == ResultFormat.ARROW
        assert reply["results"]["startRowOffset"] == len(found)
        for batch in batches_of(reply["results"], types):
            assert batch.num_rows <= asked.get("maxRows", 5000) or asked.get("maxRows", 1) < 0
            found += batch["id"].to_pylist()
        more = reply["hasMoreRows"]
    assert found == list(range(5000))


def test_direct_results_that_are_closed_already(connection: driver.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Databricks' servers close an operation with its last rows; the driver then asks after it no more."""
    plain = connection.service.call

    def closing(method: str, request: Message) -> Message:
        reply = plain(method, request)
        if method == "ExecuteStatement":
            reply["directResults"]["closeOperation"] = {"status": {"statusCode": 0}}
            plain("CloseOperation", {"operationHandle": reply["operationHandle"]})
        return reply

    monkeypatch.setattr(connection.service, "call", closing)
    cursor = connection.cursor()
    assert cursor.execute("select id from range(3)").fetchall() == [(0,), (1,), (2,)]
    assert cursor.execute("select 7").fetchall() == [(7,)]
    cursor.close()
