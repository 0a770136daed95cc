"""Frames on their way out: whoever adds some sends them too, unless another thread is at it and takes them along."""

import socket
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

MOST_PIECES = 1000  # for one call of the kernel: IOV_MAX is 1024
SMALL = 16_384  # so few bytes are faster joined than told one by one
MOST_WAITING = 10_000  # a peer that asks for so many answers, and takes none, wants no answers

Piece = bytes | memoryview


class Outbox:
    """One connection's way out. Adding never waits for the peer; what may be sent at all, its windows bound."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting: deque[Sequence[Piece]] = deque()
        self._sending = threading.Lock()

    def put(self, *pieces: Piece) -> None:
        """These pieces stay together and in order."""
        self._waiting.append(pieces)
        if len(self._waiting) > MOST_WAITING:
            self.close()
        while self._waiting and self._sending.acquire(blocking=False):
            try:
                self._send()
            finally:
                self._sending.release()  # and look again: another may have added without getting the lock

    def close(self) -> None:
        """The reader of the connection sees its end, and tells the others."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Nobody may send on a number that the kernel gives to another connection: who is at it is waited for."""
        self.close()
        with self._sending:
            self._line.close()

    def _send(self) -> None:
        while self._waiting:
            try:
                self._send_all(self._taken())
            except OSError:
                self._waiting.clear()
                self.close()

    def _taken(self) -> list[Piece]:
        pieces: list[Piece] = []
        while self._waiting and len(pieces) < MOST_PIECES:
            pieces.extend(self._waiting.popleft())
        return pieces

    def _send_all(self, pieces: list[Piece]) -> None:
        if sum(map(len, pieces)) <= SMALL:
            self._line.sendall(b"".join(pieces))
            return
        for start in range(0, len(pieces), MOST_PIECES):
            self._send_some(pieces[start : start + MOST_PIECES])

    def _send_some(self, pieces: list[Piece]) -> None:
        while pieces:
            pieces = rest_of(pieces, self._line.sendmsg(pieces))


def rest_of(pieces: list[Piece], sent: int) -> list[Piece]:
    for index, piece in enumerate(pieces):
        if sent < len(piece):
            return [memoryview(piece)[sent:], *pieces[index + 1 :]]
        sent -= len(piece)
    return []
