"""The listening door: HTTP, SASL and plain binary on one port, told apart by a connection's first byte."""

import base64
import contextlib
import hmac
import ipaddress
import logging
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import Any

from twinspark.doors.thrift.backend import Backend
from twinspark.doors.thrift.idle import IDLE_SECONDS, Caretaker
from twinspark.doors.thrift.service import METHODS, Peer, Service, error_status
from twinspark.driver import wire
from twinspark.driver.messages import STRUCTS, Message, call_parts, read_wrapped, request_of, response_of
from twinspark.driver.transport import BAD, COMPLETE, OK, START
from twinspark.driver.wire import Reader, WireError, Writer

LOG = logging.getLogger(__name__)
LARGEST_REQUEST = 128 << 20
UNKNOWN_METHOD, PROTOCOL_ERROR, INTERNAL_ERROR = 1, 7, 6
PATHS = ("/cliservice", "/sql/", "/")

# Says whether this user may come in with this password or token.
Authenticate = Callable[[str, str], bool]


def anyone(user: str, secret: str) -> bool:
    return True


def with_token(token: str) -> Authenticate:
    return lambda user, secret: hmac.compare_digest(secret.encode(), token.encode())


class Server:
    """A thread that accepts and one thread per connection; `stop()` ends them all."""

    def __init__(
        self,
        host: str,
        port: int,
        backend: Backend,
        authenticate: Authenticate = anyone,
        tls: ssl.SSLContext | None = None,
        compress_local: bool = False,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.service = Service(backend, compress_local)
        self.caretaker = Caretaker(self.service, idle_seconds)
        self.authenticate, self.tls = authenticate, tls
        self.listener = socket.create_server((host, port), reuse_port=False, backlog=128)
        self.host, self.port = self.listener.getsockname()[:2]
        self.connections: set[socket.socket] = set()
        self.lock, self.stopping = threading.Lock(), False
        threading.Thread(target=self.accept, name="thrift-door", daemon=True).start()

    def accept(self) -> None:
        while not self.stopping:
            try:
                connection, address = self.listener.accept()
            except OSError:
                return  # the listener was closed: stop() was called
            threading.Thread(target=self.serve, args=(connection, address[0]), daemon=True).start()

    def serve(self, connection: socket.socket, address: str) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with self.lock:
                self.connections.add(connection)
            self.converse(connection, address)
        except (OSError, WireError, EOFError, UnicodeDecodeError) as error:
            LOG.info("connection from %s ended: %s", address, error)
        finally:
            with self.lock:
                self.connections.discard(connection)
            connection.close()

    def converse(self, connection: socket.socket, address: str) -> None:
        stream = BufferedReader(connection.makefile("rb", buffering=0), 1 << 18)
        first = stream.peek(1)[:1]
        is_local = ipaddress.ip_address(address).is_loopback
        if first in CONNECTED:
            conversation = CONNECTED[first](self, connection, stream, is_local)
            try:
                conversation.run()
            finally:
                self.service.leave(conversation.peer)
        elif first.isalpha():
            HttpConversation(self, connection, stream, is_local).run()
        elif first:
            raise WireError(f"neither HTTP nor SASL nor Thrift: the first byte is {first!r}")

    def stop(self) -> None:
        self.stopping = True
        self.caretaker.stop()
        end(self.listener)
        with self.lock:
            for connection in self.connections:
                end(connection)
        self.service.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def end(waiting: socket.socket) -> None:
    """Closing alone would leave the thread that waits on it waiting, and the port taken."""
    with contextlib.suppress(OSError):  # it has ended already
        waiting.shutdown(socket.SHUT_RDWR)
    waiting.close()


class Conversation:
    """What every transport has: a stream to read, a socket to answer on, and somebody at the other end."""

    def __init__(
        self, server: Server, connection: socket.socket, stream: "BufferedReader[Any]", is_local: bool
    ) -> None:
        self.server, self.connection, self.stream = server, connection, stream
        self.peer = Peer("", is_local)

    def run(self) -> None:
        raise NotImplementedError

    def send(self, parts: list[bytes | memoryview]) -> None:
        for group in grouped(parts):
            self.connection.sendall(group)

    def exactly(self, count: int) -> bytes:
        if not 0 <= count <= LARGEST_REQUEST:
            raise WireError(f"a message of {count} bytes")
        found = self.stream.read(count)
        if len(found) < count:
            raise EOFError("the client went away")
        return found

    def reply_to(self, reader: Reader) -> Writer:
        name, kind, sequence = reader.message_head()
        if name not in METHODS:
            skip_arguments(reader)
            return failure(name, sequence, UNKNOWN_METHOD, f"Invalid method name: '{name}'")
        request = read_wrapped(reader, 1, request_of(name))
        if kind not in (wire.CALL, wire.ONEWAY) or request is None:
            return failure(name, sequence, PROTOCOL_ERROR, f"{name} without a request")
        return self.answer(name, sequence, request)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """The door's one broad except: a fault of ours becomes a Thrift exception, is logged, and ends nothing else."""
        try:
            reply = self.server.service.answer(name, request, self.peer)
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), reply)
        except Exception as error:
            LOG.exception("%s failed", name)
            return failure(name, sequence, INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def skip_arguments(reader: Reader) -> None:
    while (field := reader.field())[0] != wire.STOP:
        reader.skip(field[0])


def failure(name: str, sequence: int, kind: int, message: str) -> Writer:
    writer = Writer()
    writer.message_head(name, wire.EXCEPTION, sequence)
    STRUCTS["TApplicationException"].write(writer, {"message": message, "type": kind})
    return writer


def grouped(parts: list[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Small parts are joined, large ones go out as they are: no copy of a whole answer."""
    small: list[bytes | memoryview] = []
    for part in parts:
        if len(part) < 1 << 16:
            small.append(part)
            continue
        if small:
            yield b"".join(small)
            small = []
        yield part
    if small:
        yield b"".join(small)


class BinaryConversation(Conversation):
    """Messages one after the other, without lengths."""

    def run(self) -> None:
        reader = Reader(more=self.more)
        while reader.position < len(reader.data) or self.stream.peek(1):
            self.send(self.reply_to(reader).parts)

    def more(self, at_least: int) -> bytes:
        """Never waits for bytes that were not asked for."""
        return self.exactly(at_least)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """Nobody has logged in on a plain socket, so the session's own user and password have to do."""
        user, secret = request.get("username", ""), request.get("password", "")
        if name == "OpenSession" and not self.server.authenticate(user, secret):
            refused = {"status": error_status("the user or password is wrong", "28000")}
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), refused)
        return super().answer(name, sequence, request)


class SaslConversation(Conversation):
    """SASL PLAIN, then frames."""

    def run(self) -> None:
        if not self.log_in():
            return
        while head := self.stream.read(4):
            if len(head) < 4:
                raise EOFError("the client went away")
            writer = self.reply_to(Reader(self.exactly(struct.unpack(">i", head)[0])))
            self.send([struct.pack(">i", sum(map(len, writer.parts))), *writer.parts])

    def log_in(self) -> bool:
        status, mechanism = self.negotiation()
        if status != START or mechanism != b"PLAIN":
            self.say(BAD, f"only PLAIN is offered, not {mechanism.decode('ascii', 'replace')}".encode())
            return False
        status, response = self.negotiation()
        user, secret = plain_credentials(response)
        if status not in (OK, COMPLETE) or not self.server.authenticate(user, secret):
            self.say(BAD, b"the user or password is wrong")
            return False
        self.peer.user = user
        self.say(COMPLETE, b"")
        return True

    def negotiation(self) -> tuple[int, bytes]:
        status, length = struct.unpack(">bi", self.exactly(5))
        return status, self.exactly(length)

    def say(self, status: int, payload: bytes) -> None:
        self.send([struct.pack(">bi", status, len(payload)) + payload])


def plain_credentials(response: bytes) -> tuple[str, str]:
    """[authorisation id] NUL user NUL password."""
    parts = response.decode("utf-8", "replace").split("\0")
    return (parts[1], parts[2]) if len(parts) == 3 else ("", "")


CONNECTED: dict[bytes, type[Conversation]] = {b"\x01": SaslConversation, b"\x80": BinaryConversation}


class HttpConversation(Conversation):
    """POSTs over a connection that stays open."""

    def run(self) -> None:
        while line := self.stream.readline(1 << 16):
            method, path, _ = line.decode("latin-1").split(" ", 2)
            headers = self.headers()
            if headers.get("expect", "").lower() == "100-continue":
                self.send([b"HTTP/1.1 100 Continue\r\n\r\n"])
            body = self.body(headers)
            self.respond(method, path, headers, body)
            if headers.get("connection", "").lower() == "close":
                return

    def headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while (line := self.stream.readline(1 << 16).strip()) and len(found) < 200:
            name, _, value = line.decode("latin-1").partition(":")
            found[name.strip().lower()] = value.strip()
        return found

    def body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self.chunks())
        return self.exactly(int(headers.get("content-length", "0")))

    def chunks(self) -> Iterator[bytes]:
        while size := int(self.stream.readline(1 << 10).split(b";")[0], 16):
            yield self.exactly(size)
            self.stream.readline(1 << 10)
        self.stream.readline(1 << 10)

    def respond(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        if not path.startswith(PATHS):
            self.status(404, "Not Found", b"")
        elif not self.log_in(headers.get("authorization", "")):
            self.status(
                401, "Unauthorized", b"the user, password or token is wrong", 'WWW-Authenticate: Basic realm=""\r\n'
            )
        elif method != "POST":
            self.status(405, "Method Not Allowed", b"a Thrift endpoint: POST TCLIService messages here")
        else:
            writer = self.reply_to(Reader(body))
            length = sum(map(len, writer.parts))
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/x-thrift\r\nContent-Length: {length}\r\n\r\n"
            self.send([head.encode(), *writer.parts])

    def status(self, code: int, reason: str, body: bytes, headers: str = "") -> None:
        head = f"HTTP/1.1 {code} {reason}\r\n{headers}Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        self.send([head.encode() + body])

    def log_in(self, authorization: str) -> bool:
        kind, _, value = authorization.partition(" ")
        user, secret = "", value
        if kind.lower() == "basic":
            user, _, secret = base64.b64decode(value, validate=False).decode("utf-8", "replace").partition(":")
        self.peer.user = user
        return self.server.authenticate(user, secret)


def start(
    host: str,
    port: int,
    backend: Backend,
    *,
    authenticate: Authenticate = anyone,
    tls: ssl.SSLContext | None = None,
    compress_local: bool = False,
    idle_seconds: float = IDLE_SECONDS,
) -> Server:
    """Opens the door and returns at once; `port` 0 takes a free one (see `Server.port`)."""
    return Server(host, port, backend, authenticate, tls, compress_local, idle_seconds)
