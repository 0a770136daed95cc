"""`connect()` and Connection: a DB-API connection with one session on a Thrift server."""

import getpass
import re
import ssl
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pyspark.sql import types as t

from twinspark.driver import errors
from twinspark.driver.cursor import Cursor, Progress
from twinspark.driver.errors import DatabaseError, InterfaceError, NotSupportedError, TypeFallbackWarning
from twinspark.driver.parameters import Parameters, wire_parameters, with_literals
from twinspark.driver.service import Service
from twinspark.driver.transport import Transport, open_transport
from twinspark.types import quote_identifier
from twinspark.types.text import TypeTextError, parse_reported_type
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import HIVE_V10, SESSION_CONF_PREFIX, SPARK_V9, USE_DATABASE, is_spark_version

# Statements that DESCRIBE QUERY accepts, and that do not change the session.
QUERY = re.compile(r"^(?:--[^\n]*+\n|/\*.*?\*/|\s++|\()*+(SELECT|WITH|VALUES|TABLE|FROM|MAP|REDUCE)\b", re.I | re.S)
NATIVE_TYPES = {
    "timestampAsArrow": True,
    "decimalAsArrow": True,
    "complexTypesAsArrow": True,
    "intervalTypesAsArrow": True,
    "nullTypeAsArrow": True,
}
LARGEST_FETCH = 100_000
DIRECT_ROWS, DIRECT_BYTES = 100_000, 10 << 20


class Connection:
    """A session on a server; DB-API's exceptions are attributes, which is an optional extension of DB-API."""

    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(
        self, transport: Callable[[], Transport], open_request: Message, describe: bool, fetch_rows: int
    ) -> None:
        self.open_transport = transport
        self.service = Service(transport())
        self.exact_types, self.fetch_rows = describe, fetch_rows
        self.closed, self.zone = False, ""
        reply = self.service.call("OpenSession", open_request)
        self.handle: Message = reply["sessionHandle"]
        self.protocol: int = reply.get("serverProtocolVersion", 0)

    def cursor(self, *, progress: Progress | None = None) -> Cursor:
        if self.closed:
            raise InterfaceError("the connection is closed", "08003")
        return Cursor(self, self.fetch_rows, progress)

    def execute_request(self, statement: str, parameters: Parameters | None, timeout: float | None) -> Message:
        """Requests Arrow and compression; a server that does not know these fields ignores them."""
        request: Message = {"sessionHandle": self.handle, "statement": statement, "runAsync": True}
        if timeout is not None:
            request["queryTimeout"] = max(1, round(timeout))
        if is_spark_version(self.protocol):
            request |= {
                "canReadArrowResult": True,
                "canDecompressLZ4Result": True,
                "canDownloadResult": False,
                "useArrowNativeTypes": NATIVE_TYPES,
                "getDirectResults": {"maxRows": DIRECT_ROWS, "maxBytes": DIRECT_BYTES},
            }
        if parameters and is_spark_version(self.protocol) and all(map(is_scalar, values_of(parameters))):
            request["parameters"] = wire_parameters(parameters)
        elif parameters:
            request["statement"] = with_literals(statement, parameters)
        return request

    def note(self, statement: str) -> None:
        """Forgets the session's time zone after any statement but a plain query, since it may have changed."""
        if statement and not QUERY.match(statement):
            self.zone = ""

    def time_zone(self) -> str:
        if not self.zone:
            self.zone = str(self.strings("SELECT current_timezone()")[0][0])
        return self.zone

    def describe(self, statement: str) -> dict[int, t.DataType]:
        """Exact types by DESCRIBE QUERY: TTypeDesc lacks element types, collations and the kind of timestamp."""
        if not self.exact_types or not QUERY.match(statement):
            return {}
        try:
            rows = self.strings(f"DESCRIBE QUERY {statement}")
        except DatabaseError as error:
            warnings.warn(f"types come from TTypeDesc alone: {error}", TypeFallbackWarning, stacklevel=4)
            return {}
        return {index: kind for index, row in enumerate(rows) if (kind := kind_of(row[1])) is not None}

    def strings(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of one of the driver's own statements, whose columns are plain strings."""
        with Cursor(self, self.fetch_rows, None) as cursor:
            cursor.start(self.execute_request(statement, None, None), None, "")
            return cursor.fetchall()

    def cancel(self, operation: Message) -> None:
        """Cancels over a second connection, since this one may be waiting for a reply."""
        other = Service(self.open_transport())
        try:
            other.call("CancelOperation", {"operationHandle": operation})
        finally:
            other.close()

    def information(self, kind: int) -> str:
        """GetInfo: 17 is the server's name, 18 its version."""
        reply = self.service.call("GetInfo", {"sessionHandle": self.handle, "infoType": kind})
        return str(next(iter(reply["infoValue"].values())))

    def commit(self) -> None:
        """Does nothing: every statement is its own transaction."""

    def rollback(self) -> None:
        raise NotSupportedError("Spark has no transactions to roll back", "0A000")

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        try:
            if self.service.is_usable():  # else the session has ended with its socket
                self.service.call("CloseSession", {"sessionHandle": self.handle})
        finally:
            self.service.close()

    def adbc_get_table_types(self) -> list[str]:
        with self.cursor() as cursor:
            return [row[0] for row in cursor.list_metadata("GetTableTypes").fetchall()]

    def adbc_get_table_schema(self, table_name: str, *, db_schema_filter: str | None = None) -> Any:
        name = ".".join(quote_identifier(part) for part in (db_schema_filter, table_name) if part)
        with self.cursor() as cursor:
            return cursor.execute(f"SELECT * FROM {name} LIMIT 0").schema

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def kind_of(name: str) -> t.DataType | None:
    """The type with this name; None for a name that Spark truncated (`... 3 more fields`), so that TTypeDesc is
    used."""
    try:
        return parse_reported_type(name)
    except TypeTextError:
        return None


def values_of(parameters: Parameters) -> list[Any]:
    return list(parameters.values() if isinstance(parameters, Mapping) else parameters)


def is_scalar(value: Any) -> bool:
    return not isinstance(value, list | tuple | dict)


def connect(
    host: str = "localhost",
    port: int = 10000,
    *,
    transport: str = "sasl",
    path: str = "cliservice",
    user: str = "",
    password: str = "",
    token: str = "",
    database: str = "",
    catalog: str = "",
    configuration: Mapping[str, str] | None = None,
    tls: bool | ssl.SSLContext = False,
    timeout: float | None = None,
    headers: Mapping[str, str] | None = None,
    describe: bool = True,
    fetch_rows: int = LARGEST_FETCH,
    protocol: int = SPARK_V9,
) -> Connection:
    """Opens a session.

    `transport` is http, sasl or binary; `timeout` limits each network wait, in seconds; `describe=False` omits the
    DESCRIBE QUERY that reads exact types from servers without Arrow; `protocol` is the newest version to offer.
    """
    context = ssl.create_default_context() if tls is True else (tls or None)
    name, secret = user or getpass.getuser(), password or token
    opener = partial(
        open_transport, transport, host, port, path=path, user=name, password=secret or "x", token=token,
        timeout=timeout, tls=context, headers=headers or {},
    )  # fmt: skip
    request = open_request(name, secret, database, catalog, configuration or {}, protocol)
    return Connection(opener, request, describe, fetch_rows)


def open_request(
    user: str, password: str, database: str, catalog: str, configuration: Mapping[str, str], version: int
) -> Message:
    """Offers two protocol versions: a Hive server reads the first field, a Spark server the second."""
    settings = {f"{SESSION_CONF_PREFIX}{key}": value for key, value in configuration.items()}
    if database:
        settings[USE_DATABASE] = f"{catalog}.{database}" if catalog else database
    request: Message = {"username": user, "password": password, "configuration": settings}
    request["client_protocol"] = version if version <= HIVE_V10 else HIVE_V10
    if is_spark_version(version):
        request["client_protocol_i64"] = version
        request["canUseMultipleCatalogs"] = True
    if is_spark_version(version) and (database or catalog):
        named = {"schemaName": database or None, "catalogName": catalog or None}
        request["initialNamespace"] = named
    return request
