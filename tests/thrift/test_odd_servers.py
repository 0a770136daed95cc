"""Servers that omit, misspell or corrupt what they say of types: a warning or a clear error, never silently wrong."""

import ssl
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from certificates import make_certificate, serving

import twinspark.driver as driver
from twinspark.doors.thrift import ConnectBackend, Server, start, with_token
from twinspark.doors.thrift.metadata import stored_schema
from twinspark.doors.thrift.service import Peer, Service
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import JSON_TYPE_KEY, SQL_NAME_KEY

pytestmark = pytest.mark.spark
QUERY = (
    "select 1.50BD d, array(1, null) a, timestamp'2020-01-01 00:00:00' t, interval '1 02:00:00' day to second i, 's' s"
)
EXPECTED = [pa.decimal128(3, 2), "list<element: int32>", pa.timestamp("us", "UTC"), pa.duration("us"), pa.string()]


class OddService(Service):
    """A real service whose arrowSchema is changed on its way out."""

    change: Callable[[Message], Message]

    def answer(self, method: str, request: Message, peer: Peer) -> Message:
        if method == "ExecuteStatement" and self.asks_for_text:
            request = {**request, "useArrowNativeTypes": {}}
        reply = super().answer(method, request, peer)
        for place in (reply, reply.get("directResults", {})):
            if "resultSetMetadata" in place:
                place["resultSetMetadata"] = self.change(place["resultSetMetadata"])
        return self.change(reply) if "arrowSchema" in reply else reply

    asks_for_text = False


@pytest.fixture
def odd(connect_url: str) -> Iterator[Callable[..., driver.Cursor]]:
    server = start("127.0.0.1", 0, ConnectBackend(connect_url))
    opened: list[driver.Connection] = []

    def opener(change: Callable[[Message], Message], text: bool = False) -> driver.Cursor:
        service = OddService(server.service.backend)
        service.change, service.asks_for_text = change, text  # type: ignore[method-assign]
        server.service, server.door = service, replace(server.door, service=service)
        zone = {"spark.sql.session.timeZone": "UTC"}
        opened.append(driver.connect("127.0.0.1", server.port, configuration=zone))
        return opened[-1].cursor()

    yield opener
    for connection in opened:
        connection.close()
    server.stop()


def with_schema(change: Callable[[pa.Field], pa.Field]) -> Callable[[Message], Message]:
    def changed(metadata: Message) -> Message:
        schema = pa.ipc.read_schema(pa.py_buffer(metadata["arrowSchema"]))
        return {**metadata, "arrowSchema": memoryview(pa.schema([change(field) for field in schema]).serialize())}

    return changed


def without_names(field: pa.Field) -> pa.Field:
    return field.remove_metadata()


def misspelled(field: pa.Field) -> pa.Field:
    return field.with_metadata({SQL_NAME_KEY: b"DECIMLA(3;2)", JSON_TYPE_KEY: b"{oops"})


def other_spelling(field: pa.Field) -> pa.Field:
    name = field.metadata[SQL_NAME_KEY].decode().lower().replace("interval day to second", "INTERVAL_DAY_TIME")
    return field.with_metadata({SQL_NAME_KEY: name})


def types_of(cursor: driver.Cursor) -> list[Any]:
    return [str(f.type) if pa.types.is_list(f.type) else f.type for f in cursor.execute(QUERY).schema]


def test_native_types_need_no_names(odd: Callable[..., driver.Cursor]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cursor = odd(with_schema(without_names))
        assert types_of(cursor) == EXPECTED
        assert cursor.description is not None and cursor.description[0][1] == "decimal(3,2)"


def test_text_with_names_is_read_by_them(odd: Callable[..., driver.Cursor]) -> None:
    cursor = odd(lambda metadata: metadata, text=True)
    assert types_of(cursor) == EXPECTED
    assert cursor.fetchall()[0][1] == [1, None]


def test_names_in_another_spelling(odd: Callable[..., driver.Cursor]) -> None:
    assert types_of(odd(with_schema(other_spelling), text=True)) == EXPECTED


def test_text_without_names_goes_by_type_desc(odd: Callable[..., driver.Cursor]) -> None:
    """An array's element type is then nowhere to be found: it stays the JSON text it is."""
    cursor = odd(with_schema(without_names), text=True)
    assert types_of(cursor) == [EXPECTED[0], pa.string(), *EXPECTED[2:]]
    assert cursor.fetchall()[0][1] == "[1,null]"


def test_misspelled_names_are_told(odd: Callable[..., driver.Cursor]) -> None:
    with pytest.warns(driver.TypeFallbackWarning, match="SqlName is not understood"):
        assert types_of(odd(with_schema(misspelled))) == EXPECTED


def test_a_name_that_contradicts_the_data(odd: Callable[..., driver.Cursor]) -> None:
    def lying(field: pa.Field) -> pa.Field:
        return field.with_metadata({SQL_NAME_KEY: b"DECIMAL(18,4)"}) if field.name == "d" else field

    with pytest.warns(driver.TypeFallbackWarning, match="the data is believed"):
        assert types_of(odd(with_schema(lying)))[0] == pa.decimal128(3, 2)


@pytest.mark.parametrize("broken", [b"\x00\x01\x02", b"\xff" * 64, b"not arrow at all, by any means"])
def test_a_corrupt_schema_is_a_clear_error(broken: bytes, odd: Callable[..., driver.Cursor]) -> None:
    with pytest.raises(driver.InterfaceError, match="arrowSchema cannot be read"):
        odd(lambda metadata: {**metadata, "arrowSchema": broken}).execute(QUERY)


def test_a_schema_of_another_result_is_a_clear_error(odd: Callable[..., driver.Cursor]) -> None:
    other = memoryview(pa.schema([("x", pa.list_(pa.int8()))] * 5).serialize())
    with pytest.raises(driver.Error):
        odd(lambda metadata: {**metadata, "arrowSchema": other}).execute(QUERY).fetch_arrow_table()


def test_lz4(connect_url: str) -> None:
    with start("127.0.0.1", 0, ConnectBackend(connect_url), compress_local=True) as server:
        connection = driver.connect("127.0.0.1", server.port, transport="http")
        cursor = connection.cursor().execute("select id, repeat('x', 100) s from range(10000)")
        assert cursor.types is not None and cursor.types.lz4
        table = cursor.fetch_arrow_table()
        assert table["id"].to_pylist() == list(range(10_000))
        connection.close()


@pytest.mark.parametrize("transport", ["http", "sasl", "binary"])
def test_tokens(transport: str, connect_url: str) -> None:
    with start("127.0.0.1", 0, ConnectBackend(connect_url), authenticate=with_token("sesame")) as server:
        with pytest.raises(driver.OperationalError) as refused:
            driver.connect("127.0.0.1", server.port, transport=transport, user="ali", password="wrong")
        assert refused.value.sqlstate == "28000"
        connection = driver.connect("127.0.0.1", server.port, transport=transport, user="ali", token="sesame")
        assert connection.cursor().execute("select 1").fetchall() == [(1,)]
        connection.close()


@pytest.mark.parametrize("transport", ["http", "sasl", "binary"])
def test_tls(transport: str, connect_url: str, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(certificate))
    with start("127.0.0.1", 0, ConnectBackend(connect_url), tls=serving(certificate)) as server:
        connection = driver.connect("127.0.0.1", server.port, transport=transport, tls=trusting)
        assert connection.cursor().execute("select 1").fetchall() == [(1,)]
        connection.close()


def test_listings(door: Server) -> None:
    """The same columns as Spark's own server; the rows of a schema made for this test."""
    connection = driver.connect("127.0.0.1", door.port, protocol=9)
    cursor = connection.cursor()
    cursor.execute("create or replace temp view listed as select 1 as x, 1.5BD as `y z`")
    tables = cursor.list_metadata("GetTables", tableName="list%").fetchall()
    assert ("", None, "listed", "VIEW", "", None, None, None, None, None) in tables
    columns = cursor.list_metadata("GetColumns", tableName="listed").fetchall()
    assert [row[2:11] for row in columns] == [
        ("listed", "x", 4, "INT", 4, None, 0, 10, 0),
        ("listed", "y z", 3, "DECIMAL(2,1)", 8, None, 1, 10, 0),
    ]
    assert cursor.list_metadata("GetColumns", tableName="listed", columnName="y%").fetchall()[0][3] == "y z"
    assert {"default"} <= {row[0] for row in cursor.list_metadata("GetSchemas").fetchall()}
    assert cursor.list_metadata("GetTableTypes").fetchall() == [("TABLE",), ("VIEW",)]
    assert len(cursor.list_metadata("GetTypeInfo").fetchall()) == 20
    assert cursor.list_metadata("GetFunctions", functionName="abs").fetchall()[0][5].endswith(".Abs")
    for method in ("GetCatalogs", "GetPrimaryKeys", "GetCrossReference"):
        assert cursor.list_metadata(method).fetchall() == []
    connection.close()


def test_a_view_whose_table_is_gone_does_not_spoil_the_listing(door: Server) -> None:
    connection = driver.connect("127.0.0.1", door.port, protocol=9)
    cursor = connection.cursor()
    for statement in (
        "create table if not exists gone_base using parquet as select 1 a, 'x' b",
        "create or replace temp view gone_view as select a, b from gone_base",
        "create or replace temp view gone_not as select 1 c",
        "drop table gone_base",
    ):
        cursor.execute(statement)
    found = cursor.list_metadata("GetColumns", tableName="gone%").fetchall()
    assert ("gone_not", "c") in [row[2:4] for row in found]
    assert "gone_view" in [row[2] for row in cursor.list_metadata("GetTables", tableName="gone%").fetchall()]
    connection.close()


def test_stored_columns_of_a_view() -> None:
    rows = [("a", "int", "first"), ("s", "struct<x:int,... 30 more fields>", None), ("", "", ""), ("# Detail", "", "")]
    schema = stored_schema(rows)
    assert [(field.name, field.dataType.simpleString(), field.metadata) for field in schema.fields] == [
        ("a", "int", {"comment": "first"}),
        ("s", "struct<>", {}),
    ]
