"""A DB-API 2.0 and Arrow client for Spark's Thrift server, HiveServer2 and compatible servers."""

from twinspark.driver.connection import Connection, connect
from twinspark.driver.cursor import Cursor
from twinspark.driver.errors import (
    AmbiguousTimestampWarning,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    QueryCanceled,
    QueryTimeout,
    TypeFallbackWarning,
    Warning,
)
from twinspark.driver.type_objects import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)

apilevel = "2.0"
threadsafety = 2
paramstyle = "qmark"

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "AmbiguousTimestampWarning",
    "Binary",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "QueryCanceled",
    "QueryTimeout",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "TypeFallbackWarning",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]
