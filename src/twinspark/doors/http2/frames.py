"""HTTP/2 frames (RFC 9113, section 4): a head of nine bytes with length, kind, flags and stream, and a payload."""

import struct
from enum import IntEnum

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD_SIZE = 9
DEFAULT_WINDOW = 65_535
DEFAULT_FRAME = 16_384
LARGEST_FRAME = 16_777_215
LARGEST_WINDOW = 2**31 - 1
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITISED = 0x1, 0x1, 0x4, 0x8, 0x20
_HEAD = struct.Struct(">HBBBL")
_SETTING = struct.Struct(">HL")
_LONG = struct.Struct(">L")


class FrameKind(IntEnum):
    DATA = 0
    HEADERS = 1
    PRIORITY = 2
    RST_STREAM = 3
    SETTINGS = 4
    PUSH_PROMISE = 5
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8
    CONTINUATION = 9


class ErrorCode(IntEnum):
    NO_ERROR = 0
    PROTOCOL_ERROR = 1
    INTERNAL_ERROR = 2
    FLOW_CONTROL_ERROR = 3
    STREAM_CLOSED = 5
    FRAME_SIZE_ERROR = 6
    REFUSED_STREAM = 7
    CANCEL = 8
    COMPRESSION_ERROR = 9
    ENHANCE_YOUR_CALM = 11


class Setting(IntEnum):
    ENABLE_PUSH = 2
    MAX_CONCURRENT_STREAMS = 3
    INITIAL_WINDOW_SIZE = 4
    MAX_FRAME_SIZE = 5
    MAX_HEADER_LIST_SIZE = 6


class ConnectionFailure(Exception):
    """The peer broke the protocol: the connection ends with a GOAWAY frame that says why."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class StreamFailure(Exception):
    """The peer broke the protocol within one stream: that one is reset, the others continue."""

    def __init__(self, stream: int, code: ErrorCode, text: str) -> None:
        super().__init__(text)
        self.stream, self.code = stream, code


def head(kind: FrameKind, flags: int, stream: int, length: int) -> bytes:
    return _HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream)


def parse_head(data: bytearray, at: int) -> tuple[int, int, int, int]:
    """Length, kind, flags, stream; the kind stays a number, since unknown kinds are ignored."""
    high, low, kind, flags, stream = _HEAD.unpack_from(data, at)
    return high << 8 | low, kind, flags, stream & LARGEST_WINDOW


def frame(kind: FrameKind, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return head(kind, flags, stream, len(payload)) + payload


def settings(values: dict[Setting, int]) -> bytes:
    return frame(FrameKind.SETTINGS, 0, 0, b"".join(_SETTING.pack(key, value) for key, value in values.items()))


def parse_settings(payload: bytes) -> list[tuple[int, int]]:
    if len(payload) % _SETTING.size:
        raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "a SETTINGS frame of an invalid length")
    return list(_SETTING.iter_unpack(payload))


def window_update(stream: int, more: int) -> bytes:
    return frame(FrameKind.WINDOW_UPDATE, 0, stream, _LONG.pack(more))


def reset(stream: int, code: ErrorCode) -> bytes:
    return frame(FrameKind.RST_STREAM, 0, stream, _LONG.pack(code))


def go_away(last_stream: int, code: ErrorCode, text: str = "") -> bytes:
    return frame(FrameKind.GOAWAY, 0, 0, _LONG.pack(last_stream) + _LONG.pack(code) + text.encode()[:1000])


def long_in(payload: bytes) -> int:
    if len(payload) != _LONG.size:
        raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "the payload must have four bytes")
    (value,) = _LONG.unpack(payload)
    return int(value)


def without_padding(flags: int, payload: bytes) -> bytes:
    if not flags & PADDED:
        return payload
    if not payload or payload[0] >= len(payload):
        raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "the padding is longer than the frame")
    return payload[1 : len(payload) - payload[0]]


def header_frames(stream: int, block: bytes, flags: int, largest: int) -> bytes:
    """A header block, in several frames if it exceeds the peer's largest frame."""
    first, rest = block[:largest], block[largest:]
    whole = frame(FrameKind.HEADERS, flags | (0 if rest else END_HEADERS), stream, first)
    while rest:
        first, rest = rest[:largest], rest[largest:]
        whole += frame(FrameKind.CONTINUATION, 0 if rest else END_HEADERS, stream, first)
    return whole
