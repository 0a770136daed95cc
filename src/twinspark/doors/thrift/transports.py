"""The three transports of Thrift calls over one connection: HTTP, SASL PLAIN and plain binary."""

import base64
import logging
import socket
import ssl
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial

from twinspark.doors.sockets.client_socket import OUT, ClientSocket
from twinspark.doors.thrift.inbox import Inbox, Reading, unpack
from twinspark.doors.thrift.service import METHODS, Peer, Service, error_status
from twinspark.driver.transport import BAD, COMPLETE, OK, START
from twinspark.sessions.access.tokens import Tokens
from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import MOST_ELEMENTS, Reader, WireError, Writer
from twinspark.wire.thrift.messages import STRUCTS, Message, call_parts, read_wrapped, request_of, response_of

LOG = logging.getLogger(__name__)
LARGEST_REQUEST = 128 << 20
LARGEST_LOGIN = 1 << 20  # before a login; tokens have a few kilobytes
MOST_HEADERS = 1 << 16  # bytes of all headers of a request
SEND_SECONDS = 60.0  # for which a client may read nothing of its response
UNKNOWN_METHOD, PROTOCOL_ERROR, INTERNAL_ERROR = 1, 7, 6
PATHS = ("/cliservice", "/sql/", "/")
Task = Callable[[], None]  # what needs a thread: a login, or a call and its response
Steps = Generator[Task | None, None, None]

# The user with this name and this password or token; None if the login fails.
Authenticate = Callable[[str, str], str | None]


def anyone(user: str, secret: str) -> str | None:
    return user


def with_token(token: str) -> Authenticate:
    return with_tokens(Tokens(token))


def with_tokens(tokens: Tokens) -> Authenticate:
    """A token that belongs to a user determines the user, whatever name the client sends."""

    def authenticate(user: str, secret: str) -> str | None:
        admitted = tokens.admit(secret)
        return None if admitted is None else admitted.name or user

    return authenticate


class Conversation(ABC):
    """What all transports share: received bytes, a socket to respond on, and the peer."""

    def __init__(
        self, service: Service, authenticate: Authenticate, line: ClientSocket, inbox: Inbox, is_local: bool
    ) -> None:
        self.service, self.authenticate = service, authenticate
        self.line, self.inbox = line, inbox
        self.peer = Peer("", is_local, lambda: is_gone(line.socket))
        self.is_known = False  # a login succeeded
        self.is_between = True  # no byte of a next message was read yet

    @abstractmethod
    def steps(self) -> Steps:
        """Yields None while bytes are missing, and a task when one is complete; ends with the conversation."""

    def end(self) -> None:
        """A closed connection closes the sessions that it opened."""
        self.service.leave(self.peer)

    @property
    def most(self) -> int:
        return LARGEST_REQUEST if self.is_known else LARGEST_LOGIN

    def waits_for_more(self) -> Reading[None]:
        """Waits between two messages."""
        self.is_between = True
        while not self.inbox:
            yield
        self.is_between = False

    def send(self, parts: list[bytes | memoryview]) -> None:
        for group in join_small_parts(parts):
            self.send_all(memoryview(group))

    def send_all(self, left: memoryview) -> None:
        while left:
            sent = self.line.send([left])
            if sent is None and not self.line.wait(OUT, SEND_SECONDS):
                raise TimeoutError("the client does not read its response")
            left = left[sent or 0 :]

    def reply_to(self, reader: Reader) -> Writer:
        name, sequence, request = read_call(reader)
        if name not in METHODS:
            return failure(name, sequence, UNKNOWN_METHOD, f"Invalid method name: '{name}'")
        if request is None:
            return failure(name, sequence, PROTOCOL_ERROR, f"{name} has no request")
        return self.answer(name, sequence, request)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """The server's only broad except: an internal error becomes a Thrift exception, is logged, and affects no other
        call."""
        try:
            reply = self.service.answer(name, request, self.peer)
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), reply)
        except Exception as error:
            LOG.exception("%s failed", name)
            return failure(name, sequence, INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def is_gone(connection: socket.socket) -> bool:
    """Whether the peer has disconnected; TLS does not allow to peek, so there it is noticed when responding."""
    if isinstance(connection, ssl.SSLSocket):
        return False
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False  # it is connected, and waits
    except OSError:
        return True


def read_call(reader: Reader) -> tuple[str, int, Message | None]:
    """Method, sequence id and request; no request for an unknown method or a message that is no call."""
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


def join_small_parts(parts: list[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Small parts are joined, large ones are sent without copying."""
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
    """Messages one after the other, without length prefixes."""

    def steps(self) -> Steps:
        while True:
            yield from self.waits_for_more()
            message = yield from self.inbox.message(self.most)
            yield partial(self.answer_message, message)

    def answer_message(self, message: bytes) -> None:
        self.send(self.reply_to(reader_of(message)).parts)

    def answer(self, name: str, sequence: int, request: Message) -> Writer:
        """There is no login on a plain socket, so OpenSession's user and password are checked."""
        user, secret = request.get("username", ""), request.get("password", "")
        known = self.authenticate(user, secret) if name == "OpenSession" else self.peer.user
        if known is None:
            refused = {"status": error_status("the user or password is wrong", "28000")}
            return call_parts(name, wire.REPLY, sequence, 0, response_of(name), refused)
        self.peer.user = known
        self.is_known = self.is_known or name == "OpenSession"
        return super().answer(name, sequence, request)


class SaslConversation(Conversation):
    """SASL PLAIN, then frames with length prefixes."""

    def steps(self) -> Steps:
        self.is_between = False
        status, mechanism = yield from self.negotiation()
        if status != START or mechanism != b"PLAIN":
            explanation = f"only PLAIN is offered, not {mechanism.decode('ascii', 'replace')[:40]}".encode()
            yield partial(self.say, BAD, explanation)
            return
        status, response = yield from self.negotiation()
        yield partial(self.log_in, status, response)
        while self.is_known:
            yield from self.waits_for_more()
            (size,) = yield from unpack(">i", self.inbox)
            frame = yield from self.inbox.exactly(size, self.most)
            yield partial(self.answer_frame, frame)

    def answer_frame(self, frame: bytes) -> None:
        writer = self.reply_to(reader_of(frame))
        self.send([struct.pack(">i", sum(map(len, writer.parts))), *writer.parts])

    def log_in(self, status: int, response: bytes) -> None:
        user, secret = plain_credentials(response)
        known = self.authenticate(user, secret) if status in (OK, COMPLETE) else None
        self.is_known = known is not None
        if known is not None:
            self.peer.user = known
            self.say(COMPLETE, b"")
        else:
            self.say(BAD, b"the user or password is wrong")

    def negotiation(self) -> Reading[tuple[int, bytes]]:
        status, length = yield from unpack(">bi", self.inbox)
        return status, (yield from self.inbox.exactly(length, LARGEST_LOGIN))

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
    """POST requests over a persistent connection."""

    may_come_in = False  # for the sender of the current request

    def end(self) -> None:
        """A session over HTTP is not bound to a connection; it ends when it is closed, or idle too long."""

    def steps(self) -> Steps:
        while True:
            yield from self.waits_for_more()
            try:
                request = yield from self.request()
            except (ValueError, WireError) as error:
                explanation = f"not a valid HTTP request: {error}".encode()
                yield partial(self.status, 400, "Bad Request", explanation)
                return  # the start of the next request is unknown
            yield partial(self.respond, request)
            if request.headers.get("connection", "").lower() == "close":
                return

    def request(self) -> Generator[Task | None, None, HttpRequest]:
        """A client that is not authenticated may send a body of the size of a login only."""
        method, path, _ = (yield from self.inbox.line()).decode("latin-1").split(" ", 2)
        headers = yield from self.headers()
        yield partial(self.log_in, headers.get("authorization", ""))
        if headers.get("expect", "").lower() == "100-continue":
            yield partial(self.send, [b"HTTP/1.1 100 Continue\r\n\r\n"])
        return HttpRequest(method, path, headers, (yield from self.body(headers)))

    def headers(self) -> Reading[dict[str, str]]:
        found: dict[str, str] = {}
        room = MOST_HEADERS
        while line := (yield from self.inbox.line()).strip():
            room -= len(line) + 32
            if room < 0:
                raise WireError("too many headers")
            name, _, value = line.decode("latin-1").partition(":")
            found[name.strip().lower()] = value.strip()
        return found

    def body(self, headers: dict[str, str]) -> Reading[bytes]:
        most = LARGEST_REQUEST if self.may_come_in else LARGEST_LOGIN
        if headers.get("transfer-encoding", "").lower() == "chunked":
            if "content-length" in headers:
                raise WireError("two lengths")
            return (yield from self.chunks(most))
        length = headers.get("content-length", "0")
        return (yield from self.inbox.exactly(plain_number(length, 10), most))

    def chunks(self, room: int) -> Reading[bytes]:
        found = bytearray()
        while size := plain_number((yield from self.inbox.line()).split(b";")[0].strip().decode("latin-1"), 16):
            found += yield from self.inbox.exactly(size, room - len(found))
            yield from self.inbox.line()
        yield from self.headers()  # trailers, and the empty line at the end
        return bytes(found)

    def respond(self, request: HttpRequest) -> None:
        if not request.path.startswith(PATHS):
            self.status(404, "Not Found", b"")
        elif not self.may_come_in:
            challenge = 'WWW-Authenticate: Basic realm=""\r\n'
            self.status(401, "Unauthorized", b"the user, password or token is wrong", challenge)
        elif request.method != "POST":
            self.status(405, "Method Not Allowed", b"a Thrift endpoint: POST TCLIService messages here")
        else:
            self.answer_call(request.body)

    def answer_call(self, body: bytes) -> None:
        try:
            parts = self.reply_to(reader_of(body)).parts
        except WireError as error:
            self.status(400, "Bad Request", f"not a TCLIService call: {error}".encode())
            return
        length = sum(map(len, parts))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/x-thrift\r\nContent-Length: {length}\r\n\r\n"
        self.send([head.encode(), *parts])

    def status(self, code: int, reason: str, body: bytes, headers: str = "") -> None:
        head = f"HTTP/1.1 {code} {reason}\r\n{headers}Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        self.send([head.encode() + body])

    def log_in(self, authorization: str) -> None:
        kind, _, value = authorization.partition(" ")
        user, secret = basic_credentials(value) if kind.lower() == "basic" else ("", value)
        known = self.authenticate(user, secret)
        self.peer.user, self.may_come_in = known or "", known is not None
        self.is_known = self.is_known or self.may_come_in


def reader_of(message: bytes) -> Reader:
    return Reader(message, elements=MOST_ELEMENTS)


def plain_number(text: str, base: int) -> int:
    """Digits only: Python would also accept signs, spaces and underscores."""
    if not text.isascii() or not text.isalnum():
        raise WireError(f"an invalid length: {text[:40]!r}")
    return int(text, base)


def basic_credentials(value: str) -> tuple[str, str]:
    """Invalid base64 yields empty credentials."""
    try:
        user, _, secret = base64.b64decode(value).decode("utf-8", "replace").partition(":")
    except ValueError:
        return "", ""
    return user, secret
