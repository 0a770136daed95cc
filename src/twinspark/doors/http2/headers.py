"""HPACK headers (RFC 7541): decoded with the `hpack` package, and encoded without a dynamic table."""

import base64
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from hpack import Decoder, HPACKError, OversizedHeaderListError

from twinspark.doors.http2.frames import ConnectionFailure, ErrorCode

MOST_MEMORIES = 100
MEMORABLE = 1024  # largest header block that is cached; usual blocks are indexes of the client's table
STATUS_200 = b"\x88"  # entry 8 of the static table
STATUS_NAME, CONTENT_TYPE_NAME, ALLOW_NAME = 8, 31, 22  # indexes of names in the static table
PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")  # characters that grpc-message does not percent-encode
NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9a-z]+")  # a token of RFC 9110 without capitals: RFC 9113, section 8.2.1
FORBIDDEN_IN_VALUES = re.compile(r"[\0\r\n]|^[ \t]|[ \t]$")
OF_REQUESTS = frozenset({":method", ":scheme", ":path", ":authority"})
NEEDED = OF_REQUESTS - {":authority"}
OF_CONNECTIONS = frozenset({"connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade"})


class Headers(NamedTuple):
    """One header block. A problem makes it malformed (RFC 9113, section 8): as a request's headers, or as trailers."""

    fields: Mapping[str, str]
    problem: str | None
    problem_as_trailers: str | None
    size: int


class HeaderReader:
    """Decodes one connection's headers, with a cache: a client repeats the same blocks of table indexes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._decoder = Decoder(most_bytes)
        self._known: dict[bytes, Headers] = {}
        self._known_bytes = 0

    def read(self, block: bytes) -> Headers:
        return self._known.get(block) or self._decode(block)

    def _decode(self, block: bytes) -> Headers:
        newest, size = self._table()  # the entry itself, since its index can be reused
        try:
            headers = headers_of([(str(name), str(value)) for name, value in self._decoder.decode(block)])
        except OversizedHeaderListError as error:
            raise ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, str(error)) from error
        except HPACKError as error:
            raise ConnectionFailure(ErrorCode.COMPRESSION_ERROR, str(error)) from error
        now, size_now = self._table()
        if now is not newest or size_now != size:
            self._forget()  # the block added entries, so cached blocks may have another meaning now
        else:
            self._remember(block, headers)
        return headers

    def _remember(self, block: bytes, headers: Headers) -> None:
        if len(self._known) >= MOST_MEMORIES or self._known_bytes + headers.size > self._most_bytes:
            self._forget()
        if len(block) <= MEMORABLE:
            self._known[block] = headers
            self._known_bytes += headers.size

    def _forget(self) -> None:
        self._known.clear()
        self._known_bytes = 0

    def _table(self) -> tuple[object, tuple[int, int]]:
        """Changes whenever the table does: entries are added in front, and evicted at the end."""
        table = self._decoder.header_table
        entries = table.dynamic_entries
        return entries[0] if entries else None, (len(entries), table.maxsize)


def headers_of(pairs: list[tuple[str, str]]) -> Headers:
    """Values of a repeated name are joined in order: RFC 9110, section 5.3."""
    fields: dict[str, str] = {}
    for name, value in pairs:
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    of_any = problem_of_fields(pairs)
    of_trailers = "a pseudo-header in trailers" if any(name.startswith(":") for name in fields) else None
    size = sum(len(name) + len(value) + 32 for name, value in pairs)
    return Headers(fields, of_any or problem_of_request(pairs), of_any or of_trailers, size)


def problem_of_fields(pairs: list[tuple[str, str]]) -> str | None:
    """Checks fields: RFC 9113, sections 8.2.1 and 8.2.2."""
    for name, value in pairs:
        if not NAME.fullmatch(name.removeprefix(":")):
            return f"an invalid header name {name[:40]!r}"
        if FORBIDDEN_IN_VALUES.search(value):
            return f"an invalid value of the header {name[:40]}"
        if name in OF_CONNECTIONS or (name == "te" and value != "trailers"):
            return f"the header {name} is not allowed in HTTP/2"
    return None


def problem_of_request(pairs: list[tuple[str, str]]) -> str | None:
    """Checks pseudo-headers: they come first, each once, and all required ones exist (section 8.3)."""
    names = [name for name, _ in pairs]
    pseudo = [name for name in names if name.startswith(":")]
    if names[: len(pseudo)] != pseudo:
        return "a pseudo-header after a header"
    if len(set(pseudo)) != len(pseudo) or not OF_REQUESTS.issuperset(pseudo):
        return "unknown or repeated pseudo-headers"
    if (":method", "CONNECT") in pairs:
        return None if set(pseudo) == {":method", ":authority"} else "CONNECT names an authority, and nothing else"
    if not NEEDED.issubset(pseudo) or (":path", "") in pairs:
        return "a request without method, scheme or path"
    return None


def literal(name: bytes | int, value: bytes) -> bytes:
    """A header that is added to no table."""
    if isinstance(name, int):
        return prefixed_integer(name, 4) + text(value)
    return b"\x00" + text(name) + text(value)


def text(value: bytes) -> bytes:
    return prefixed_integer(len(value), 7) + value


def prefixed_integer(number: int, bits: int) -> bytes:
    """RFC 7541, section 5.1; the bits above the prefix are zero in what we write."""
    most = (1 << bits) - 1
    if number < most:
        return bytes([number])
    out, number = bytearray([most]), number - most
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def encode_metadata(name: str, value: str | bytes) -> bytes:
    """gRPC metadata: binary values are sent as base64."""
    if name.endswith("-bin"):
        raw = value if isinstance(value, bytes) else value.encode()
        return literal(name.encode(), base64.b64encode(raw).rstrip(b"="))
    return literal(name.encode(), value if isinstance(value, bytes) else value.encode())


def status_block(code: int, details: str, metadata: Iterable[tuple[str, str | bytes]]) -> bytes:
    message = literal(b"grpc-message", quote(details, safe=PLAIN).encode()) if details else b""
    rest = b"".join(encode_metadata(*each) for each in metadata)
    return literal(b"grpc-status", str(code).encode()) + message + rest


RESPONSE_BLOCK = (
    STATUS_200
    + literal(CONTENT_TYPE_NAME, b"application/grpc")
    + literal(b"grpc-accept-encoding", b"identity, deflate, gzip")
)
SUCCESS_BLOCK = status_block(0, "", ())
NOT_GRPC_BLOCK = literal(STATUS_NAME, b"415")
NOT_POST_BLOCK = literal(STATUS_NAME, b"405") + literal(ALLOW_NAME, b"POST")
