"""gRPC messages in the data of a stream: a flag, a length and a body; compressed ones are decompressed when read."""

import struct
import zlib
from collections.abc import Callable

PREFIX = struct.Struct(">BL")
ZLIB, GZIP = zlib.MAX_WBITS, zlib.MAX_WBITS | 16
CODECS = {"gzip": GZIP, "deflate": ZLIB}
STEP = 4 * 1024 * 1024  # bytes that are decompressed before the limits are checked again
HARMLESS = 1024 * 1024  # a decompressed size that is allowed for any compressed size

Message = tuple[bool, bytes]  # whether it is compressed, and its bytes


class TooLarge(Exception):
    """A message above the size limit of this server."""

    def __init__(self, size: int | str, most: int) -> None:
        super().__init__(f"Received message larger than max ({size} vs. {most})")


class BadMessage(Exception):
    """A message compressed with another encoding than announced, or with invalid data."""


class Messages:
    """Splits the data of one stream into messages."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()  # of the incomplete message, including its prefix
        self._whole = 0  # its length, once it is known

    def feed(self, data: memoryview) -> list[Message]:
        """The messages that are complete now."""
        found: list[Message] = []
        while data:
            if not self._bytes and len(data) >= PREFIX.size:
                data = self._take_whole(data, found)
            else:
                data = self._take_part(data, found)
        return found

    @property
    def is_between(self) -> bool:
        return not self._bytes

    def _take_whole(self, data: memoryview, found: list[Message]) -> memoryview:
        """The usual case: a message arrives in one frame, and is copied once."""
        end = self._length(data)
        if len(data) < end:
            self._whole = end
            self._bytes += data
            return data[:0]
        found.append((bool(data[0]), bytes(data[PREFIX.size : end])))
        return data[end:]

    def _take_part(self, data: memoryview, found: list[Message]) -> memoryview:
        wanted = (self._whole or PREFIX.size) - len(self._bytes)
        self._bytes += data[:wanted]
        if not self._whole and len(self._bytes) == PREFIX.size:
            self._whole = self._length(self._bytes)
        if len(self._bytes) == self._whole:
            found.append((bool(self._bytes[0]), bytes(memoryview(self._bytes)[PREFIX.size :])))
            self._bytes, self._whole = bytearray(), 0
        return data[wanted:]

    def _length(self, data: memoryview | bytearray) -> int:
        """The length including the prefix."""
        _, size = PREFIX.unpack_from(data)
        if size > self._most:
            raise TooLarge(size, self._most)
        return PREFIX.size + int(size)


def decompress(message: bytes, encoding: str, most: int, expansion: int, charge: Callable[[int], None]) -> bytes:
    """`charge` is called with the size of each decompressed chunk, before the next one, and may raise."""
    if encoding not in CODECS:
        raise BadMessage(f"a compressed message under the encoding {encoding!r}")
    most = min(most, max(HARMLESS, expansion * len(message)))
    codec, parts, size, left = zlib.decompressobj(CODECS[encoding]), list[bytes](), 0, message
    while not codec.eof:
        parts.append(next_part(codec, left, min(STEP, most + 1 - size)))
        size, left = size + len(parts[-1]), codec.unconsumed_tail
        if size > most:
            raise TooLarge(f"over {most}", most)
        if not parts[-1] and not left:
            break  # no input and no output: the rest of the message is missing
        charge(len(parts[-1]))
    if not codec.eof or codec.unused_data:
        raise BadMessage("a compressed message with a wrong length")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def next_part(codec: "zlib._Decompress", left: bytes, most: int) -> bytes:
    try:
        return codec.decompress(left, most)
    except zlib.error as error:
        raise BadMessage(str(error)) from error


def message_prefix(message: bytes) -> bytes:
    """The prefix of a message on the wire."""
    return PREFIX.pack(0, len(message))
