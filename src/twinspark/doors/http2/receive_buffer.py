"""The receive buffer between the socket and the frames: one for each reading thread, none for an idle connection."""

import threading

SIZE = 128 * 1024  # more than the largest frame that must be received completely


class ReceiveBuffer:
    """Received bytes that are not parsed yet are between `at` and `end`."""

    def __init__(self) -> None:
        self.buffer = bytearray(SIZE)
        self.view = memoryview(self.buffer)
        self.at = self.end = 0

    @property
    def size(self) -> int:
        return self.end - self.at

    def load(self, left: bytes) -> None:
        self.view[: len(left)] = left
        self.at, self.end = 0, len(left)

    def rest(self) -> bytes:
        return bytes(self.view[self.at : self.end])

    def take(self, size: int) -> bytes:
        taken = bytes(self.view[self.at : self.at + size])
        self.at += size
        return taken

    def space(self) -> memoryview:
        """Where the next bytes are received; unparsed bytes move to the front when the end is near."""
        if self.at == self.end:
            self.at = self.end = 0
        elif self.at and self.end > SIZE // 2:
            self.load(self.rest())
        return self.view[self.end :]


class ReceiveBuffers(threading.local):
    """The buffer of each thread."""

    def __init__(self) -> None:
        self.mine = ReceiveBuffer()


INTAKES = ReceiveBuffers()
