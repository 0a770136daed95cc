"""The HTTP/2 state machine of a connection: turns frames into calls as RFC 9113 requires, without ever blocking."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import grpc

from twinspark.doors.http2 import frames
from twinspark.doors.http2.call import MEBIBYTE, WINDOW, Call, CallRejected
from twinspark.doors.http2.frames import (
    ACK,
    END_HEADERS,
    END_STREAM,
    HEAD_SIZE,
    PADDED,
    PRIORITISED,
    ConnectionFailure,
    ErrorCode,
    FrameKind,
    Setting,
    StreamFailure,
)
from twinspark.doors.http2.headers import NOT_GRPC_BLOCK, NOT_POST_BLOCK, HeaderReader, Headers
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.peer import Peer
from twinspark.doors.http2.receive_buffer import ReceiveBuffer
from twinspark.doors.http2.token_bucket import TokenBucket

OUR_FRAME = MEBIBYTE  # the largest data frame that we accept
LARGEST_CONTROL = 16_384  # the largest frame that is neither data nor headers
LARGEST_HEADERS = 100_000  # the largest headers frame, which must fit into the receive buffer
PRIORITY_AND_PADDING = 5 + 256
CONNECTION_WINDOW = 32 * MEBIBYTE
REMEMBERED = 1000  # streams that we ended before the client did, which it may not know yet
SKIPPED = 100  # ranges of stream ids that a client left out
BYTES_A_FRAME_COSTS = 4096  # bytes of response for which a client may send one more control frame
FRAMES_A_RESPONSE_EARNS = 8  # and for each piece of a response: gRPC answers it with window updates and a ping
UNKNOWN = Method(Kind.UNARY, lambda request, call: b"")


@dataclass
class Block:
    """A header block that is not complete."""

    stream: int
    flags: int
    content: bytearray = field(default_factory=bytearray)
    pieces: int = 0
    since: float = field(default_factory=time.monotonic)


class Protocol:
    """The state of one connection. `parse` is called by one thread at a time: the reader of the connection."""

    def __init__(self, connection: Peer) -> None:
        self._connection = connection
        self._limits = connection.limits
        self.calls: dict[int, Call] = {}
        self.running: set[Call] = set()  # some of them may be over: their client has disconnected
        self.largest_frame = frames.DEFAULT_FRAME
        self.last_stream = 0
        self.has_preface = False
        self.is_leaving = False
        self.unfinished_since: float | None = None
        self._has_settings = False
        self._headers = HeaderReader(self._limits.header_list_bytes)
        self._block: Block | None = None
        self._ended_by_us: dict[int, None] = {}
        self._skipped: deque[tuple[int, int]] = deque(maxlen=SKIPPED)
        self._resets = TokenBucket(self._limits.resets)
        self._control = TokenBucket(self._limits.control_frames)
        self._received = 0  # bytes of data since the last window update
        self._is_in_data = False  # and if so: how much of it and of its padding is missing, and for which call
        self._data_left = self._padding_left = self._data_flags = 0
        self._data_call: Call | None = None

    # ---- bytes to frames

    def parse(self, intake: ReceiveBuffer) -> Call | None:
        """A call that can run; None if more bytes are needed."""
        before = intake.at
        while (found := self._step(intake)) is not False:
            if isinstance(found, Call):
                return found
        self._note_progress(intake, intake.at != before)
        return None

    def _step(self, intake: ReceiveBuffer) -> Call | bool | None:
        """False if there are not enough bytes yet."""
        if self._is_in_data:
            return self._go_on_with_data(intake)
        if not self.has_preface:
            return self._read_preface(intake)
        return self._read_frame(intake)

    def _note_progress(self, intake: ReceiveBuffer, is_further: bool) -> None:
        """Records since when a frame or a header block is incomplete; data has a limit of its own."""
        if self._block is not None:
            self.unfinished_since = self._block.since
        elif not intake.size or self._is_in_data:
            self.unfinished_since = None
        elif is_further or self.unfinished_since is None:
            self.unfinished_since = time.monotonic()

    def _read_preface(self, intake: ReceiveBuffer) -> bool:
        size = min(intake.size, len(frames.PREFACE))
        if intake.view[intake.at : intake.at + size] != frames.PREFACE[:size]:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "the connection preface of HTTP/2 is missing")
        if size < len(frames.PREFACE):
            return False
        intake.at += size
        self.has_preface = True
        self._introduce_ourselves()
        return True

    def _introduce_ourselves(self) -> None:
        ours = {
            Setting.MAX_CONCURRENT_STREAMS: self._limits.calls_per_connection,
            Setting.INITIAL_WINDOW_SIZE: WINDOW,
            Setting.MAX_FRAME_SIZE: OUR_FRAME,
            Setting.MAX_HEADER_LIST_SIZE: self._limits.header_list_bytes,
        }
        more = CONNECTION_WINDOW - frames.DEFAULT_WINDOW
        self._connection.outbox.put_now(frames.settings(ours) + frames.window_update(0, more))

    def _read_frame(self, intake: ReceiveBuffer) -> Call | bool | None:
        if intake.end - intake.at < HEAD_SIZE:
            return False
        length, kind, flags, stream = frames.parse_head(intake.buffer, intake.at)
        self._check_head(length, kind, flags, stream)
        if kind == FrameKind.DATA:
            return self._begin_data(intake, length, flags, stream)
        if kind not in self.HANDLERS:
            self._begin_unknown(intake, length)
            return None
        self._check_size(kind, length)
        if intake.end - intake.at < HEAD_SIZE + length:
            return False
        intake.at += HEAD_SIZE
        try:
            return self.HANDLERS[kind](self, flags, stream, intake.take(length))
        except StreamFailure as failure:
            self.reset(failure.stream, failure.code)
            return None

    def _check_head(self, length: int, kind: int, flags: int, stream: int) -> None:
        if length > OUR_FRAME:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, f"a frame of {length} bytes")
        if not self._has_settings and (kind != FrameKind.SETTINGS or flags & ACK):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "the first frame must be SETTINGS")
        if self._block is not None and (kind != FrameKind.CONTINUATION or stream != self._block.stream):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "a CONTINUATION frame is missing")

    def _check_size(self, kind: int, length: int) -> None:
        """Checks frames that must be received completely before they are read."""
        if kind in (FrameKind.HEADERS, FrameKind.CONTINUATION):
            if length > min(self._limits.header_bytes + PRIORITY_AND_PADDING, LARGEST_HEADERS):
                raise self._too_many_headers()
        elif length > LARGEST_CONTROL:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, f"a control frame of {length} bytes")

    def _begin_unknown(self, intake: ReceiveBuffer, length: int) -> None:
        """Unknown kinds of frames are ignored (section 5.5), but count as control frames."""
        self._count_control()
        intake.at += HEAD_SIZE
        self._is_in_data, self._data_call = True, None
        self._data_left, self._padding_left, self._data_flags = length, 0, 0

    def _count_control(self) -> None:
        if not self._control.spend():
            self._connection.counts.reject("control_frames")
            raise ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, "too many control frames")

    def earn(self, size: int) -> None:
        """A piece of a response is sent, which the client may acknowledge."""
        self._control.earn(FRAMES_A_RESPONSE_EARNS + size / BYTES_A_FRAME_COSTS)

    # ---- data

    def _begin_data(self, intake: ReceiveBuffer, length: int, flags: int, stream: int) -> bool | None:
        if self._is_idle(stream):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"data of stream {stream}, which is idle")
        padding = 0
        if flags & PADDED:
            if intake.size <= HEAD_SIZE and length:
                return False
            padding = 1 + intake.buffer[intake.at + HEAD_SIZE] if length else 1
        if padding > length:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "the padding is longer than the frame")
        intake.at += HEAD_SIZE + (1 if padding else 0)
        self._receive(length, flags)
        self._is_in_data, self._data_flags = True, flags
        self._data_left, self._padding_left = length - padding, padding - 1 if padding else 0
        self._data_call = self._receiver(stream, length, padding)
        return None

    def _receiver(self, stream: int, length: int, padding: int) -> Call | None:
        """None if the data is discarded."""
        call = self.calls.get(stream)
        if call is None or call.is_closed:
            if stream not in self._ended_by_us:
                raise ConnectionFailure(ErrorCode.STREAM_CLOSED, f"data of stream {stream}, which is closed")
        elif call.has_all:
            self.reset(stream, ErrorCode.STREAM_CLOSED)
        elif not call.expect(length, padding):
            self.reset(stream, ErrorCode.FLOW_CONTROL_ERROR)
        else:
            return call
        return None

    def _go_on_with_data(self, intake: ReceiveBuffer) -> Call | bool | None:
        size = min(self._data_left, intake.size)
        if size:
            if self._data_call is not None:
                self._give(self._data_call, intake.view[intake.at : intake.at + size])
            intake.at += size
            self._data_left -= size
        padding = min(self._padding_left, intake.size)
        intake.at += padding
        self._padding_left -= padding
        if self._data_left or self._padding_left:
            return False
        self._is_in_data = False
        call, self._data_call = self._data_call, None
        return self._end_request(call) if self._data_flags & END_STREAM and call is not None else None

    def _give(self, call: Call, data: memoryview) -> None:
        try:
            call.receive(data)
        except CallRejected as rejection:
            call.reject(rejection)
            self._data_call = None

    def _receive(self, size: int, flags: int) -> None:
        """The connection's window: it is opened again even if the data is discarded."""
        if not size and not flags & END_STREAM:
            self._count_control()
        self._received += size
        if self._received > CONNECTION_WINDOW:
            raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, "the window is exceeded")
        if self._received >= CONNECTION_WINDOW // 2:
            self._connection.outbox.put_now(frames.window_update(0, self._received))
            self._received = 0

    def _end_request(self, call: Call) -> Call | None:
        was_started = call.may_start
        try:
            call.receive_end()
        except StreamFailure as failure:
            self.reset(failure.stream, failure.code)
            return None
        return None if was_started or call.is_over else call

    # ---- streams

    def _is_idle(self, stream: int) -> bool:
        return stream == 0 or stream % 2 == 0 or stream > self.last_stream

    def reset(self, stream: int, code: ErrorCode) -> None:
        """Counts like a reset by the client, which could otherwise cause resets without limit (CVE-2025-8671)."""
        self._ended_early(stream)
        self._connection.outbox.put_now(frames.reset(stream, code))
        if call := self.calls.get(stream):
            call.end_soon()
        self._count_reset()

    def _count_reset(self) -> None:
        """Limits streams that are opened and reset at no cost to the client: CVE-2023-44487."""
        if not self._resets.spend():
            self._connection.counts.reject("resets")
            raise ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, "too many stream resets")

    def forget(self, call: Call) -> None:
        if not call.has_all:
            self._ended_early(call.stream)
        self.calls.pop(call.stream, None)

    def _ended_early(self, stream: int) -> None:
        if len(self._ended_by_us) >= REMEMBERED:
            for old in list(self._ended_by_us)[: REMEMBERED // 2]:
                self._ended_by_us.pop(old, None)
        self._ended_by_us[stream] = None

    # ---- headers

    def _read_headers(self, flags: int, stream: int, payload: bytes) -> Call | None:
        if stream % 2 == 0:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"stream {stream} cannot be opened by a client")
        payload = frames.without_padding(flags, payload)
        if flags & PRIORITISED:
            if len(payload) < 5:
                raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "the priority is incomplete")
            payload = payload[5:]
        self._block = Block(stream, flags)
        return self._more_headers(flags, payload)

    def _read_continuation(self, flags: int, stream: int, payload: bytes) -> Call | None:
        if self._block is None:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "CONTINUATION without HEADERS")
        return self._more_headers(flags, payload)

    def _more_headers(self, flags: int, payload: bytes) -> Call | None:
        block = self._block
        assert block is not None
        block.content += payload
        block.pieces += 1
        if len(block.content) > self._limits.header_bytes or block.pieces > self._limits.header_frames:
            raise self._too_many_headers()
        if not flags & END_HEADERS:
            return None
        self._block = None
        return self._open_stream(block.stream, bytes(block.content), bool(block.flags & END_STREAM))

    def _too_many_headers(self) -> ConnectionFailure:
        self._connection.counts.reject("header_bytes")
        return ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, "too many headers")

    def _open_stream(self, stream: int, content: bytes, is_end: bool) -> Call | None:
        headers = self._headers.read(content)  # every block must be decoded, since later ones depend on the table
        if stream <= self.last_stream:
            return self._read_trailers(stream, headers, is_end)
        if stream != self.last_stream + 2 and stream != 1:
            self._skipped.append((self.last_stream, stream))
        self.last_stream = stream
        if headers.problem is not None:
            raise StreamFailure(stream, ErrorCode.PROTOCOL_ERROR, headers.problem)
        if self.is_leaving or max(len(self.calls), len(self.running)) >= self._limits.calls_per_connection:
            raise StreamFailure(stream, ErrorCode.REFUSED_STREAM, "too many calls, or the connection is closing")
        return self._open_call(stream, headers, is_end)

    def _read_trailers(self, stream: int, headers: Headers, is_end: bool) -> Call | None:
        call = self.calls.get(stream)
        if call is None or call.is_closed:
            self._check_late_headers(stream)
            return None
        if call.has_all:
            raise StreamFailure(stream, ErrorCode.STREAM_CLOSED, "headers after the end of the stream")
        if not is_end or headers.problem_as_trailers is not None:
            raise StreamFailure(
                stream, ErrorCode.PROTOCOL_ERROR, headers.problem_as_trailers or "trailers without END_STREAM"
            )
        return self._end_request(call)

    def _check_late_headers(self, stream: int) -> None:
        if any(last < stream < following for last, following in self._skipped):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"stream {stream} was skipped before")
        if stream not in self._ended_by_us:
            raise ConnectionFailure(ErrorCode.STREAM_CLOSED, f"headers of stream {stream}, which is closed")

    def _open_call(self, stream: int, headers: Headers, is_end: bool) -> Call | None:
        fields = headers.fields
        if fields.get(":method") != "POST":
            self._answer_without_call(stream, NOT_POST_BLOCK, is_end)
            return None
        if not fields.get("content-type", "").startswith("application/grpc"):
            self._answer_without_call(stream, NOT_GRPC_BLOCK, is_end)
            return None
        call = Call(self._connection, stream, fields, self._connection.methods.get(fields[":path"], UNKNOWN))
        self.calls[stream] = call
        if is_end:
            call.receive_end()
        try:
            if call.method is UNKNOWN:
                raise CallRejected(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
            self._connection.check(fields)
        except CallRejected as rejection:
            call.reject(rejection)
            return None
        return call if call.may_start else None

    def _answer_without_call(self, stream: int, block: bytes, is_end: bool) -> None:
        self._connection.outbox.put_now(frames.header_frames(stream, block, END_STREAM, self.largest_frame))
        if not is_end:
            self.reset(stream, ErrorCode.NO_ERROR)

    # ---- other frames

    def _read_priority(self, flags: int, stream: int, payload: bytes) -> None:
        self._count_control()
        if stream == 0:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "PRIORITY on stream 0")
        if len(payload) != 5:
            raise StreamFailure(stream, ErrorCode.FRAME_SIZE_ERROR, "PRIORITY must have five bytes")

    def _read_reset(self, flags: int, stream: int, payload: bytes) -> None:
        if self._is_idle(stream):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"RST_STREAM of stream {stream}, which is idle")
        frames.long_in(payload)
        self._ended_by_us.pop(stream, None)
        if call := self.calls.get(stream):
            call.is_cut, call.has_all = not call.has_all, True
            call.end_soon()
        self._count_reset()

    def _read_settings(self, flags: int, stream: int, payload: bytes) -> None:
        self._has_settings = True
        self._count_control()
        if stream:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "SETTINGS on a stream")
        if flags & ACK:
            if payload:
                raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "an acknowledgement with a payload")
            return
        for key, value in frames.parse_settings(payload):
            self._set(key, value)
        self._connection.outbox.put_now(frames.frame(FrameKind.SETTINGS, ACK, 0))

    def _set(self, key: int, value: int) -> None:
        if key == Setting.INITIAL_WINDOW_SIZE:
            self._connection.windows.resize(value, list(self.calls.values()))
        elif key == Setting.MAX_FRAME_SIZE:
            if not frames.DEFAULT_FRAME <= value <= frames.LARGEST_FRAME:
                raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"SETTINGS_MAX_FRAME_SIZE = {value}")
            self.largest_frame = value
        elif key == Setting.ENABLE_PUSH and value not in (0, 1):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"SETTINGS_ENABLE_PUSH = {value}")

    def _read_ping(self, flags: int, stream: int, payload: bytes) -> None:
        self._count_control()
        if stream:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "PING on a stream")
        if len(payload) != 8:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "PING must have eight bytes")
        if not flags & ACK:
            self._connection.outbox.put_now(frames.frame(FrameKind.PING, ACK, 0, payload))

    def _read_go_away(self, flags: int, stream: int, payload: bytes) -> None:
        """The client opens no more streams; it closes the connection after its responses."""
        self._count_control()
        if stream:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "GOAWAY on a stream")
        if len(payload) < 8:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "GOAWAY must have eight bytes or more")

    def _read_window_update(self, flags: int, stream: int, payload: bytes) -> None:
        self._count_control()
        more = frames.long_in(payload) & frames.LARGEST_WINDOW
        if stream == 0:
            if not more:
                raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE by 0")
            self._connection.windows.grow(more)
        elif self._is_idle(stream):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"WINDOW_UPDATE of stream {stream}, which is idle")
        elif call := self.calls.get(stream):
            if not more:
                raise StreamFailure(stream, ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE by 0")
            self._connection.windows.grow_stream(call, more)

    def _read_push_promise(self, flags: int, stream: int, payload: bytes) -> None:
        raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "PUSH_PROMISE from a client")

    HANDLERS: ClassVar[dict[int, Callable[[Protocol, int, int, bytes], Call | None]]] = {
        FrameKind.HEADERS: _read_headers,
        FrameKind.CONTINUATION: _read_continuation,
        FrameKind.PRIORITY: _read_priority,
        FrameKind.RST_STREAM: _read_reset,
        FrameKind.SETTINGS: _read_settings,
        FrameKind.PING: _read_ping,
        FrameKind.GOAWAY: _read_go_away,
        FrameKind.WINDOW_UPDATE: _read_window_update,
        FrameKind.PUSH_PROMISE: _read_push_promise,
    }
