"""The send queue of a connection: the thread that adds frames also sends them, unless another thread is already
sending."""

import threading
from collections import deque
from collections.abc import Callable, Sequence

from twinspark.doors.sockets.client_socket import OUT, ClientSocket, Piece

MOST_PIECES = 1000  # for one system call: IOV_MAX is 1024
SMALL = 16_384  # so few bytes are faster joined than passed separately
MOST_WAITING = 10_000  # a peer that causes so many responses without reading any is disconnected
SETTLE_SECONDS = 0.05
SEND_SECONDS = 300.0  # for which a peer may read nothing of what a call sends


class SendQueue:
    """One connection's send queue. Calls wait for the peer; the thread that reads never does: the poller then sends."""

    def __init__(
        self, line: ClientSocket, want_to_send: Callable[[], None], has_room: Callable[[], None], most: int
    ) -> None:
        self._line = line
        self._want_to_send = want_to_send
        self._has_room = has_room
        self._most = most
        self._waiting: deque[Sequence[Piece]] = deque()
        self._current: list[Piece] = []  # of those, what is being sent
        self._unsent = 0
        self._lock = threading.Lock()  # of the two above
        self._sending = threading.Lock()

    def promise(self, size: int) -> bool:
        """Reserves room for bytes that a call is going to add; they count from now on."""
        with self._lock:
            if self._unsent >= self._most:
                return False
            self._unsent += size
            return True

    def put(self, *pieces: Piece, promised: int = 0) -> None:
        """These pieces stay together and in order; waits for a peer that does not read."""
        self._add(pieces, promised)
        self._send(waits=True)

    def put_now(self, *pieces: Piece, promised: int = 0) -> None:
        """What the peer does not accept now is sent later."""
        self._add(pieces, promised)
        self.send_now()

    def send_now(self) -> None:
        if not self._send(waits=False):
            self._want_to_send()

    def settle(self) -> None:
        """Waits until a GOAWAY frame that another thread sends has been sent, before the socket is closed."""
        if self._sending.acquire(timeout=SETTLE_SECONDS):
            self._sending.release()
            self._send(waits=False)

    def end(self) -> None:
        """Waits for a sending thread, since the kernel may give the socket's number to another connection."""
        self._line.hang_up()
        with self._sending:
            self._line.close()

    def _add(self, pieces: Sequence[Piece], promised: int) -> None:
        with self._lock:
            self._waiting.append(pieces)
            self._unsent += sum(map(len, pieces)) - promised
        if len(self._waiting) > MOST_WAITING:
            self._line.hang_up()

    def _send(self, waits: bool) -> bool:
        """False if there is more, and the peer does not accept it now."""
        while (self._waiting or self._current) and self._sending.acquire(blocking=False):
            try:
                if not self._send_all(waits):
                    return False
            finally:
                self._sending.release()  # and check again: another thread may have added without getting the lock
        return True

    def _send_all(self, waits: bool) -> bool:
        while self._current or self._take():
            try:
                sent = self._line.send(self._current[:MOST_PIECES])
            except OSError:
                self._drop_all()
                return True
            if sent is not None:
                self._note_sent(sent)
            elif not waits:
                return False
            elif not self._line.wait(OUT, SEND_SECONDS):
                self._drop_all()
        return True

    def _take(self) -> bool:
        pieces: list[Piece] = []
        with self._lock:
            while self._waiting and len(pieces) < MOST_PIECES:
                pieces.extend(self._waiting.popleft())
        self._current = [b"".join(pieces)] if len(pieces) > 1 and sum(map(len, pieces)) <= SMALL else pieces
        return bool(pieces)

    def _note_sent(self, size: int) -> None:
        self._current = rest_of(self._current, size)
        with self._lock:
            was_full = self._unsent >= self._most
            self._unsent -= size
            has_room = was_full and self._unsent < self._most
        if has_room:
            self._has_room()

    def _drop_all(self) -> None:
        """The reader of the connection sees its end, and notifies the calls."""
        with self._lock:
            self._waiting.clear()
            self._unsent = 0
        self._current = []
        self._line.hang_up()
        self._has_room()


def rest_of(pieces: list[Piece], sent: int) -> list[Piece]:
    for index, piece in enumerate(pieces):
        if sent < len(piece):
            return [memoryview(piece)[sent:], *pieces[index + 1 :]]
        sent -= len(piece)
    return []
