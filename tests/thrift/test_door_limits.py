"""What a hostile client may not do to the Thrift door; clients that behave are served meanwhile."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from waiting import until

import twinspark.driver as driver
from twinspark.doors.thrift import Server, with_token
from twinspark.sessions.access.limits import Limits
from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import MOST_ELEMENTS, Reader, WireError, Writer
from twinspark.wire.thrift.messages import call_parts, request_of

LOGIN = struct.pack(">bi", 1, 5) + b"PLAIN" + struct.pack(">bi", 2, 4) + b"\0u\0p"
Opener = Callable[..., Server]


@pytest.fixture
def limited(native_door: Server) -> Iterator[Opener]:
    """A door with limits of its own, over the same engine."""
    with ExitStack() as stack:

        def opened(token: str | None = None, **limits: float) -> Server:
            changed = Limits().with_changes(f"{name}={value}" for name, value in limits.items())
            authenticate = {"authenticate": with_token(token)} if token else {}
            server = Server("127.0.0.1", 0, native_door.service.backend, limits=changed, **authenticate)
            return stack.enter_context(server)

        yield opened


@contextmanager
def strangers(door: Server, count: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", door.port), 30)) for _ in range(count)]
        for line in lines:
            line.sendall(said)
        yield lines


def answers(door: Server, **options: object) -> bool:
    with driver.connect("127.0.0.1", door.port, **options) as connection:  # type: ignore[arg-type]
        return connection.cursor().execute("select 1").fetchall() == [(1,)]


def is_cut(line: socket.socket) -> bool:
    try:
        while line.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    return True


@pytest.mark.parametrize("said", [b"", b"\x01", LOGIN[:-2], b"POST / HTTP/1.1\r\nA: ", b"\x80\x01\0\x01\0\0\0\x0bOpen"])
def test_half_a_login_costs_no_thread(limited: Opener, said: bytes) -> None:
    """1,500 half-open logins held 1,500 threads."""
    door = limited()
    assert answers(door)
    before = threading.active_count()
    with strangers(door, 150, said):
        assert until(lambda: len(door.connections) >= 150)
        time.sleep(0.2)
        assert threading.active_count() <= before + 2
        assert answers(door)


@pytest.mark.parametrize("transport", ["http", "sasl", "binary"])
def test_a_session_that_is_silent_costs_no_thread_and_is_there_afterwards(limited: Opener, transport: str) -> None:
    door = limited(reading_seconds=0.1, idle_seconds=0.5)
    with driver.connect("127.0.0.1", door.port, transport=transport) as connection:
        connection.cursor().execute("create or replace temp view kept as select 7 x")
        assert until(lambda: door.door.workers.in_use == 0)
        time.sleep(2.5)  # idle for longer than a connection without a session may be
        assert connection.cursor().execute("select x from kept").fetchall() == [(7,)]


def test_a_login_has_its_time(limited: Opener) -> None:
    door = limited(login_seconds=0.5, token="secret")
    with strangers(door, 3, LOGIN[:7]) as lines:
        assert all(map(is_cut, lines))
    assert door.state().rejected["login_seconds"] == 3


def test_a_message_has_its_time_however_busily_it_is_sent(limited: Opener) -> None:
    door = limited(request_seconds=0.5)
    with strangers(door, 1, LOGIN) as (line,):
        line.recv(100)
        with pytest.raises(OSError):
            for _ in range(100):
                line.sendall(b"\0\0\x10\0" if _ == 0 else b"x")
                time.sleep(0.05)
    assert door.state().rejected["request_seconds"] == 1


def test_strangers_are_pushed_out(limited: Opener) -> None:
    door = limited(connections=20)
    with driver.connect("127.0.0.1", door.port, transport="sasl") as connection, strangers(door, 60) as lines:
        assert answers(door)
        assert connection.cursor().execute("select 2").fetchall() == [(2,)]
        assert all(map(is_cut, lines[:30]))
        assert door.state().rejected["connections"] >= 40


def test_one_address_has_its_own_limit(limited: Opener) -> None:
    door = limited(connections_per_address=5)
    with strangers(door, 5), strangers(door, 1) as (late,):
        assert is_cut(late)
    assert until(lambda: not door.connections)
    assert answers(door)


def test_what_a_client_may_leave_unread(limited: Opener) -> None:
    door = limited(unread_bytes_per_connection=100_000)
    with strangers(door, 1, LOGIN) as (line,):
        line.recv(100)
        line.sendall(struct.pack(">i", 10_000_000))
        with pytest.raises(OSError):
            for _ in range(200):
                line.sendall(bytes(100_000))
    assert until(lambda: door.state().unread_bytes == 0)
    assert door.state().rejected == {"unread_bytes_per_connection": 1}


BEFORE_LOGIN = {
    "sasl": struct.pack(">bi", 1, 2 << 20),
    "binary": struct.pack(">Ii", 0x80010001, 2 << 20),
    "http": b"POST /cliservice HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n",
    "http in chunks": b"POST /cliservice HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1fffff\r\n",
    "headers without end": b"POST /cliservice HTTP/1.1\r\n" + b"a: b\r\n" * 10_000,
    "a line without end": b"POST /" + b"x" * 100_000,
}


@pytest.mark.parametrize("name", BEFORE_LOGIN)
def test_who_has_not_logged_in_may_say_little(limited: Opener, name: str) -> None:
    door = limited(token="secret")
    with strangers(door, 1) as (line,):
        line.sendall(BEFORE_LOGIN[name])
        assert is_cut(line)


@pytest.mark.parametrize("length", ["1_0", "+10", " 10x", "-1", "", "0x10"])
def test_a_length_is_digits(limited: Opener, length: str) -> None:
    with strangers(limited(), 1, f"POST / HTTP/1.1\r\nContent-Length:{length}\r\n\r\n".encode()) as (line,):
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


def test_two_lengths(limited: Opener) -> None:
    said = b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with strangers(limited(), 1, said) as (line,):
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


# ---- the codec


def list_of(kind: int, count: int, content: bytes) -> bytes:
    """ExecuteStatement with a list where its parameters are."""
    writer = Writer()
    writer.message_head("ExecuteStatement", wire.CALL, 1)
    writer.field(wire.STRUCT, 1)
    writer.field(wire.LIST, 1288)
    writer.list_head(kind, count)
    return writer.bytes() + content


@pytest.mark.parametrize("kind", [wire.STRUCT, wire.I64, wire.STRING])
@pytest.mark.parametrize("count", [2**31 - 1, MOST_ELEMENTS + 1, -1])
def test_a_list_that_claims_to_be_long(limited: Opener, kind: int, count: int) -> None:
    """Empty structs are a byte on the wire, and seventy in memory."""
    broken = list_of(kind, count, bytes(1000))
    with pytest.raises(WireError):
        Reader(broken, elements=MOST_ELEMENTS).skip(wire.STRUCT)
    door = limited()
    posted = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(broken) + broken
    with strangers(door, 1, posted) as (http,), strangers(door, 1, broken) as (binary,):
        assert http.recv(1000).startswith(b"HTTP/1.1 400 ")
        assert is_cut(binary)
    assert answers(door)


def test_elements_count_in_all_lists_of_a_message_together() -> None:
    reader = Reader(list_head(60_000) + list_head(60_000), elements=MOST_ELEMENTS)
    reader.list_head()
    with pytest.raises(WireError, match="more than a message may have"):
        reader.list_head()


def list_head(count: int) -> bytes:
    return struct.pack(">bi", wire.STRUCT, count)


def test_a_binary_message_that_comes_byte_by_byte(limited: Opener) -> None:
    door = limited()
    message = call_parts("GetInfo", wire.CALL, 1, 1, request_of("GetInfo"), {"infoType": 17}).bytes()
    with strangers(door, 1) as (line,):
        for byte in message:
            line.sendall(bytes([byte]))
        assert b"Invalid SessionHandle" in line.recv(10_000)
