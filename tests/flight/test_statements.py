"""Statements, parameters, errors, cancelling and listings through ADBC's Flight SQL driver."""

import datetime
import decimal
import threading
import uuid
from collections.abc import Callable
from typing import Any

import adbc_driver_manager
import grpc
import pandas
import pyarrow as pa
import pyarrow.flight
import pytest

from tests.waiting import until
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.flight import FlightServer
from twinspark.wire.flight.messages import core, serialize, sql

PATH = "/arrow.flight.protocol.FlightService/"
SLOW = "select count(*) from range(30000000000) where id % 7 = 3"


@pytest.fixture
def table(cursor: Any) -> str:
    name = f"t_{uuid.uuid4().hex[:8]}"
    cursor.execute(f"create table {name} (a int, s string)")
    return name


def rows(cursor: Any, statement: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    cursor.execute(statement, parameters)
    return cursor.fetchall()


def test_a_session_remembers(cursor: Any) -> None:
    rows(cursor, "create temporary view seen as select 5 x")
    rows(cursor, "set spark.sql.session.timeZone=Asia/Tokyo")
    assert rows(cursor, "select x, current_timezone() from seen") == [(5, "Asia/Tokyo")]


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, 2**40, -1.5, "it's", b"\x00\xff", decimal.Decimal("1.50"), datetime.date(2020, 2, 29),
        datetime.datetime(2020, 1, 1, 12, 30, 0, 123456), datetime.timedelta(days=1, seconds=2), [1, 2, None],
    ],
    ids=repr,
)  # fmt: skip
def test_a_parameter_keeps_its_value(value: Any, cursor: Any) -> None:
    assert rows(cursor, "select ?", (value,)) == [(value,)]


def test_parameters_in_a_query_and_a_command(cursor: Any, table: str) -> None:
    cursor.executemany(f"insert into {table} values (?, ?)", [(1, "x"), (2, "y"), (3, None)])
    assert rows(cursor, f"select s from {table} where a > ? and a < ?", (1, 3)) == [("y",)]
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="one row of parameters"):
        cursor.adbc_prepare("select ?")
        cursor.execute("select ?", pa.record_batch({"0": [1, 2]}))


def test_a_prepared_statement_tells_its_parameters(cursor: Any) -> None:
    assert cursor.adbc_prepare("select ? + 1 a, ? b").names == ["parameter_1", "parameter_2"]
    assert cursor.adbc_execute_schema("select 1 a, 'x' b").names == ["a", "b"]


def test_preparing_a_command_does_not_run_it(cursor: Any) -> None:
    cursor.adbc_prepare("create table never_created (a int)")
    assert rows(cursor, "show tables like 'never_created'") == []


@pytest.mark.parametrize(
    ("statement", "condition", "status"),
    [
        ("selec 1", "PARSE_SYNTAX_ERROR", "INVALID_ARGUMENT"),
        ("select 1/0", "DIVIDE_BY_ZERO", "INVALID_ARGUMENT"),
        ("select * from nowhere_at_all", "TABLE_OR_VIEW_NOT_FOUND", "NOT_FOUND"),
        ("select from_csv('1', 'a int', map('locale', 'de'))", "TWINSPARK_NOT_NATIVE", "NOT_IMPLEMENTED"),
    ],
)
def test_errors_are_those_of_spark(statement: str, condition: str, status: str, cursor: Any) -> None:
    with pytest.raises(adbc_driver_manager.Error, match=condition) as failed:
        rows(cursor, statement)
    assert failed.value.status_code.name == status
    assert rows(cursor, "select 1") == [(1,)]


def test_cancel(cursor: Any, native_server: ConnectServer) -> None:
    threading.Timer(1, cursor.adbc_cancel).start()
    with pytest.raises(adbc_driver_manager.OperationalError) as cancelled:
        rows(cursor, SLOW)
    assert cancelled.value.status_code == adbc_driver_manager.AdbcStatusCode.CANCELLED
    until(lambda: not any(each.busy for each in native_server.sessions.all()))


def test_cancel_by_flight_info(native_door: FlightServer, native_server: ConnectServer) -> None:
    """As another connection of the same session would. pyarrow's client would raise SIGINT here, in its own process."""
    cookie = (("cookie", f"twinspark_session={uuid.uuid4()}"),)
    descriptor = core.FlightDescriptor(type=2, cmd=sql.pack(sql.CommandStatementQuery(query=SLOW)))
    with grpc.insecure_channel(native_door.address) as first, grpc.insecure_channel(native_door.address) as second:
        info = core.FlightInfo.FromString(
            first.unary_unary(PATH + "GetFlightInfo")(serialize(descriptor), metadata=cookie)
        )
        reading = first.unary_stream(PATH + "DoGet")(serialize(info.endpoint[0].ticket), metadata=cookie)
        until(lambda: any(each.busy for each in native_server.sessions.all()))
        assert cancel(second, info, cookie) == 1
        with pytest.raises(grpc.RpcError, match="OPERATION_CANCELED") as failed:
            list(reading)
        assert failed.value.code() is grpc.StatusCode.CANCELLED
        assert cancel(second, info, cookie) == 3


def cancel(channel: grpc.Channel, info: Any, metadata: Any) -> int:
    request = serialize(core.CancelFlightInfoRequest(info=info))
    action = serialize(core.Action(type="CancelFlightInfo", body=request))
    answers = list(channel.unary_stream(PATH + "DoAction")(action, metadata=metadata))
    return int(core.CancelFlightInfoResult.FromString(core.Result.FromString(answers[0]).body).status)


def test_closing_the_connection_closes_the_session(connect: Callable[..., Any], native_server: ConnectServer) -> None:
    before = {each.session_id for each in native_server.sessions.all()}
    connection = connect()
    with connection.cursor() as cursor:
        rows(cursor, "select 1")
    opened = {each.session_id for each in native_server.sessions.all()} - before
    assert len(opened) == 1
    connection.close()
    until(lambda: not opened & {each.session_id for each in native_server.sessions.all()})


def test_a_client_with_cookies_keeps_its_session(native_door: FlightServer) -> None:
    options = pa.flight.FlightCallOptions(headers=[(b"cookie", b"twinspark_session=" + str(uuid.uuid4()).encode())])
    command = sql.CommandStatementUpdate(query="create temporary view remembered as select 7 x")
    with pa.flight.connect(native_door.url) as client:
        descriptor = pa.flight.FlightDescriptor.for_command(sql.pack(command))
        writer, reader = client.do_put(descriptor, pa.schema([]), options)
        writer.done_writing()
        assert sql.DoPutUpdateResult.FromString(reader.read().to_pybytes()).record_count == -1
        writer.close()
    with pa.flight.connect(native_door.url) as client:
        query = pa.flight.FlightDescriptor.for_command(
            sql.pack(sql.CommandStatementQuery(query="select * from remembered"))
        )
        ticket = client.get_flight_info(query, options).endpoints[0].ticket
        assert client.do_get(ticket, options).read_all().to_pylist() == [{"x": 7}]


def test_options_of_a_session(connect: Callable[..., Any]) -> None:
    name = f"s_{uuid.uuid4().hex[:8]}"
    with connect() as connection, connection.cursor() as cursor:
        rows(cursor, f"create schema {name}")
        connection.adbc_connection.set_options(**{"adbc.connection.db_schema": name})
        assert rows(cursor, "select current_schema()") == [(name,)]
        assert (connection.adbc_current_catalog, connection.adbc_current_db_schema) == ("spark_catalog", name)
        option = "adbc.flight.sql.session.option.spark.sql.session.timeZone"
        connection.adbc_connection.set_options(**{option: "Asia/Tokyo"})
        assert rows(cursor, "select current_timezone()") == [("Asia/Tokyo",)]
        with pytest.raises(adbc_driver_manager.Error):
            connection.adbc_connection.set_options(**{"adbc.flight.sql.session.option.no_such_option": "1"})


def test_listings(connect: Callable[..., Any], table: str) -> None:
    connection = connect()
    assert connection.adbc_get_info()["vendor_version"] == "4.2.1"
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
    assert connection.adbc_get_table_schema(table).names == ["a", "s"]
    found = connection.adbc_get_objects(depth="all", table_name_filter=table).read_all().to_pylist()
    tables = [
        each for catalog in found for schema in catalog["catalog_db_schemas"] for each in schema["db_schema_tables"]
    ]
    assert [each["table_name"] for each in tables] == [table]
    assert [column["column_name"] for column in tables[0]["table_columns"]] == ["a", "s"]


@pytest.mark.parametrize(
    "command",
    ["GetPrimaryKeys", "GetImportedKeys", "GetExportedKeys", "GetCrossReference", "GetXdbcTypeInfo", "GetDbSchemas"],
)
def test_other_listings_have_the_promised_columns(command: str, native_door: FlightServer) -> None:
    message = getattr(sql, f"Command{command}")()
    with pa.flight.connect(native_door.url) as client:
        info = client.get_flight_info(pa.flight.FlightDescriptor.for_command(sql.pack(message)))
        found = client.do_get(info.endpoints[0].ticket).read_all()
    assert found.schema.equals(info.schema)
    assert bool(found.num_rows) == (command in ("GetXdbcTypeInfo", "GetDbSchemas"))


def test_ingest(cursor: Any) -> None:
    name = f"ingested_{uuid.uuid4().hex[:8]}"
    data = pa.table({"a": [1, 2, None], "s": pa.array(["x", "y'", None], pa.large_string()), "d": [1.5, None, -0.0]})
    assert cursor.adbc_ingest(name, data) == 3
    assert cursor.adbc_ingest(name, data.slice(0, 1), mode="append") == 1
    assert rows(cursor, f"select * from {name} order by a nulls last, s") == [
        (1, "x", 1.5), (1, "x", 1.5), (2, "y'", None), (None, None, -0.0),
    ]  # fmt: skip
    with pytest.raises(adbc_driver_manager.Error, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        cursor.adbc_ingest(name, data)
    assert cursor.adbc_ingest(name, data.slice(1, 1), mode="replace") == 1
    assert rows(cursor, f"select a from {name}") == [(2,)]


def test_a_large_ingest_is_written_in_several_chunks(cursor: Any) -> None:
    name = f"ingested_{uuid.uuid4().hex[:8]}"
    big = pa.table({"n": list(range(100_000)), "s": ["x" * 800] * 100_000})
    assert cursor.adbc_ingest(name, big.to_reader(10_000)) == 100_000
    assert rows(cursor, f"select count(*), sum(n), sum(length(s)) from {name}") == [(100_000, 4999950000, 80_000_000)]


def test_pandas_reads_by_the_driver(connect: Callable[..., Any]) -> None:
    frame = pandas.read_sql("select id, cast(id as string) s from range(3)", connect())
    assert frame.to_dict("list") == {"id": [0, 1, 2], "s": ["0", "1", "2"]}
