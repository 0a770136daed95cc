"""Headers in and out: HPACK (RFC 7541) read with the `hpack` package, and written without a table of our own."""

import base64
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from hpack import Decoder, HPACKError

from twinspark.doors.http2.frames import ConnectionFailure, ErrorCode

MOST_MEMORIES = 100
STATUS_200 = b"\x88"  # entry 8 of the static table
STATUS_NAME, CONTENT_TYPE_NAME = 8, 31  # their names alone
PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")  # what grpc-message shows as it is


class HeaderReader:
    """One connection's headers. A client says the same again and again, by numbers that keep their meaning."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._known: dict[bytes, Mapping[str, str]] = {}

    def read(self, block: bytes) -> Mapping[str, str]:
        return self._known.get(block) or self._decoded(block)

    def _decoded(self, block: bytes) -> Mapping[str, str]:
        newest, size = self._table()  # the entry itself: its number could be given to another one
        try:
            headers = {str(name): str(value) for name, value in self._decoder.decode(block)}
        except HPACKError as error:
            raise ConnectionFailure(ErrorCode.COMPRESSION_ERROR, str(error)) from error
        now, size_now = self._table()
        if now is not newest or size_now != size or len(self._known) >= MOST_MEMORIES:
            self._known.clear()  # the block told new entries, and other numbers may mean other things now
        else:
            self._known[block] = headers
        return headers

    def _table(self) -> tuple[object, tuple[int, int]]:
        """Changes whenever the table does: entries come in front, and go at the end."""
        table = self._decoder.header_table
        entries = table.dynamic_entries
        return entries[0] if entries else None, (len(entries), table.maxsize)


def literal(name: bytes | int, value: bytes) -> bytes:
    """A header that goes into no table."""
    if isinstance(name, int):
        return prefixed_integer(name, 4) + text(value)
    return b"\x00" + text(name) + text(value)


def text(value: bytes) -> bytes:
    return prefixed_integer(len(value), 7) + value


def prefixed_integer(number: int, bits: int) -> bytes:
    """RFC 7541, section 5.1; the bits above the prefix are all zero in what we write."""
    most = (1 << bits) - 1
    if number < most:
        return bytes([number])
    out, number = bytearray([most]), number - most
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def encoded(name: str, value: str | bytes) -> bytes:
    """Metadata of gRPC: binary values go as base64."""
    if name.endswith("-bin"):
        raw = value if isinstance(value, bytes) else value.encode()
        return literal(name.encode(), base64.b64encode(raw).rstrip(b"="))
    return literal(name.encode(), value if isinstance(value, bytes) else value.encode())


def status_block(code: int, details: str, metadata: Iterable[tuple[str, str | bytes]]) -> bytes:
    message = literal(b"grpc-message", quote(details, safe=PLAIN).encode()) if details else b""
    rest = b"".join(encoded(*each) for each in metadata)
    return literal(b"grpc-status", str(code).encode()) + message + rest


RESPONSE_BLOCK = (
    STATUS_200
    + literal(CONTENT_TYPE_NAME, b"application/grpc")
    + literal(b"grpc-accept-encoding", b"identity, deflate, gzip")
)
SUCCESS_BLOCK = status_block(0, "", ())
NOT_GRPC_BLOCK = literal(STATUS_NAME, b"415")
