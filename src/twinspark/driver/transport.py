"""Transports for Thrift calls and replies: HTTP, a socket with SASL PLAIN, or a plain socket."""

import base64
import http.client
import selectors
import socket
import ssl
import struct
from collections.abc import Mapping, Sequence
from typing import Protocol

from twinspark.driver.errors import InterfaceError, OperationalError
from twinspark.wire.thrift.binary import Reader

RECEIVE, LARGEST = 1 << 20, 1 << 30
CLOSED = -1  # the file descriptor of a closed socket
START, OK, BAD, ERROR, COMPLETE = 1, 2, 3, 4, 5


class Transport(Protocol):
    def exchange(self, parts: Sequence[bytes | memoryview]) -> Reader:
        """Sends a message and returns a reader at the start of the reply."""

    def is_usable(self) -> bool:
        """Whether another call is possible; a socket that failed once stays closed."""

    def close(self) -> None: ...


class HttpTransport:
    """One POST request per call, over a connection that stays open."""

    def __init__(
        self,
        host: str,
        port: int,
        path: str,
        headers: Mapping[str, str],
        timeout: float | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        self.path = path if path.startswith("/") else f"/{path}"
        self.headers = {"Content-Type": "application/x-thrift", "Accept": "application/x-thrift", **headers}
        self.connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(host, port, timeout=timeout, context=tls)
            if tls
            else http.client.HTTPConnection(host, port, timeout=timeout)
        )

    def exchange(self, parts: Sequence[bytes | memoryview]) -> Reader:
        if self.connection.sock is not None and is_dropped(self.connection.sock):
            self.connection.close()  # the next request opens it again
        try:
            self.connection.request("POST", self.path, b"".join(parts), self.headers)
            response = self.connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise OperationalError(f"the HTTP connection failed: {error}", "08S01") from error
        if response.status != 200:
            raise http_error(response, body)
        return Reader(body)

    def is_usable(self) -> bool:
        return True  # the next call opens a closed connection again

    def close(self) -> None:
        self.connection.close()


def is_dropped(idle: socket.socket) -> bool:
    """Whether the server has closed an idle connection: between two calls, only the end of the stream is readable."""
    with selectors.DefaultSelector() as selector:
        selector.register(idle, selectors.EVENT_READ)
        return bool(selector.select(0))


def http_error(response: http.client.HTTPResponse, body: bytes) -> OperationalError:
    reason = response.getheader("X-Thriftserver-Error-Message") or body[:500].decode("utf-8", "replace").strip()
    state = "28000" if response.status in (401, 403) else "08S01"
    return OperationalError(f"HTTP {response.status} {response.reason}: {reason}".rstrip(": "), state)


def basic_authorization(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class SocketTransport:
    """A plain socket; messages have no length prefix, so the reader receives more bytes while it reads."""

    def __init__(self, host: str, port: int, timeout: float | None, tls: ssl.SSLContext | None) -> None:
        try:
            opened = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise OperationalError(f"cannot connect to {host}:{port}: {error}", "08001") from error
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = tls.wrap_socket(opened, server_hostname=host) if tls else opened

    def send(self, parts: Sequence[bytes | memoryview]) -> None:
        try:
            self.socket.sendall(b"".join(parts))
        except OSError as error:
            raise OperationalError(f"the connection failed: {error}", "08S01") from error

    def receive(self, at_least: int) -> bytes:
        """At least the requested number of bytes, and all others that have already arrived."""
        found, have = [], 0
        while have < at_least:
            piece = self.receive_piece()
            found.append(piece)
            have += len(piece)
        return b"".join(found)

    def receive_piece(self) -> bytes:
        try:
            piece = self.socket.recv(RECEIVE)
        except OSError as error:
            raise OperationalError(f"the connection failed: {error}", "08S01") from error
        if not piece:
            raise OperationalError("the server closed the connection", "08S01")
        return piece

    def receive_exactly(self, count: int) -> bytearray:
        if not 0 <= count <= LARGEST:
            raise OperationalError(f"the server announced {count} bytes", "08S01")
        buffer, have = bytearray(count), 0
        view = memoryview(buffer)
        while have < count:
            try:
                got = self.socket.recv_into(view[have:])
            except OSError as error:
                raise OperationalError(f"the connection failed: {error}", "08S01") from error
            if not got:
                raise OperationalError("the server closed the connection", "08S01")
            have += got
        return buffer

    def exchange(self, parts: Sequence[bytes | memoryview]) -> Reader:
        self.send(parts)
        return Reader(more=self.receive)

    def is_usable(self) -> bool:
        return self.socket.fileno() != CLOSED

    def close(self) -> None:
        self.socket.close()


class SaslTransport(SocketTransport):
    """SASL PLAIN authentication, then each message in a frame that starts with its length."""

    def __init__(
        self, host: str, port: int, user: str, password: str, timeout: float | None, tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(host, port, timeout, tls)
        self.negotiate(START, b"PLAIN")
        self.negotiate(OK, f"\0{user}\0{password}".encode())
        status, length = struct.unpack(">bi", self.receive_exactly(5))
        answer = bytes(self.receive_exactly(length))
        if status not in (OK, COMPLETE):
            raise OperationalError(f"the server rejected the login: {answer.decode('utf-8', 'replace')}", "28000")

    def negotiate(self, status: int, payload: bytes) -> None:
        self.send([struct.pack(">bi", status, len(payload)), payload])

    def exchange(self, parts: Sequence[bytes | memoryview]) -> Reader:
        self.send([struct.pack(">i", sum(map(len, parts))), *parts])
        return Reader(self.frame(0), more=self.frame)

    def frame(self, at_least: int) -> bytearray:
        """Reads frames until the requested number of bytes is there; a long reply may have several frames."""
        found = self.one_frame()
        while len(found) < at_least:
            found += self.one_frame()
        return found

    def one_frame(self) -> bytearray:
        return self.receive_exactly(struct.unpack(">i", self.receive_exactly(4))[0])


def open_transport(
    kind: str,
    host: str,
    port: int,
    *,
    path: str,
    user: str,
    password: str,
    token: str,
    timeout: float | None,
    tls: ssl.SSLContext | None,
    headers: Mapping[str, str],
) -> Transport:
    if kind == "http":
        authorization = f"Bearer {token}" if token else basic_authorization(user, password)
        return HttpTransport(host, port, path, {"Authorization": authorization, **headers}, timeout, tls)
    if kind == "sasl":
        return SaslTransport(host, port, user, password, timeout, tls)
    if kind == "binary":
        return SocketTransport(host, port, timeout, tls)
    raise InterfaceError(f"an unknown transport: {kind!r} (http, sasl and binary are known)")
