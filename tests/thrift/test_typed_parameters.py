"""Parameters as they reach the door: a value of exactly the type its client named, or an error that says why not."""

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

import twinspark.driver as driver
from twinspark.doors.thrift import Server
from twinspark.wire.thrift.messages import Message

Ask = Callable[..., tuple[str, Any]]
UTC = datetime.UTC


@pytest.fixture
def ask(native_door: Server) -> Iterator[Ask]:
    """Type and value of one parameter, sent as given, in a session of the given zone."""
    opened: list[driver.Connection] = []

    def asked(kind: str | None, text: str | None, zone: str = "UTC", **more: Any) -> tuple[str, Any]:
        zoned = {"spark.sql.session.timeZone": zone}
        connection = driver.connect("127.0.0.1", native_door.port, configuration=zoned)
        opened.append(connection)
        parameter: Message = {"ordinal": 1, "type": kind, "value": {"stringValue": text}, **more}
        request = {**connection.execute_request("select ? p", None, None), "parameters": [parameter]}
        with connection.cursor() as cursor:
            cursor.start(request, None, "")
            assert cursor.description is not None
            return cursor.description[0][1], cursor.fetchall()[0][0]

    yield asked
    for connection in opened:
        connection.close()


@pytest.mark.parametrize(
    ("kind", "text", "shown", "value"),
    [
        ("BOOLEAN", "True", "boolean", True),
        ("TINYINT", "-7", "tinyint", -7),
        ("BIGINT", "7", "bigint", 7),
        ("FLOAT", "0.5", "float", 0.5),
        ("DECIMAL(10,3)", "1.5", "decimal(10,3)", Decimal("1.500")),
        ("DECIMAL", "12.50", "decimal(4,2)", Decimal("12.50")),
        (None, "text", "string", "text"),
        ("BINARY", "00FF", "binary", b"\x00\xff"),
        ("DATE", "1582-10-10", "date", datetime.date(1582, 10, 10)),
        ("TIMESTAMP_NTZ", "2020-01-01 02:03:04.5", "timestamp_ntz", datetime.datetime(2020, 1, 1, 2, 3, 4, 500_000)),
        ("TIMESTAMP", "2020-01-01 02:00:00+02:00", "timestamp", datetime.datetime(2020, 1, 1, tzinfo=UTC)),
        ("INTERVAL DAY TO SECOND", "-1 02:00:00", "interval day to second", -datetime.timedelta(days=1, hours=2)),
        ("VOID", None, "void", None),
    ],
)
def test_a_parameter_is_of_the_type_it_names(kind: str, text: str, shown: str, value: Any, ask: Ask) -> None:
    assert ask(kind, text) == (shown, value)


@pytest.mark.parametrize(
    ("zone", "text", "hour"),
    [("Europe/Berlin", "2020-07-01 02:00:00", 0), ("+05:30", "2020-01-01 05:30:00", 0), ("-03:00", "2020-01-01", 3)],
)
def test_a_moment_without_offset_is_the_sessions(zone: str, text: str, hour: int, ask: Ask) -> None:
    assert ask("TIMESTAMP", text, zone)[1].astimezone(UTC).hour == hour


@pytest.mark.parametrize(
    ("kind", "text"), [("BOOLEAN", "maybe"), ("INT", "one"), ("DATE", "2020-02-30"), ("POINT", "1"), ("DECIMAL", "x")]
)
def test_what_is_no_value_of_its_type_is_an_error(kind: str, text: str, ask: Ask) -> None:
    with pytest.raises(driver.DataError, match=f"a parameter is not a {kind}: '{text}'"):
        ask(kind, text)


def test_values_of_other_members(ask: Ask) -> None:
    assert ask("DOUBLE", None, value={"doubleValue": 0.25}) == ("double", 0.25)
    assert ask("BOOLEAN", None, value={"booleanValue": True}) == ("boolean", True)
