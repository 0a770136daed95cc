"""ADBC's database and connection functions: options become the arguments of `driver.connect`."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa

from twinspark.driver.adbc import objects
from twinspark.driver.adbc.bridge import attach, call, detach, object_of
from twinspark.driver.connection import Connection, connect
from twinspark.driver.errors import InterfaceError, NotSupportedError, ProgrammingError
from twinspark.types import quote_identifier

PREFIX, CONFIGURATION = "twinspark.", "twinspark.configuration."
AUTOCOMMIT = "adbc.connection.autocommit"
CURRENT = {"adbc.connection.catalog": "current_catalog()", "adbc.connection.db_schema": "current_database()"}
TRANSPORTS = {"thrift": "sasl", "thrift+sasl": "sasl", "thrift+http": "http", "thrift+https": "http",
              "thrift+binary": "binary"}  # fmt: skip
KINDS: dict[str, Any] = {"port": int, "fetch_rows": int, "timeout": float, "tls": lambda text: text == "true",
                         "describe": lambda text: text == "true"}  # fmt: skip


class Options(dict[str, str]):
    """The options that were set on a database or connection before it was opened."""

    def arguments(self) -> dict[str, Any]:
        found = (
            from_uri(self.get("uri", ""))
            | self.rename_option("username", "user")
            | self.rename_option("password", "password")
        )
        given = self.under(PREFIX)
        found |= {name: KINDS.get(name, str)(text) for name, text in given.items() if "." not in name}
        configuration = self.under(CONFIGURATION)
        return found | ({"configuration": configuration} if configuration else {})

    def rename_option(self, theirs: str, ours: str) -> dict[str, str]:
        return {ours: self[theirs]} if theirs in self else {}

    def under(self, prefix: str) -> dict[str, str]:
        return {name[len(prefix) :]: text for name, text in self.items() if name.startswith(prefix)}


def from_uri(uri: str) -> dict[str, Any]:
    """`thrift+http://user:password@host:port/database?token=…`; the URI's query may have any option of `connect`."""
    if not uri:
        return {}
    parts = urlsplit(uri)
    if parts.scheme not in TRANSPORTS:
        raise ProgrammingError(f"an unknown scheme: {parts.scheme!r} ({', '.join(TRANSPORTS)} are known)", "08001")
    found: dict[str, Any] = {"transport": TRANSPORTS[parts.scheme], "host": parts.hostname or "localhost"}
    found |= {"port": parts.port} if parts.port else {}
    found |= {"user": unquote(parts.username)} if parts.username else {}
    found |= {"password": unquote(parts.password)} if parts.password else {}
    found |= {"database": parts.path.strip("/")} if parts.path.strip("/") else {}
    found |= {"tls": True} if parts.scheme.endswith("https") else {}
    return found | {name: KINDS.get(name, str)(text) for name, text in parse_qsl(parts.query)}


@call("DatabaseNew")
def database_new(handle: Any) -> None:
    attach(handle, Options())


@call("DatabaseSetOption")
def database_set_option(handle: Any, name: str, value: str) -> None:
    object_of(handle)[name] = value


@call("DatabaseSetOptionInt")
def database_set_int(handle: Any, name: str, value: int) -> None:
    object_of(handle)[name] = str(value)


@call("DatabaseSetOptionDouble")
def database_set_double(handle: Any, name: str, value: float) -> None:
    object_of(handle)[name] = str(value)


@call("DatabaseInit")
def database_init(handle: Any) -> None:
    """Raises for invalid options now, before the first connection."""
    object_of(handle).arguments()


@call("DatabaseRelease")
def database_release(handle: Any) -> None:
    detach(handle)


class Session:
    """An AdbcConnection: its options, and the connection once it is open."""

    def __init__(self) -> None:
        self.options = Options()
        self.opened: Connection | None = None

    @property
    def connection(self) -> Connection:
        if self.opened is None:
            raise InterfaceError("the connection is not open yet", "08003")
        return self.opened


@call("ConnectionNew")
def connection_new(handle: Any) -> None:
    attach(handle, Session())


@call("ConnectionSetOption")
def connection_set_option(handle: Any, name: str, value: str) -> None:
    session: Session = object_of(handle)
    if name == AUTOCOMMIT:
        if value != "true":
            raise NotSupportedError("Spark has no transactions: autocommit cannot be switched off", "0A000")
    elif session.opened is None:
        session.options[name] = value
    elif name in CURRENT:
        keyword = "SET CATALOG" if name.endswith("catalog") else "USE"
        session.opened.cursor().execute(f"{keyword} {quote_identifier(value)}")
    else:
        raise NotSupportedError(f"{name} cannot be changed while the connection is open", "0A000")


@call("ConnectionInit")
def connection_init(handle: Any, database: Any) -> None:
    session: Session = object_of(handle)
    session.opened = connect(**Options(object_of(database) | session.options).arguments())


@call("ConnectionRelease")
def connection_release(handle: Any) -> None:
    session = detach(handle)
    if session is not None and session.opened is not None:
        session.opened.close()


@call("ConnectionCommit")
def connection_commit(handle: Any) -> None:
    raise InterfaceError("every statement is its own transaction (autocommit)", "25000")


@call("ConnectionRollback")
def connection_rollback(handle: Any) -> None:
    raise InterfaceError("every statement is its own transaction (autocommit)", "25000")


@call("ConnectionGetOption")
def connection_get_option(handle: Any, name: str, value: int, length: Any) -> None:
    if name == AUTOCOMMIT:
        return write_text("true", value, length)
    if name not in CURRENT:
        raise ProgrammingError(f"an unknown option: {name}", "42P01")
    text = object_of(handle).connection.cursor().execute(f"SELECT {CURRENT[name]}").fetchall()[0][0]
    return write_text(text, value, length)


def write_text(text: str, address: int, length: Any) -> None:
    """Writes into the caller's buffer if it is large enough; returns the length in any case."""
    data = text.encode() + b"\0"
    if length[0] >= len(data):
        objects.move(address, data)
    length[0] = len(data)


@call("ConnectionGetInfo")
def connection_get_info(handle: Any, codes: Any, count: int, stream: int) -> None:
    wanted = [codes[index] for index in range(count)] if codes else []
    objects.export(objects.info(object_of(handle).connection, wanted), stream)


@call("ConnectionGetObjects")
def connection_get_objects(
    handle: Any, depth: int, catalog: str, schema: str, table: str, types: Any, column: str, stream: int
) -> None:
    filters = objects.Filters(catalog, schema, table, objects.texts_of(types), column)
    objects.export(objects.tree(object_of(handle).connection, depth, filters), stream)


@call("ConnectionGetTableSchema")
def connection_get_table_schema(handle: Any, catalog: str, schema: str, table: str, address: int) -> None:
    name = ".".join(quote_identifier(part) for part in (catalog, schema, table) if part)
    found: pa.Schema = object_of(handle).connection.cursor().execute(f"SELECT * FROM {name} LIMIT 0").schema
    found._export_to_c(address)


@call("ConnectionGetTableTypes")
def connection_get_table_types(handle: Any, stream: int) -> None:
    names = object_of(handle).connection.adbc_get_table_types()
    objects.export(pa.table({"table_type": pa.array(names, pa.string())}, objects.TABLE_TYPES), stream)
