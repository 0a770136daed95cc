"""gRPC's messages inside a stream of bytes: a flag, a length, and as many bytes; compressed ones are opened here."""

import struct
import zlib

PREFIX = struct.Struct(">BL")
ZLIB, GZIP = zlib.MAX_WBITS, zlib.MAX_WBITS | 16
CODECS = {"gzip": GZIP, "deflate": ZLIB}


class TooLarge(Exception):
    """A message beyond what this server takes."""

    def __init__(self, size: int | str, most: int) -> None:
        super().__init__(f"Received message larger than max ({size} vs. {most})")


class BadMessage(Exception):
    """Compressed in a way that was not announced, or not at all."""


class Messages:
    """Cuts what arrives on one stream into messages."""

    def __init__(self, encoding: str, most: int) -> None:
        self._encoding = encoding
        self._most = most
        self._pieces: list[bytes] = []  # of the message that is on its way, prefix and all
        self._length = 0

    def feed(self, data: memoryview) -> list[bytes]:
        """The messages that are whole now."""
        found: list[bytes] = []
        while data:
            data = self._take(data)
            if self._length >= PREFIX.size and self._length == self._whole():
                found.append(self._finished())
        return found

    @property
    def is_between(self) -> bool:
        return not self._length

    def _take(self, data: memoryview) -> memoryview:
        wanted = (self._whole() if self._length >= PREFIX.size else PREFIX.size) - self._length
        self._pieces.append(bytes(data[:wanted]))
        self._length += len(self._pieces[-1])
        return data[wanted:]

    def _whole(self) -> int:
        """The length of the message with its prefix."""
        if len(self._pieces[0]) < PREFIX.size:
            self._pieces = [b"".join(self._pieces)]
        _, size = PREFIX.unpack_from(self._pieces[0])
        if size > self._most:
            raise TooLarge(size, self._most)
        return PREFIX.size + int(size)

    def _finished(self) -> bytes:
        is_compressed, _ = PREFIX.unpack_from(self._pieces[0])
        first = self._pieces[0][PREFIX.size :]
        message = b"".join([first, *self._pieces[1:]]) if len(self._pieces) > 1 else first
        self._pieces, self._length = [], 0
        return self._opened(message) if is_compressed else message

    def _opened(self, message: bytes) -> bytes:
        if self._encoding not in CODECS:
            raise BadMessage(f"a compressed message under the encoding {self._encoding!r}")
        codec = zlib.decompressobj(CODECS[self._encoding])
        try:
            opened = codec.decompress(message, self._most + 1)
        except zlib.error as error:
            raise BadMessage(str(error)) from error
        if len(opened) > self._most:
            raise TooLarge(f"over {self._most}", self._most)
        return opened


def framed(message: bytes) -> bytes:
    """What stands before a message on the wire."""
    return PREFIX.pack(0, len(message))
