"""A client's socket, plain or TLS: operations do not block unless they have a timeout."""

import select
import socket
import ssl
import struct
import threading
from contextlib import suppress

Piece = bytes | memoryview
SILENT_SECONDS = 60  # after which the kernel probes an idle peer
UNHEARD_MILLISECONDS = 300_000  # after which a peer that acknowledges nothing is considered gone
IN, OUT = select.POLLIN, select.POLLOUT
WHOLE_RECORD = 16_384  # the largest TLS record of OpenSSL


class ClientSocket:
    """A plain socket; each method says whether it may block, so that waiting and receiving is one system call."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self._patience = 0.0
        accepted.setblocking(True)

    def fileno(self) -> int:
        return self.socket.fileno()

    def greet(self) -> int:
        """One step of the handshake: the event to wait for, or 0 if it is complete."""
        return 0

    @property
    def has_more(self) -> bool:
        """Whether there are bytes that the kernel no longer has."""
        return False

    def receive(self, into: memoryview) -> int | None:
        """How many bytes were received, 0 at the end of the stream, None if there are none yet."""
        try:
            return self.socket.recv_into(into, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return None

    def receive_within(self, into: memoryview, seconds: float) -> int | None:
        """The same, after waiting for bytes if there are none."""
        if self._patience != seconds:
            self._patience = seconds
            limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        try:
            return self.socket.recv_into(into)
        except (BlockingIOError, InterruptedError):
            return None

    def send(self, pieces: list[Piece]) -> int | None:
        """How many bytes were sent, None if the socket's buffer is full."""
        try:
            return self.socket.sendmsg(pieces, (), socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return None

    def wait(self, event: int, seconds: float) -> bool:
        """Whether it happened in time; a closed socket counts as ready: the next operation reports it."""
        waiting = select.poll()
        waiting.register(self.socket, event)
        return bool(waiting.poll(seconds * 1000))

    def say_no_more(self) -> None:
        """Ends our side of the stream: the peer reads what was sent, and then the end."""
        with suppress(OSError):
            socket.socket.shutdown(self.socket, socket.SHUT_WR)

    def hang_up(self) -> None:
        """Ends the stream in both directions, and wakes threads that wait for it."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.socket.close()


class TlsClientSocket(ClientSocket):
    """OpenSSL's state is not thread-safe: reading and writing exclude each other, waiting does not."""

    def __init__(self, accepted: socket.socket, context: ssl.SSLContext) -> None:
        accepted.setblocking(False)
        secured = context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
        super().__init__(secured)
        secured.setblocking(False)
        self.tls = secured
        self._one_at_a_time = threading.Lock()

    def greet(self) -> int:
        try:
            with self._one_at_a_time:
                self.tls.do_handshake()
        except ssl.SSLWantReadError:
            return IN
        except ssl.SSLWantWriteError:
            return OUT
        return 0

    @property
    def has_more(self) -> bool:
        return self.tls.pending() > 0

    def receive(self, into: memoryview) -> int | None:
        try:
            with self._one_at_a_time:
                return self.tls.recv_into(into)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None
        except ssl.SSLEOFError:
            return 0

    def receive_within(self, into: memoryview, seconds: float) -> int | None:
        got = self.receive(into)
        return self.receive(into) if got is None and self.wait(IN, seconds) else got

    def send(self, pieces: list[Piece]) -> int | None:
        """Sends one record: a retry begins with the same bytes, as OpenSSL requires."""
        content = first_bytes(pieces, WHOLE_RECORD)
        try:
            with self._one_at_a_time:
                return self.tls.send(content)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None

    def hang_up(self) -> None:
        with suppress(OSError):
            socket.socket.shutdown(self.tls, socket.SHUT_RDWR)  # SSLSocket's own method drops the TLS state


def first_bytes(pieces: list[Piece], size: int) -> Piece:
    """A large piece is not copied; small ones are joined."""
    if len(pieces[0]) >= size:
        return pieces[0][:size]
    found: list[Piece] = []
    for piece in pieces:
        found.append(piece[:size])
        size -= len(found[-1])
        if not size:
            break
    return b"".join(found)


def wrap_socket(accepted: socket.socket, tls: ssl.SSLContext | None) -> ClientSocket:
    """Its handshake is done later, step by step, by the poller."""
    with suppress(OSError):
        tune(accepted)
    return ClientSocket(accepted) if tls is None else TlsClientSocket(accepted, tls)


def tune(line: socket.socket) -> None:
    """Disables Nagle's algorithm, and enables probes of unreachable peers."""
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", SILENT_SECONDS), ("TCP_USER_TIMEOUT", UNHEARD_MILLISECONDS)):
        if option := getattr(socket, name, None):  # not every system has them
            line.setsockopt(socket.IPPROTO_TCP, option, value)
