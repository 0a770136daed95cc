"""Converts TSparkParameters to the typed literals of a Spark Connect statement."""

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.connect.column import Column
from pyspark.sql.connect.expressions import LiteralExpression

from twinspark.doors.thrift.backend import Arguments, BackendError
from twinspark.driver.errors import DataError
from twinspark.driver.text_values import day_time
from twinspark.types.text import TypeTextError, parse_reported_type
from twinspark.wire.thrift.messages import Message

Zone = Callable[[], str]
OFFSET = re.compile(r"(?:UTC|GMT|UT)?(?P<sign>[-+])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?")


def arguments_of(parameters: list[Message] | None, zone: Zone) -> Arguments:
    """Named parameters as a dict, positional ones as a list."""
    if not parameters:
        return None
    if parameters[0].get("name"):
        return {parameter.get("name", ""): argument(parameter, zone) for parameter in parameters}
    return [argument(parameter, zone) for parameter in parameters]


def argument(parameter: Message, zone: Zone) -> Any:
    """A literal of exactly the type that the client declared."""
    text = value_text(parameter.get("value") or {})
    name = parameter.get("type") or "STRING"
    try:
        kind = parse_reported_type(name)
        value = None if text is None else value_of(text, kind, name, zone)
    except (ValueError, ArithmeticError, TypeTextError, DataError) as error:
        raise BackendError(f"a parameter is not a {name}: {text!r} ({error})", "22018") from error
    if isinstance(value, Decimal):
        kind = decimal_kind(value, kind, name)
    return Column(LiteralExpression(value, t.NullType() if value is None else kind))


def value_text(value: Message) -> str | None:
    found = next(iter(value.values()), None)
    return str(found).lower() if isinstance(found, bool) else None if found is None else str(found)


def value_of(text: str, kind: t.DataType, name: str, zone: Zone) -> Any:
    if isinstance(kind, t.TimestampType):
        return moment(text, zone)
    read = READ.get(type(kind))
    if read is None:
        raise ValueError(f"parameters of type {name} are not supported")
    return read(text)


def moment(text: str, zone: Zone) -> datetime.datetime:
    """A text without an offset is in the session's time zone."""
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=clock_of(zone()))


def clock_of(zone: str) -> datetime.tzinfo:
    """A session's zone may be a plain offset, which is in no time zone database."""
    if (offset := OFFSET.fullmatch(zone)) is None:
        return ZoneInfo(zone)
    size = datetime.timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
    return datetime.timezone(-size if offset["sign"] == "-" else size)


def truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("neither true nor false")
    return text.lower() == "true"


def interval(text: str) -> datetime.timedelta:
    found: datetime.timedelta = day_time(pa.array([text]), t.DayTimeIntervalType(), "", "")[0].as_py()
    return found


def decimal_kind(value: Decimal, kind: t.DataType, name: str) -> t.DataType:
    """DECIMAL without precision and scale has as many digits as the text."""
    if "(" in name:
        return kind
    scale = max(-int(value.as_tuple().exponent), 0)
    return t.DecimalType(max(len(value.as_tuple().digits), scale, 1), scale)


READ: dict[type[t.DataType], Callable[[str], Any]] = {
    t.StringType: str,
    t.CharType: str,
    t.VarcharType: str,
    t.BooleanType: truth,
    t.ByteType: int,
    t.ShortType: int,
    t.IntegerType: int,
    t.LongType: int,
    t.FloatType: float,
    t.DoubleType: float,
    t.DecimalType: Decimal,
    t.BinaryType: bytes.fromhex,
    t.DateType: datetime.date.fromisoformat,
    t.TimestampNTZType: datetime.datetime.fromisoformat,
    t.DayTimeIntervalType: interval,
    t.TimeType: datetime.time.fromisoformat,
}
