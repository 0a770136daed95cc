"""The Thrift server: HTTP, SASL and plain binary on one port, distinguished by a connection's first byte."""

import socket
import ssl
from contextlib import suppress
from dataclasses import replace
from typing import cast

from twinspark.doors.sockets import Acceptor, Admission, Poller, RejectionCounts, Slots, UnreadBytes, wrap_socket
from twinspark.doors.thrift.backend import Backend
from twinspark.doors.thrift.connection import Connection, Door
from twinspark.doors.thrift.idle_sessions import IDLE_SECONDS, Caretaker
from twinspark.doors.thrift.service import Service
from twinspark.doors.thrift.transports import Authenticate, anyone
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads
from twinspark.ui.metrics import DoorState


class Server:
    """One thread accepts, one polls all connections, and a pool executes calls; `stop()` ends them all."""

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
        limits: Limits | None = None,
    ) -> None:
        self.service = Service(backend, compress_local)
        self.caretaker = Caretaker(self.service, idle_seconds)
        self.tls = tls
        self.door = new_door(self.service, authenticate, limits or Limits())
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=1024)
        self.host, self.port = listener.getsockname()[:2]
        self._acceptor = Acceptor([listener], self.welcome)
        self.door.poller.start()
        self._acceptor.start()

    def welcome(self, accepted: socket.socket, address: str) -> None:
        if limit := self.door.admission.obstacle(address):
            self.door.counts.reject(limit)
            turn_away(accepted)
            return
        connection = Connection(wrap_socket(accepted, self.tls), address, self.door)
        self.door.admission.enter(connection)
        connection.open()

    @property
    def connections(self) -> list[Connection]:
        return cast("list[Connection]", self.door.admission.all())

    def state(self) -> DoorState:
        calls = sum(each.is_working for each in self.connections)
        return DoorState(len(self.door.admission), self.door.unread.bytes, self.door.counts.rejections(), calls)

    def use_limits(self, limits: Limits) -> None:
        """For connections that are opened from now on, and for the number of calls."""
        self.door.admission.use_limits(limits)
        self.door.workers.resize(limits.calls)
        self.door.readers.resize(limits.reading_threads)
        self.door = replace(self.door, limits=limits)

    def stop(self) -> None:
        self.caretaker.stop()
        self._acceptor.stop()
        for connection in self.connections:
            connection.line.hang_up()
        self.door.poller.stop()
        self.service.close()
        self.door.threads.shutdown()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def new_door(service: Service, authenticate: Authenticate, limits: Limits) -> Door:
    return Door(
        service,
        authenticate,
        DaemonThreads("thrift"),
        limits,
        Poller("thrift-door"),
        Admission(limits),
        RejectionCounts(),
        UnreadBytes(limits.unread_bytes),
        Slots(limits.calls),
        Slots(limits.reading_threads),
    )


def turn_away(accepted: socket.socket) -> None:
    """Closes without a response, since the protocol of the client is not known yet."""
    with suppress(OSError):
        accepted.shutdown(socket.SHUT_RDWR)
    accepted.close()


start = Server  # starts listening and returns at once; port 0 selects a free port, see `Server.port`
