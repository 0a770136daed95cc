"""What the Thrift server is tested with besides types: extremes, time zones, odd names, empty and failing results."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from tests.thrift.matrix.client_probe import MANY, ODD_NAMES
from tests.thrift.moments import DECIMALS, MOMENTS, NESTED_NULLS, ZONES
from tests.thrift.zoo import whole_query
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.thrift import ConnectBackend

Reference = Callable[..., pa.Table]
EMPTY = f"select * from ({whole_query()}) where i32 = 0"


@pytest.fixture(scope="module")
def sent(native_server: ConnectServer) -> Iterator[Reference]:
    """The record batches that Spark Connect sends for the same query, in this time zone."""
    opened = []

    def ask(sql: str, zone: str = "UTC") -> pa.Table:
        opened.append(ConnectBackend(native_server.url).open("reference", {"spark.sql.session.timeZone": zone}))
        return pa.Table.from_batches(opened[-1].execute(opened[-1].prepare(), sql).batches)

    yield ask
    for each in opened:
        each.close()


def fetch(cursor: Any, sql: str) -> pa.Table:
    cursor.execute(sql)
    return cursor.fetch_arrow_table()


@pytest.mark.parametrize("query", [DECIMALS, NESTED_NULLS, MANY], ids=["decimals", "nested nulls", "many rows"])
def test_extremes(query: str, cursor: Any, sent: Reference) -> None:
    found, expected = fetch(cursor, query), sent(query)
    assert found.schema.equals(expected.schema) and found.equals(expected)


def test_an_empty_result_keeps_its_schema(cursor: Any, sent: Reference) -> None:
    found = fetch(cursor, EMPTY)
    assert found.num_rows == 0
    assert found.schema.equals(sent(EMPTY).schema)


@pytest.mark.parametrize("zone", ZONES)
def test_zones(zone: str, cursor: Any, sent: Reference) -> None:
    fetch(cursor, f"set time zone '{zone}'")
    found, expected = fetch(cursor, MOMENTS), sent(MOMENTS, zone)
    assert found.schema.field("t").type == pa.timestamp("us", zone)
    assert found.equals(expected)


def test_odd_names(cursor: Any) -> None:
    assert fetch(cursor, ODD_NAMES).schema.names == ["odd name ö", "a.b", "1x", "select"]


def test_an_error_after_the_first_rows_arrives(cursor: Any) -> None:
    """The stream has begun when row 400,000 fails; the rest is an error, not an end."""
    with pytest.raises(Exception, match="late"):
        fetch(cursor, "select id, if(id = 400000, raise_error('late'), 1) e from range(500000)")
