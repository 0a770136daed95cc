"""A client that writes HTTP/2 frame by frame: it can do what no well-behaved one would."""

import socket
from collections.abc import Iterator
from typing import Any

from hpack import Decoder, Encoder

from twinspark.doors.http2 import frames
from twinspark.doors.http2.frames import END_HEADERS, END_STREAM, FrameKind, Setting
from twinspark.doors.http2.messages import PREFIX

HEADERS = {
    ":method": "POST",
    ":scheme": "http",
    ":authority": "here",
    "te": "trailers",
    "content-type": "application/grpc",
}


class RawClient:
    """One connection; `frames()` are what the server says, `answer()` what it says to one call."""

    def __init__(self, port: int, settings: dict[Setting, int] | None = None, preface: bytes = frames.PREFACE) -> None:
        self.line = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._encoder, self._decoder = Encoder(), Decoder()
        self._data = b""
        self.send(preface + frames.settings(settings or {}))

    def send(self, *pieces: bytes) -> None:
        self.line.sendall(b"".join(pieces))

    def block(self, path: str, **more: str) -> bytes:
        headers = {**HEADERS, ":path": path, **{name.replace("_", "-"): value for name, value in more.items()}}
        ordered = sorted(headers.items(), key=lambda each: not each[0].startswith(":"))
        return bytes(self._encoder.encode(ordered))

    def encoded(self, *pairs: tuple[str, str]) -> bytes:
        """Any headers at all, in this order."""
        return bytes(self._encoder.encode(list(pairs)))

    def call(self, stream: int, path: str, *messages: bytes, **more: str) -> None:
        opened = frames.frame(FrameKind.HEADERS, END_HEADERS, stream, self.block(path, **more))
        self.send(opened, data(stream, b"".join(map(message, messages)), END_STREAM))

    def frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Kind, flags, stream, payload; ends where the server hangs up."""
        while True:
            while len(self._data) < 9 or len(self._data) < 9 + int.from_bytes(self._data[:3], "big"):
                try:
                    more = self.line.recv(65536)
                except ConnectionResetError:
                    return
                if not more:
                    return
                self._data += more
            length, kind, flags, stream = frames.parse_head(bytearray(self._data), 0)
            payload, self._data = self._data[9 : 9 + length], self._data[9 + length :]
            yield kind, flags, stream, payload

    def await_frame(self, wanted: FrameKind, of: int | None = None, flags: int = 0) -> bytes:
        for kind, given, stream, payload in self.frames():
            if kind == wanted and of in (None, stream) and given & flags == flags:
                return payload
        raise AssertionError(f"the server hung up before it sent {wanted.name}")

    def answer(self, stream: int) -> tuple[bytes, dict[str, Any]]:
        """The bytes of its data, and its headers and trailers together."""
        body, headers = b"", dict[str, Any]()
        for kind, flags, of, payload in self.frames():
            if kind == FrameKind.HEADERS:
                found = {str(name): str(value) for name, value in self._decoder.decode(payload)}
                headers |= found if of == stream else {}
            elif kind == FrameKind.DATA and of == stream:
                body += payload
            if of == stream and kind in (FrameKind.HEADERS, FrameKind.DATA) and flags & END_STREAM:
                return body, headers
        raise AssertionError("the server hung up before it answered")

    def failure(self) -> int:
        """The code of GOAWAY, after which the server hangs up."""
        payload = self.await_frame(FrameKind.GOAWAY)
        assert list(self.frames()) == []
        return int.from_bytes(payload[4:8], "big")

    def close(self) -> None:
        self.line.close()


def message(content: bytes, is_compressed: bool = False) -> bytes:
    return PREFIX.pack(is_compressed, len(content)) + content


def data(stream: int, payload: bytes, flags: int = 0) -> bytes:
    return frames.frame(FrameKind.DATA, flags, stream, payload)


def padded(payload: bytes, size: int) -> bytes:
    return bytes([size]) + payload + bytes(size)
