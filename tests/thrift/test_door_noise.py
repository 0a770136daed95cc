"""Strangers at the door: noise, broken calls, silence, and clients that hang up; it bears them, and says why."""

import logging
import random
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from waiting import until

import twinspark.driver as driver
from twinspark.doors.thrift import Server
from twinspark.doors.thrift.operations import Operation
from twinspark.sessions.access.limits import Limits
from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.messages import Message, call_parts, request_of
from twinspark.wire.thrift.protocol import TERMINAL

LONG = "select count(*) from range(30000000000) where id % 7 = 3"
LOGIN = struct.pack(">bi", 1, 5) + b"PLAIN" + struct.pack(">bi", 2, 4) + b"\0u\0p"


def framed(message: bytes) -> bytes:
    return LOGIN + struct.pack(">i", len(message)) + message


def posted(message: bytes) -> bytes:
    return b"POST /cliservice HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(message) + message


TRANSPORTS: dict[str, Callable[[bytes], bytes]] = {"binary": bytes, "sasl": framed, "http": posted}


Faults = Callable[[], list[Any]]


@pytest.fixture(autouse=True)
def faults(native_door: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Threads that died and errors logged: whatever a test does there are none, and the door still answers."""
    died: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", died.append)

    def so_far() -> list[Any]:
        return died + [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]

    with caplog.at_level(logging.WARNING):
        yield so_far
    assert answers(native_door) and so_far() == []


def answers(door: Server) -> bool:
    with driver.connect("127.0.0.1", door.port) as connection:
        return connection.cursor().execute("select 1").fetchall() == [(1,)]


def said_to(door: Server, data: bytes) -> bytes:
    """What the door answers to these bytes and a hang-up after them."""
    with socket.create_connection(("127.0.0.1", door.port), timeout=20) as stranger:
        try:
            stranger.sendall(data)
            stranger.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: stranger.recv(1 << 16), b""))
        except ConnectionError:
            return b""  # it has shut the door in our face, which is an answer


def call(method: str, request: Message) -> bytes:
    return call_parts(method, wire.CALL, 1, 1, request_of(method), request).bytes()


def test_noise(native_door: Server, faults: Faults) -> None:
    chance = random.Random(8)
    for opening in (b"", b"\x01", b"\x80", b"\x80\x01\x00\x01", b"POST / HTTP/1.1\r\n", b"GET ", LOGIN):
        for _ in range(15):
            said_to(native_door, opening + chance.randbytes(chance.randrange(200)))
        assert answers(native_door) and faults() == []


@pytest.mark.parametrize(
    "request_text",
    [
        b"nonsense\r\n\r\n",
        b"POST /cliservice HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST /cliservice HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /cliservice HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n",
        b"POST /cliservice HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"POST /cliservice HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-8\r\n",
        b"POST /cliservice HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        b"POST /cliservice HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_request_that_is_none_is_told_so(request_text: bytes, native_door: Server) -> None:
    assert said_to(native_door, request_text).startswith(b"HTTP/1.1 400 ")


def test_other_requests_have_their_status(native_door: Server) -> None:
    assert said_to(native_door, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 405 ")
    assert said_to(native_door, b"GET nowhere HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404 ")
    assert b"only PLAIN is offered, not GSSAPI" in said_to(native_door, struct.pack(">bi", 1, 6) + b"GSSAPI")


CALLS: dict[str, Message] = {
    "OpenSession": {"client_protocol": 9, "configuration": {"set:hiveconf:spark.sql.ansi.enabled": "true"}},
    "ExecuteStatement": {"sessionHandle": {"sessionId": {"guid": b"g" * 16, "secret": b"s" * 16}}, "statement": "x"},
    "FetchResults": {"operationHandle": {"operationId": {"guid": b"g" * 16}, "operationType": 0}, "orientation": 0},
    "GetColumns": {"sessionHandle": {"sessionId": {"guid": b"short"}}, "tableName": "%"},
    "GetInfo": {"infoType": 17},
}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_calls_with_a_few_bytes_changed_or_lost(transport: str, native_door: Server, faults: Faults) -> None:
    chance, wrap = random.Random(9), TRANSPORTS[transport]
    for method, request in CALLS.items():
        whole = call(method, request)
        for _ in range(12):
            changed = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            said_to(native_door, wrap(bytes(changed[: chance.randrange(len(changed) + 1)])))
            said_to(native_door, wrap(bytes(changed)))
        assert answers(native_door) and faults() == []


@pytest.mark.parametrize("method", [name for name in CALLS if name != "OpenSession"])
def test_handles_nobody_gave_out_are_refused(method: str, native_door: Server) -> None:
    for request in (CALLS[method], {}):
        assert b"Handle: " in said_to(native_door, call(method, request))


def test_a_handle_needs_its_secret(native_door: Server) -> None:
    with driver.connect("127.0.0.1", native_door.port) as connection:
        known = connection.handle["sessionId"]
        connection.handle = {"sessionId": {**known, "secret": b"x" * 16}}
        with pytest.raises(driver.Error, match="Invalid SessionHandle"):
            connection.cursor().execute("select 1")
        connection.handle = {"sessionId": known}


def test_a_call_nested_without_end_is_refused(native_door: Server) -> None:
    """TSparkParameterValueArg may hold its own kind."""
    nested: Message = {"type": "ARRAY"}
    for _ in range(500):
        nested = {"arguments": [nested]}
    assert b"nested too deeply" in said_to(native_door, posted(call("ExecuteStatement", {"parameters": [nested]})))


def test_an_unknown_method_is_an_exception_and_not_the_end(native_door: Server) -> None:
    unknown = call_parts("DropEverything", wire.CALL, 1, 1, request_of("GetInfo"), {"infoType": 1}).bytes()
    answer = said_to(native_door, unknown + call("GetInfo", {"infoType": 17}))
    assert b"Invalid method name: 'DropEverything'" in answer and b"Invalid SessionHandle" in answer


def hung_up(stranger: socket.socket) -> bool:
    """Whether the other side ends the connection, whatever it says before."""
    try:
        while stranger.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    return True


@pytest.fixture
def hasty_door(native_door: Server) -> Iterator[Server]:
    limits = Limits(handshake_seconds=0.2, silence_seconds=0.2)
    with Server("127.0.0.1", 0, native_door.service.backend, limits=limits) as door:
        yield door


@pytest.mark.parametrize(
    "begun",
    [b"", LOGIN[:3], LOGIN[:-2], LOGIN + b"\0\0", framed(b"abc")[:-1], posted(b"abc")[:-1], b"POST /", b"\x80\x01"],
)
def test_silence_in_the_middle_ends_a_connection(begun: bytes, hasty_door: Server) -> None:
    with socket.create_connection(("127.0.0.1", hasty_door.port), timeout=20) as stranger:
        stranger.sendall(begun)
        assert hung_up(stranger)


def test_many_strangers_leave_nothing_behind(native_door: Server) -> None:
    strangers = [socket.create_connection(("127.0.0.1", native_door.port)) for _ in range(200)]
    for stranger in strangers:
        stranger.sendall(b"\x01")
    for stranger in strangers:
        stranger.close()
    assert until(lambda: not native_door.connections)


def operations_of(door: Server) -> list[Operation]:
    return [operation for session in door.service.all_sessions() for operation in list(session.operations.values())]


@pytest.mark.parametrize("transport", ["sasl", "http"])
def test_a_statement_whose_client_hangs_up_is_cancelled(transport: str, native_door: Server) -> None:
    """PyHive waits inside ExecuteStatement; when it is killed nobody is left to cancel."""
    connection = driver.connect("127.0.0.1", native_door.port, transport=transport, timeout=3)
    request = {"sessionHandle": connection.handle, "statement": LONG}
    with ThreadPoolExecutor(1) as client:
        answer = client.submit(connection.service.call, "ExecuteStatement", request)
        # Looked for while the client still waits: a hung-up client's session soon ends, and takes its operations along.
        running = until(lambda: operations_of(native_door))
        assert isinstance(answer.exception(), driver.OperationalError)
    assert until(lambda: all(operation.state in TERMINAL for operation in running))
    assert until(lambda: all(operation.worked.is_set() for operation in running))
    connection.close()


def test_after_a_network_timeout_no_answer_is_taken_for_another(native_door: Server) -> None:
    connection = driver.connect("127.0.0.1", native_door.port, timeout=2)
    with pytest.raises(driver.OperationalError, match="timed out") as failed:
        connection.cursor().execute(LONG)
    assert failed.value.sqlstate == "08S01"
    with pytest.raises(driver.OperationalError):
        connection.cursor().execute("select 1")
    connection.close()
    # Shorter than the server lets a client wait for a status: or it would be told in time, again and again.
    connection = driver.connect("127.0.0.1", native_door.port, timeout=3, transport="http")
    with pytest.raises(driver.OperationalError, match="timed out"):
        connection.cursor().execute(LONG)
    assert connection.cursor().execute("select 7").fetchall() == [(7,)]
    connection.close()
