"""DB-API 2.0's type objects (NUMBER, STRING, ...) and constructors (Date, Timestamp, ...)."""

import datetime
import time


class TypeObject:
    """Equals the type name of any column of its family: `description[0][1] == NUMBER`."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.split("(")[0].split("<")[0].split(" ")[0] in self.names

    def __hash__(self) -> int:
        return hash(self.names)


STRING = TypeObject("string", "char", "varchar")
BINARY = TypeObject("binary")
NUMBER = TypeObject("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DATETIME = TypeObject("date", "timestamp", "timestamp_ntz", "time")
ROWID = TypeObject()
Date, Time, Timestamp, Binary = datetime.date, datetime.time, datetime.datetime, bytes


def DateFromTicks(ticks: float) -> datetime.date:
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> datetime.time:
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    return Timestamp(*time.localtime(ticks)[:6])
