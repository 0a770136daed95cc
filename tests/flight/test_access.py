"""Who may connect to the Flight SQL server, with which limits, and what malformed calls get."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adbc_driver_manager
import grpc
import pyarrow as pa
import pyarrow.flight
import pytest

from tests.thrift.certificates import make_certificate, serving
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.flight import FlightServer
from twinspark.relay.launch import free_port
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.settings import Settings
from twinspark.wire.flight.frames import arrow_messages
from twinspark.wire.flight.messages import core, serialize, sql

PATH = "/arrow.flight.protocol.FlightService/"
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]  # grpcio shares connections between channels
TOKEN = "adbc.flight.sql.authorization_header"


def ask(connection: Any, statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


@pytest.fixture
def guarded(native_server: ConnectServer, tmp_path: Path) -> Any:
    file = tmp_path / "tokens"
    file.write_text("anna:sesame\n")
    tokens = Tokens(file=str(file))
    with FlightServer("127.0.0.1", 0, native_server.sessions, tokens, Limits()) as door:
        door.file = file  # type: ignore[attr-defined]
        yield door


def users_of(server: ConnectServer) -> set[str]:
    return {each.user_id for each in server.sessions.all()}


def test_a_token_names_its_user(guarded: Any, connect: Callable[..., Any], native_server: ConnectServer) -> None:
    assert ask(connect(guarded.url, **{TOKEN: "Bearer sesame"}), "select 1") == [(1,)]
    assert "anna" in users_of(native_server)


def test_a_login_with_the_token_as_password(guarded: Any, connect: Callable[..., Any]) -> None:
    assert ask(connect(guarded.url, username="someone", password="sesame"), "select 1") == [(1,)]


@pytest.mark.parametrize(
    "options", [{}, {TOKEN: "Bearer wrong"}, {TOKEN: "Basic ???"}, {"username": "anna", "password": "wrong"}]
)
def test_others_are_rejected(options: dict[str, str], guarded: Any, connect: Callable[..., Any]) -> None:
    with pytest.raises(adbc_driver_manager.Error) as rejected:
        ask(connect(guarded.url, **options), "select 1")
    assert rejected.value.status_code is adbc_driver_manager.AdbcStatusCode.UNAUTHENTICATED


def test_a_login_ends_when_its_token_is_withdrawn(guarded: Any) -> None:
    with pa.flight.connect(guarded.url) as client:
        header = client.authenticate_basic_token(b"someone", b"sesame")
        options = pa.flight.FlightCallOptions(headers=[header])
        assert list(client.list_actions(options))
    guarded.file.write_text("anna:another\n")
    os.utime(guarded.file, (1, 1))
    rejected = FlightServer("127.0.0.1", 0, None, Tokens(file=str(guarded.file)), Limits())  # type: ignore[arg-type]
    with rejected, pa.flight.connect(rejected.url) as client, pytest.raises(pa.flight.FlightUnauthenticatedError):
        list(client.list_actions(options))


def test_sessions_of_others_are_not_reached_by_their_cookie(guarded: Any, native_door: FlightServer) -> None:
    """The same cookie under another user is another session."""
    cookie = (b"cookie", b"twinspark_session=" + str(uuid.uuid4()).encode())
    with pa.flight.connect(guarded.url) as client:
        options = pa.flight.FlightCallOptions(headers=[cookie, (b"authorization", b"Bearer sesame")])
        run(client, "create temporary view mine as select 1 x", options)
        assert run(client, "select * from mine", options).num_rows == 1
    with (
        pa.flight.connect(native_door.url) as other,
        pytest.raises(pa.ArrowKeyError, match="TABLE_OR_VIEW_NOT_FOUND"),
    ):
        run(other, "select * from mine", pa.flight.FlightCallOptions(headers=[cookie]))


def run(client: Any, query: str, options: Any) -> pa.Table:
    command = sql.pack(sql.CommandStatementQuery(query=query))
    info = client.get_flight_info(pa.flight.FlightDescriptor.for_command(command), options)
    return client.do_get(info.endpoints[0].ticket, options).read_all()


def test_tls(native_server: ConnectServer, connect: Callable[..., Any], tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    context = serving(certificate)
    context.set_alpn_protocols(["h2"])
    roots = (tmp_path / "certificate.pem").read_text()
    with FlightServer("localhost", 0, native_server.sessions, native_server.tokens, Limits(), context) as door:
        assert door.url.startswith("grpc+tls://")
        assert ask(connect(door.url, **{"adbc.flight.sql.client_option.tls_root_certs": roots}), "select 1") == [(1,)]


def test_a_server_that_only_reads(tmp_path: Path, connect: Callable[..., Any]) -> None:
    server = ConnectServer(Settings(engine="duckdb", port=0, warehouse=str(tmp_path), read_only=True))
    try:
        with FlightServer("127.0.0.1", 0, server.sessions, server.tokens, Limits()) as door:
            connection = connect(door.url)
            with pytest.raises(adbc_driver_manager.Error, match="TWINSPARK_NOT_ALLOWED") as rejected:
                ask(connection, "create table t (a int)")
            assert rejected.value.status_code is adbc_driver_manager.AdbcStatusCode.UNAUTHORIZED
            with connection.cursor() as cursor, pytest.raises(adbc_driver_manager.Error, match="TWINSPARK_NOT_ALLOWED"):
                cursor.adbc_ingest("t", pa.table({"a": [1]}))
            connection.close()
    finally:
        server.stop()


def test_limits_are_those_of_the_http2_server(native_server: ConnectServer) -> None:
    limits = Limits().with_changes(["connections=1", "message_bytes=1000"])
    with FlightServer("127.0.0.1", 0, native_server.sessions, native_server.tokens, limits) as door:
        with grpc.insecure_channel(door.address) as channel:
            with pytest.raises(grpc.RpcError, match="larger than max"):
                channel.unary_unary(PATH + "GetFlightInfo")(b"x" * 2000)
            with (
                grpc.insecure_channel(door.address, OWN_CONNECTION) as second,
                pytest.raises(grpc.RpcError) as rejected,
            ):
                list(second.unary_stream(PATH + "ListActions")(b""))
            assert rejected.value.code() is grpc.StatusCode.UNAVAILABLE
        assert door.state().rejected["connections"] >= 1


def packed(message: Any) -> bytes:
    return serialize(core.FlightDescriptor(type=2, cmd=sql.pack(message)))


MALFORMED = {
    "no protobuf": ("GetFlightInfo", b"\xff\xff\xff"),
    "no command": ("GetFlightInfo", b""),
    "a path": ("GetFlightInfo", serialize(core.FlightDescriptor(type=1, path=["a"]))),
    "a command of nobody": ("GetFlightInfo", serialize(core.FlightDescriptor(type=2, cmd=b"\x0a\x03abc"))),
    "a broken handle": ("GetFlightInfo", packed(sql.CommandPreparedStatementQuery(prepared_statement_handle=b"\xff"))),
    "an update as a query": ("GetFlightInfo", packed(sql.CommandStatementIngest(table="t"))),
    "a ticket of nobody": ("DoGet", serialize(core.Ticket(ticket=b"\xff\xfe"))),
    "a command as ticket": (
        "DoGet",
        serialize(core.Ticket(ticket=sql.pack(sql.CommandStatementQuery(query="select 1")))),
    ),
    "a broken ticket": (
        "DoGet",
        serialize(core.Ticket(ticket=sql.pack(sql.TicketStatementQuery(statement_handle=b"\x12\x03\xff\xff\xff")))),
    ),
    "a ticket without schema": (
        "DoGet",
        serialize(core.Ticket(ticket=sql.pack(sql.TicketStatementQuery(statement_handle=b"")))),
    ),
    "an unknown action": ("DoAction", serialize(core.Action(type="Fly"))),
    "an action without body": ("DoAction", serialize(core.Action(type="CreatePreparedStatement"))),
    "a transaction": ("DoAction", serialize(core.Action(type="BeginTransaction"))),
    "a method of nobody": ("DoExchange", b""),
}


@pytest.mark.parametrize("name", list(MALFORMED))
def test_malformed_calls_get_a_status(name: str, native_door: FlightServer) -> None:
    method, data = MALFORMED[name]
    with grpc.insecure_channel(native_door.address) as channel:
        with pytest.raises(grpc.RpcError) as rejected:
            list(channel.unary_stream(PATH + method)(data, timeout=60))
        assert rejected.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED)
        assert "twinspark failed" not in rejected.value.details()
        assert list(channel.unary_stream(PATH + "ListActions")(b"", timeout=60))


def upload(command: Any, header: bytes = b"", body: bytes = b"") -> bytes:
    descriptor = core.FlightDescriptor(type=2, cmd=sql.pack(command))
    return serialize(core.FlightData(flight_descriptor=descriptor, data_header=header, data_body=body))


def with_wrong_offsets(command: Any) -> list[bytes]:
    """A string column whose second offset is far outside of its characters."""
    rows = pa.record_batch({"s": ["abc", "def"]})
    schema, batch = (next(arrow_messages(memoryview(each.serialize()))) for each in (rows.schema, rows))
    body = bytes(batch[1]).replace((3).to_bytes(4, "little"), (1 << 30).to_bytes(4, "little"))
    return [
        upload(command, bytes(schema[0])),
        serialize(core.FlightData(data_header=bytes(batch[0]), data_body=body)),
    ]


INGEST, UPDATE = sql.CommandStatementIngest(table="t"), sql.CommandStatementUpdate(query="select ?")
UPLOADS = {
    "nothing": [],
    "no command": [serialize(core.FlightData(data_header=b"x"))],
    "no rows": [upload(INGEST)],
    "a broken header": [upload(UPDATE, b"\x10\x00\x00\x00" * 8)],
    "a short header to ingest": [upload(INGEST, b"\xff\xff\xff\x7f")],
    "wrong offsets to ingest": with_wrong_offsets(INGEST),
    "wrong offsets in parameters": with_wrong_offsets(UPDATE),
}


@pytest.mark.parametrize("name", list(UPLOADS))
def test_malformed_uploads_get_a_status(name: str, native_door: FlightServer) -> None:
    with grpc.insecure_channel(native_door.address) as channel:
        with pytest.raises(grpc.RpcError) as rejected:
            list(channel.stream_stream(PATH + "DoPut")(iter(UPLOADS[name]), timeout=60))
        assert rejected.value.code() is grpc.StatusCode.INVALID_ARGUMENT, rejected.value.details()


def test_serve_with_a_flight_port(connect: Callable[..., Any]) -> None:
    port = free_port()
    words = ["serve", "--no-ui", "--engine", "duckdb", "--port", "0", "--token", "sesame", "--flight-port", str(port)]
    server = subprocess.Popen([sys.executable, "-m", "twinspark", *words], stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None
        lines = b"".join(server.stderr.readline() for _ in range(2)).decode()
        assert f"Flight SQL at grpc://127.0.0.1:{port}" in lines
        connection = connect(f"grpc://127.0.0.1:{port}", **{TOKEN: "Bearer sesame"})
        assert ask(connection, "select sum(id) s from range(5)") == [(10,)]
        connection.close()
    finally:
        os.kill(server.pid, signal.SIGTERM)
        assert server.wait(60) == 0
