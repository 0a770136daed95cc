"""Every type that the Thrift server is tested with, through ADBC's Flight SQL driver, as Spark Connect sends it."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tests.thrift.zoo import ALL, COLUMNS, whole_query, zoo_query
from twinspark.doors.flight import FlightServer

pytestmark = pytest.mark.spark


def fetch(cursor: Any, sql: str) -> pa.Table:
    cursor.execute(sql)
    return cursor.fetch_arrow_table()


@pytest.mark.parametrize("name", list(ALL))
def test_a_type_is_what_spark_connect_sends(
    name: str, door: FlightServer, connect: Callable[..., Any], reference: Callable[[str], pa.Table]
) -> None:
    sql = zoo_query({name: ALL[name]})
    with connect(door.url).cursor() as cursor:
        found = fetch(cursor, sql)
    expected = reference(sql)
    assert found.schema.equals(expected.schema)
    assert repr(found.to_pylist()) == repr(expected.to_pylist())  # NaN equals itself as text


@pytest.mark.parametrize("engine", ["auto", "spark"])
def test_both_engines_send_the_same(
    engine: str, door: FlightServer, connect: Callable[..., Any], reference: Callable[[str], pa.Table]
) -> None:
    with connect(door.url).cursor() as cursor:
        fetch(cursor, f"set twinspark.engine={engine}")
        assert fetch(cursor, whole_query(COLUMNS)).equals(reference(whole_query(COLUMNS)))
