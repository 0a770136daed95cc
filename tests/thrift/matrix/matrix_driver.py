"""The driver on Spark's own Thrift server, binary and HTTP: what Spark Connect gives for the same query."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from client_probe import LARGE, LONG, MANY, ODD_NAMES
from moments import DECIMALS, MOMENTS, NESTED_NULLS, ZONES
from test_driver_door import micros, same
from zoo import ALL, COLUMNS, zoo_query

import twinspark.driver as driver
from twinspark.doors.thrift import Server
from twinspark.wire.thrift.protocol import HIVE_V10, Orientation

pytestmark = pytest.mark.spark
Reference = Callable[..., pa.Table]
NEXT, PRIOR, FIRST = Orientation.NEXT, Orientation.PRIOR, Orientation.FIRST


@pytest.fixture
def connection(spark_server: tuple[str, int]) -> Iterator[driver.Connection]:
    transport, port = spark_server
    with driver.connect("127.0.0.1", port, transport=transport) as opened:
        yield opened


@pytest.mark.parametrize("zoo", [COLUMNS, ALL], ids=["native", "all"])
def test_every_type(zoo: dict[str, list[str]], connection: driver.Connection, reference: Reference) -> None:
    cursor = connection.cursor()
    same(cursor.execute(zoo_query(zoo)).fetch_arrow_table(), reference(zoo_query(zoo)), text=True)
    empty = f"select * from ({zoo_query(zoo)}) where i32 = 7"
    same(cursor.execute(empty).fetch_arrow_table(), reference(empty), text=True)


def test_many_rows_and_a_large_result(connection: driver.Connection, reference: Reference) -> None:
    cursor = connection.cursor()
    same(cursor.execute(MANY).fetch_arrow_table(), reference(MANY))
    assert sum(batch.nbytes for batch in cursor.execute(LARGE).fetch_record_batch()) >= 120_000_000


def test_odd_names(connection: driver.Connection) -> None:
    schema = connection.cursor().execute(ODD_NAMES).schema
    assert schema.names == ["odd name ö", "a.b", "1x", "select"]


@pytest.mark.parametrize("query", [DECIMALS, NESTED_NULLS], ids=["decimals", "nested nulls"])
def test_extremes(query: str, connection: driver.Connection, reference: Reference) -> None:
    same(connection.cursor().execute(query).fetch_arrow_table(), reference(query), text=True)


@pytest.mark.filterwarnings("ignore::twinspark.driver.AmbiguousTimestampWarning")
@pytest.mark.parametrize("zone", ZONES)
def test_zones(zone: str, connection: driver.Connection, reference: Reference) -> None:
    """Text has no offset: of an hour that happened twice the earlier moment is given, all others are exact."""
    connection.cursor().execute(f"set time zone '{zone}'")
    found = connection.cursor().execute(MOMENTS).fetch_arrow_table()
    expected = reference(MOMENTS, zone)
    assert found.schema.field("t").type == expected.schema.field("t").type
    apart = [later - earlier for earlier, later in zip(micros(found), micros(expected), strict=True)]
    assert set(apart) <= {0, 1800 * 10**6, 3600 * 10**6} and apart.count(0) >= len(apart) - 2


def test_errors_and_cancel(connection: driver.Connection) -> None:
    cursor = connection.cursor()
    with pytest.raises(driver.DataError, match="DIVIDE_BY_ZERO") as error:
        cursor.execute("select 1/0")
    assert error.value.sqlstate == "22012"
    with pytest.raises(driver.ProgrammingError, match="PARSE_SYNTAX_ERROR"):
        cursor.execute("selec 1")
    began = time.monotonic()
    threading.Timer(2, cursor.cancel).start()
    with pytest.raises(driver.QueryCanceled):
        cursor.execute(LONG)
    assert time.monotonic() - began < 60
    assert cursor.execute("select 2").fetchall() == [(2,)]


def test_listings_are_those_of_spark(door: Server, spark_server: Any) -> None:
    """Columns of all nine, and the rows that do not depend on what else a catalog holds."""
    transport, port = spark_server
    both = [driver.connect("127.0.0.1", place, transport=transport, protocol=9) for place in (port, door.port)]
    for method in ("GetTypeInfo", "GetCatalogs", "GetTableTypes"):
        theirs, ours = [sorted(connection.cursor().list_metadata(method).fetchall(), key=repr) for connection in both]
        assert ours == theirs, method
    view = "create or replace temp view listed as select 1 a, 'x' b, array(1) c, named_struct('p', 1, 'q', 2.5BD) d"
    for connection in both:
        connection.cursor().execute(view)
    for method in ("GetColumns", "GetTables"):
        cursors = [connection.cursor().list_metadata(method, tableName="listed") for connection in both]
        assert cursors[0].description == cursors[1].description
        assert cursors[0].fetchall() == cursors[1].fetchall(), method
    for connection in both:
        connection.close()


def test_information_is_that_of_spark(connection: driver.Connection, door: Server) -> None:
    """Name, version and keywords: at other questions Spark's server hangs up."""
    with driver.connect("127.0.0.1", door.port) as ours:
        for kind in (13, 17, 18, 10006):
            assert ours.information(kind) == connection.information(kind), kind


def test_rows_are_fetched_forwards_and_back_as_from_spark(connection: driver.Connection, door: Server) -> None:
    with driver.connect("127.0.0.1", door.port, protocol=HIVE_V10) as ours:
        assert fetched(ours) == fetched(connection)


def fetched(connection: driver.Connection) -> list[Any]:
    steps = [(NEXT, 3), (NEXT, 3), (PRIOR, 3), (NEXT, 4), (PRIOR, 2), (FIRST, 1), (NEXT, 100), (NEXT, 5), (PRIOR, 4)]
    cursor = connection.cursor().execute("select id from range(10)")
    return [
        numbers(cursor.call_operation("FetchResults", orientation=step, maxRows=rows, fetchType=0))
        for step, rows in steps
    ]


def numbers(reply: dict[str, Any]) -> tuple[int, list[int]]:
    (column,) = reply["results"]["columns"]
    return reply["results"]["startRowOffset"], column["i64Val"].to_pylist()
