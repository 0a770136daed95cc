"""Listens on a port, and hands each accepted connection to the poller."""

import errno
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import cast

from twinspark.doors.http2.connection import Connection
from twinspark.doors.http2.door import Check, Door, new_door
from twinspark.doors.http2.methods import Method
from twinspark.doors.sockets import Acceptor, wrap_socket
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads
from twinspark.ui.metrics import DoorState

EVERY_ADDRESS = ("0.0.0.0", "::", "[::]")
FAREWELL_SECONDS = 0.2  # for clients to read their last responses and close their connections


class Http2Server:
    """`methods` by their path; `check` gets the headers of every call, and rejects it by raising `CallRejected`.

    With `tls` every connection begins with a handshake by the poller, within `handshake_seconds`.
    """

    def __init__(
        self,
        host: str,
        port: int,
        methods: Mapping[str, Method],
        check: Check,
        threads: DaemonThreads,
        limits: Limits | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.door: Door = new_door(methods, check, threads, limits or Limits())
        self._tls = tls
        self._stopped = threading.Event()
        listeners = listeners_at(host, port)
        self._acceptor = Acceptor(listeners, self._welcome)
        self.port: int = listeners[0].getsockname()[1]

    def start(self) -> None:
        self.door.poller.start()
        self._acceptor.start()

    def use_limits(self, limits: Limits) -> None:
        """For connections that are opened from now on, and for the number of calls."""
        self.door.admission.use_limits(limits)
        self.door.workers.resize(limits.calls)
        self.door = replace(self.door, limits=limits)

    def state(self) -> DoorState:
        calls = sum(len(each.protocol.calls) for each in self._all())
        return DoorState(len(self.door.admission), self.door.unread.bytes, self.door.counts.rejections(), calls)

    def wait(self) -> None:
        self._stopped.wait()

    def wait_for_quiet(self, seconds: float, most: float) -> None:
        """Waits until there was no call for `seconds`; at most `most` seconds, or until the server ends."""
        until = time.monotonic() + most
        while time.monotonic() < until and self._quiet_seconds() < seconds:
            if self._stopped.wait(seconds / 10):
                return

    def _quiet_seconds(self) -> float:
        return time.monotonic() - max((each.last_call for each in self._all()), default=0.0)

    def stop(self, grace: float | None = None) -> None:
        """Running calls may end within the grace period; then all connections are closed."""
        self._stopped.set()
        self._acceptor.stop()
        for each in self._all():
            each.leave()
        self._wait_until(lambda: not any(each.is_busy for each in self._all()), grace or 0.0)
        for each in self._all():
            each.line.say_no_more()
        self._wait_until(lambda: not self._all(), FAREWELL_SECONDS if grace else 0.0)
        for each in self._all():
            each.close()
        self.door.poller.stop()
        self.door.threads.shutdown()

    def _wait_until(self, is_so: Callable[[], bool], seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not is_so():
            time.sleep(0.01)

    def _all(self) -> list[Connection]:
        return cast("list[Connection]", self.door.admission.all())

    def _welcome(self, accepted: socket.socket, address: str) -> None:
        if limit := self.door.admission.obstacle(address):
            self.door.counts.reject(limit)
            turn_away(accepted)
            return
        connection = Connection(wrap_socket(accepted, self._tls), address, self.door)
        self.door.admission.enter(connection)
        connection.open()
        if self._stopped.is_set():
            connection.close()


def turn_away(accepted: socket.socket) -> None:
    """Closes without a GOAWAY frame: after one a gRPC client reconnects at once, without one it backs off."""
    accepted.setblocking(False)
    with suppress(OSError):
        accepted.shutdown(socket.SHUT_WR)
        accepted.recv(65536)  # closing with unread bytes would reset the connection
    accepted.close()


def listeners_at(host: str, port: int) -> list[socket.socket]:
    """Listens at every address of a host name, all with one port: `localhost` has two."""
    if host in EVERY_ADDRESS and socket.has_dualstack_ipv6():
        return [socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)]
    found: list[socket.socket] = []
    for family, address in addresses_of(host.strip("[]")):
        try:
            found.append(socket.create_server((address, port), family=family, backlog=1024))
        except OSError as error:
            if not found or error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EADDRINUSE):
                raise
        port = port or found[0].getsockname()[1]
    return found


def addresses_of(host: str) -> list[tuple[socket.AddressFamily, str]]:
    """IPv4 addresses first, since they always exist."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    known = {(family, str(address[0])): None for family, _, _, _, address in found}
    return sorted(known, key=lambda each: each[0] != socket.AF_INET)
