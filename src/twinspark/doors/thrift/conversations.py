"""How calls travel over one connection: HTTP, SASL PLAIN or plain binary, each as its clients speak it."""

import base64
import hmac
import logging
import socket
import ssl
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, TypeVar

from twinspark.doors.thrift.service import METHODS, Peer, Service, error_status
from twinspark.driver import wire
from twinspark.driver.messages import STRUCTS, Message, call_parts, read_wrapped, request_of, response_of
from twinspark.driver.transport import BAD, COMPLETE, OK, START
from twinspark.driver.wire import Reader, WireError, Writer

LOG = logging.getLogger(__name__)
T = TypeVar("T")
LARGEST_REQUEST = 128 << 20
LARGEST_LOGIN = 1 << 20  # of somebody nobody knows yet; tokens have a few kilobytes
LONGEST_LINE = 1 << 16
SILENCE_SECONDS = 60.0  # in the middle of a login or of a message; between messages anybody may be silent
UNKNOWN_METHOD, PROTOCOL_ERROR, INTERNAL_ERROR = 1, 7, 6
PATHS = ("/cliservice", "/sql/", "/")

# Says whether this user may come in with this password or token.
Authenticate = Callable[[str, str], bool]


def anyone(user: str, secret: str) -> bool:
    return True


def with_token(token: str) -> Authenticate:
    return lambda user, secret: hmac.compare_digest(secret.encode(), token.encode())


class Conversation(ABC):
    """What every transport has: a stream to read, a socket to answer on, and somebody at the other end."""

    def __init__(
        self,
        service: Service,
        authenticate: Authenticate,
        connection: socket.socket,
        stream: "BufferedReader[Any]",
        is_local: bool,
    ) -> None:
        self.service, self.authenticate = service, authenticate
        self.connection, self.stream = connection, stream
        self.peer = Peer("", is_local, lambda: is_gone(connection))

    @abstractmethod
    def run(self) -> None:
        """Answers calls until the other side is gone."""

    def end(self) -> None:
        """A connection that ends takes the sessions it opened with it."""
        self.service.leave(self.peer)

    def send(self, parts: list[bytes | memoryview]) -> None:
        for group in grouped(parts):
            self.connection.sendall(group)

    def whole(self, read: Callable[[], T]) -> T:
        """What has begun must go on: who falls silent in the middle of it is gone."""
        self.connection.settimeout(SILENCE_SECONDS)
        try:
            return read()
        finally:
            self.connection.settimeout(None)

    def exactly(self, count: int, most: int = LARGEST_REQUEST) -> bytes:
        if not 0 <= count <= most:
            raise WireError(f"a message of {count} bytes")
        found = self.stream.read(count)
        if len(found) < count:
            raise EOFError("the client went away")
        return found

    def reply_to(self, reader: Reader) -> Writer:
        name, sequence, request = self.whole(lambda: read_call(reader))
        if name not in METHODS:
            return failure(name, sequence, UNKNOWN_METHOD, f"Invalid method name: '{name}'")
        if request is None:
            return failure(name, sequence, PROTOCOL_ERROR, f"{name} without a request")
        return self.answer(name, sequence, request)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """The door's one broad except: a fault of ours becomes a Thrift exception, is logged, and ends nothing else."""
        try:
            reply = self.service.answer(name, request, self.peer)
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), reply)
        except Exception as error:
            LOG.exception("%s failed", name)
            return failure(name, sequence, INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def is_gone(connection: socket.socket) -> bool:
    """Whether the other side has hung up; TLS lets nobody look ahead, so there it is found out when answering."""
    if isinstance(connection, ssl.SSLSocket):
        return False
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False  # it is there, and waits
    except OSError:
        return True


def read_call(reader: Reader) -> tuple[str, int, Message | None]:
    """Method, sequence id and request; no request for what nobody here knows or what is no call."""
    name, kind, sequence = reader.message_head()
    if name not in METHODS:
        reader.skip(wire.STRUCT)
        return name, sequence, None
    request = read_wrapped(reader, 1, request_of(name))
    return name, sequence, request if kind in (wire.CALL, wire.ONEWAY) else None


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

    room = LARGEST_REQUEST

    def run(self) -> None:
        reader = Reader(more=self.more)
        while reader.position < len(reader.data) or self.stream.peek(1):
            self.room = LARGEST_REQUEST
            self.send(self.reply_to(reader).parts)

    def more(self, at_least: int) -> bytes:
        """Never waits for bytes that were not asked for, and takes no more than a message may have."""
        self.room -= at_least
        if self.room < 0:
            raise WireError("a message that does not end")
        return self.exactly(at_least)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """Nobody has logged in on a plain socket, so the session's own user and password have to do."""
        user, secret = request.get("username", ""), request.get("password", "")
        if name == "OpenSession" and not self.authenticate(user, secret):
            refused = {"status": error_status("the user or password is wrong", "28000")}
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), refused)
        return super().answer(name, sequence, request)


class SaslConversation(Conversation):
    """SASL PLAIN, then frames."""

    def run(self) -> None:
        if not self.whole(self.log_in):
            return
        while self.stream.peek(1):
            writer = self.reply_to(Reader(self.whole(self.frame)))
            self.send([struct.pack(">i", sum(map(len, writer.parts))), *writer.parts])

    def frame(self) -> bytes:
        return self.exactly(struct.unpack(">i", self.exactly(4))[0])

    def log_in(self) -> bool:
        status, mechanism = self.negotiation()
        if status != START or mechanism != b"PLAIN":
            self.say(BAD, f"only PLAIN is offered, not {mechanism.decode('ascii', 'replace')[:40]}".encode())
            return False
        status, response = self.negotiation()
        user, secret = plain_credentials(response)
        if status not in (OK, COMPLETE) or not self.authenticate(user, secret):
            self.say(BAD, b"the user or password is wrong")
            return False
        self.peer.user = user
        self.say(COMPLETE, b"")
        return True

    def negotiation(self) -> tuple[int, bytes]:
        status, length = struct.unpack(">bi", self.exactly(5))
        return status, self.exactly(length, LARGEST_LOGIN)

    def say(self, status: int, payload: bytes) -> None:
        self.send([struct.pack(">bi", status, len(payload)) + payload])


def plain_credentials(response: bytes) -> tuple[str, str]:
    """[authorisation id] NUL user NUL password."""
    parts = response.decode("utf-8", "replace").split("\0")
    return (parts[1], parts[2]) if len(parts) == 3 else ("", "")


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class HttpConversation(Conversation):
    """POSTs over a connection that stays open."""

    def end(self) -> None:
        """A session over HTTP has no connection to speak of; it ends when it is closed, or idle too long."""

    def run(self) -> None:
        while self.stream.peek(1):
            try:
                request = self.whole(self.request)
            except (ValueError, WireError) as error:
                self.status(400, "Bad Request", f"not a request this door can read: {error}".encode())
                return  # where the next request would begin nobody can tell
            self.respond(request)
            if request.headers.get("connection", "").lower() == "close":
                return

    def request(self) -> HttpRequest:
        method, path, _ = self.stream.readline(LONGEST_LINE).decode("latin-1").split(" ", 2)
        headers = self.headers()
        if headers.get("expect", "").lower() == "100-continue":
            self.send([b"HTTP/1.1 100 Continue\r\n\r\n"])
        return HttpRequest(method, path, headers, self.body(headers))

    def headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while (line := self.stream.readline(LONGEST_LINE).strip()) and len(found) < 200:
            name, _, value = line.decode("latin-1").partition(":")
            found[name.strip().lower()] = value.strip()
        return found

    def body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self.chunks())
        return self.exactly(int(headers.get("content-length", "0")))

    def chunks(self) -> Iterator[bytes]:
        room = LARGEST_REQUEST
        while size := int(self.stream.readline(LONGEST_LINE).split(b";")[0], 16):
            yield self.exactly(size, room)
            room -= size
            self.stream.readline(LONGEST_LINE)
        self.headers()  # trailers, and the empty line at the end

    def respond(self, request: HttpRequest) -> None:
        if not request.path.startswith(PATHS):
            self.status(404, "Not Found", b"")
        elif not self.log_in(request.headers.get("authorization", "")):
            challenge = 'WWW-Authenticate: Basic realm=""\r\n'
            self.status(401, "Unauthorized", b"the user, password or token is wrong", challenge)
        elif request.method != "POST":
            self.status(405, "Method Not Allowed", b"a Thrift endpoint: POST TCLIService messages here")
        else:
            self.answer_call(request.body)

    def answer_call(self, body: bytes) -> None:
        try:
            parts = self.reply_to(Reader(body)).parts
        except WireError as error:
            self.status(400, "Bad Request", f"not a TCLIService call: {error}".encode())
            return
        length = sum(map(len, parts))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/x-thrift\r\nContent-Length: {length}\r\n\r\n"
        self.send([head.encode(), *parts])

    def status(self, code: int, reason: str, body: bytes, headers: str = "") -> None:
        head = f"HTTP/1.1 {code} {reason}\r\n{headers}Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        self.send([head.encode() + body])

    def log_in(self, authorization: str) -> bool:
        kind, _, value = authorization.partition(" ")
        user, secret = basic_credentials(value) if kind.lower() == "basic" else ("", value)
        self.peer.user = user
        return self.authenticate(user, secret)


def basic_credentials(value: str) -> tuple[str, str]:
    """What is no base64 is nobody's name and password."""
    try:
        user, _, secret = base64.b64decode(value).decode("utf-8", "replace").partition(":")
    except ValueError:
        return "", ""
    return user, secret
