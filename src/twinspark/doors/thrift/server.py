"""The listening door: HTTP, SASL and plain binary on one port, told apart by a connection's first byte."""

import contextlib
import ipaddress
import logging
import socket
import ssl
import threading
import time
from io import BufferedReader
from typing import Any

from twinspark.doors.thrift.backend import Backend
from twinspark.doors.thrift.conversations import (
    SILENCE_SECONDS,
    Authenticate,
    BinaryConversation,
    Conversation,
    HttpConversation,
    SaslConversation,
    anyone,
)
from twinspark.doors.thrift.idle import IDLE_SECONDS, Caretaker
from twinspark.doors.thrift.service import Service
from twinspark.driver.wire import WireError

LOG = logging.getLogger(__name__)
ACCEPT_PAUSE = 0.2


class Server:
    """A thread that accepts and one thread per connection; `stop()` ends them all."""

    def __init__(
        self,
        host: str,
        port: int,
        backend: Backend,
        *,
        authenticate: Authenticate = anyone,
        tls: ssl.SSLContext | None = None,
        compress_local: bool = False,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.service = Service(backend, compress_local)
        self.caretaker = Caretaker(self.service, idle_seconds)
        self.authenticate, self.tls = authenticate, tls
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family, backlog=128)
        self.host, self.port = self.listener.getsockname()[:2]
        self.connections: set[socket.socket] = set()
        self.lock, self.stopping = threading.Lock(), False
        threading.Thread(target=self.accept, name="thrift-door", daemon=True).start()

    def accept(self) -> None:
        while not self.stopping:
            try:
                connection, address = self.listener.accept()
            except OSError as error:
                if not self.stopping:  # too many open files, or the like: others leave, and then there is room again
                    LOG.warning("a connection was not accepted: %s", error)
                    time.sleep(ACCEPT_PAUSE)
                continue
            threading.Thread(target=self.serve, args=(connection, address[0]), daemon=True).start()

    def serve(self, connection: socket.socket, address: str) -> None:
        try:
            prepare(connection)
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with self.lock:
                self.connections.add(connection)
            self.converse(connection, address)
        except (OSError, WireError, EOFError) as error:
            LOG.info("connection from %s ended: %s", address, error)
        finally:
            with self.lock:
                self.connections.discard(connection)
            connection.close()

    def converse(self, connection: socket.socket, address: str) -> None:
        stream: BufferedReader[Any] = BufferedReader(connection.makefile("rb", buffering=0), 1 << 18)
        first = stream.peek(1)[:1]
        connection.settimeout(None)
        is_local = ipaddress.ip_address(address).is_loopback
        conversation = language_of(first)(self.service, self.authenticate, connection, stream, is_local)
        try:
            conversation.run()
        finally:
            conversation.end()

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


def prepare(connection: socket.socket) -> None:
    """Who says nothing at all is let go; the kernel finds out about machines that were switched off."""
    connection.settimeout(SILENCE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def language_of(first: bytes) -> type[Conversation]:
    if first in LANGUAGES:
        return LANGUAGES[first]
    if first.isalpha():
        return HttpConversation
    if not first:
        raise EOFError("nothing was said")
    raise WireError(f"neither HTTP nor SASL nor Thrift: the first byte is {first!r}")


LANGUAGES: dict[bytes, type[Conversation]] = {b"\x01": SaslConversation, b"\x80": BinaryConversation}
start = Server  # opens the door and returns at once; port 0 takes a free one, see `Server.port`
