"""Listens on a port, and gives every client's connection its first thread."""

import errno
import logging
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

from twinspark.doors.http2.connection import Check, Connection
from twinspark.doors.http2.methods import Method
from twinspark.session.threads import DaemonThreads

log = logging.getLogger("twinspark.http2")
EVERY_ADDRESS = ("0.0.0.0", "::", "[::]")
SILENT_SECONDS = 60  # after which a peer's machine is asked whether it is still there
UNHEARD_MILLISECONDS = 300_000  # and after which one that does not answer has left


class Http2Server:
    """`methods` by their path; `check` sees the headers of every call, and refuses it by raising `Refused`."""

    def __init__(
        self, host: str, port: int, methods: Mapping[str, Method], check: Check, threads: DaemonThreads
    ) -> None:
        self._methods = methods
        self._check = check
        self._threads = threads
        self._connections: set[Connection] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._listeners = listeners_at(host, port)
        self.port: int = self._listeners[0].getsockname()[1]

    def start(self) -> None:
        for listener in self._listeners:
            threading.Thread(target=self._accept, args=(listener,), name="accept", daemon=True).start()

    def wait(self) -> None:
        self._stopped.wait()

    def wait_for_quiet(self, seconds: float, most: float) -> None:
        """Until nobody has called for so long; a server that is called all the time, or ends, is not waited for."""
        until = time.monotonic() + most
        while time.monotonic() < until and self._quiet_seconds() < seconds:
            if self._stopped.wait(seconds / 10):
                return

    def _quiet_seconds(self) -> float:
        return time.monotonic() - max((each.last_call for each in self._all()), default=0.0)

    def stop(self, grace: float | None = None) -> None:
        """Calls that run may end within the grace; then all lines are cut."""
        self._stopped.set()
        for listener in self._listeners:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # closing alone does not wake who waits in accept
            listener.close()
        for each in self._all():
            each.leave()
        until = time.monotonic() + (grace or 0.0)
        while time.monotonic() < until and any(each.is_busy for each in self._all()):
            time.sleep(0.01)
        for each in self._all():
            each.close()

    def _all(self) -> list[Connection]:
        with self._lock:
            return list(self._connections)

    def _accept(self, listener: socket.socket) -> None:
        while not self._stopped.is_set():
            try:
                line, _ = listener.accept()
            except OSError as error:
                if not self._stopped.is_set():
                    log.warning("a connection could not be accepted: %s", error)
                    time.sleep(0.1)  # too many open files, say: it may get better
                continue
            self._threads.submit(self._connected, line)

    def _connected(self, line: socket.socket) -> None:
        connection = Connection(line, self._methods, self._check, self._threads, self._lost)
        with self._lock:
            self._connections.add(connection)
        if self._stopped.is_set():
            connection.close()
        with suppress(OSError):
            tune(line)
        connection.open()

    def _lost(self, connection: Connection) -> None:
        with self._lock:
            self._connections.discard(connection)


def tune(line: socket.socket) -> None:
    """Answers leave at once, and a peer whose machine has gone is noticed."""
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", SILENT_SECONDS), ("TCP_USER_TIMEOUT", UNHEARD_MILLISECONDS)):
        if option := getattr(socket, name, None):  # not every system has them
            line.setsockopt(socket.IPPROTO_TCP, option, value)


def listeners_at(host: str, port: int) -> list[socket.socket]:
    """At every address of a name, all at one port: `localhost` has two."""
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
    """Those of IPv4 first: they are always there."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    known = {(family, str(address[0])): None for family, _, _, _, address in found}
    return sorted(known, key=lambda each: each[0] != socket.AF_INET)
