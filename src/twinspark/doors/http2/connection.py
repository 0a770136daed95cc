"""One client's connection: frames read by one thread at a time, and its calls run by the thread that read them."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import grpc

from twinspark.doors.http2 import frames
from twinspark.doors.http2.call import MEBIBYTE, WINDOW, Call, Refused
from twinspark.doors.http2.frames import (
    ACK,
    END_HEADERS,
    END_STREAM,
    PADDED,
    PRIORITISED,
    ConnectionFailure,
    ErrorCode,
    FrameKind,
    Setting,
)
from twinspark.doors.http2.headers import NOT_GRPC_BLOCK, HeaderReader
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.outbox import Outbox
from twinspark.session.threads import DaemonThreads

log = logging.getLogger("twinspark.http2")
OUR_FRAME = MEBIBYTE  # the largest we take, of data
BUFFER = 256 * 1024  # and of all else together
CONNECTION_WINDOW = 32 * MEBIBYTE
MOST_CALLS = 1000  # at once on one connection
MOST_HEADERS = 64 * 1024
FIRST_SECONDS = 20.0  # to say that it speaks HTTP/2
PARKED_SECONDS = 60.0
UNKNOWN = Method(Kind.UNARY, lambda request, call: b"")
Check = Callable[[Mapping[str, str]], None]


class Connection:
    """A thread that has read a whole call runs it; if that may take long, another one reads on."""

    def __init__(
        self,
        line: socket.socket,
        methods: Mapping[str, Method],
        check: Check,
        threads: DaemonThreads,
        lost: Callable[[Connection], None],
    ) -> None:
        self._line = line
        self._methods = methods
        self._check = check
        self._threads = threads
        self._lost = lost
        self.outbox = Outbox(line)
        self.initial_window = frames.DEFAULT_WINDOW
        self.largest_frame = frames.DEFAULT_FRAME
        self._headers = HeaderReader()
        self._calls: dict[int, Call] = {}
        self._running: set[Call] = set()  # some of them may be over: their client has left
        self._last_stream = 0
        self.last_call = 0.0
        self._is_leaving = False
        self._is_lost = False
        self._room = threading.Condition()
        self._window = frames.DEFAULT_WINDOW
        self._received = 0
        self._buffer = bytearray(BUFFER)
        self._view = memoryview(self._buffer)
        self._at = self._end = 0
        self._block: tuple[int, int, bytes] | None = None  # headers that have not all arrived: stream, flags, bytes
        self._turns = threading.Lock()
        self._parked: Any = None

    # ---- threads

    def open(self) -> None:
        """The first thread's way in."""
        try:
            self._line.settimeout(FIRST_SECONDS)
            self._need(len(frames.PREFACE))
            if self._take(len(frames.PREFACE)) != frames.PREFACE:
                raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "this is not HTTP/2")
            self._line.settimeout(None)
        except (OSError, ConnectionFailure):
            self._lose()
            return
        ours = {Setting.MAX_CONCURRENT_STREAMS: MOST_CALLS, Setting.INITIAL_WINDOW_SIZE: WINDOW}
        more = CONNECTION_WINDOW - frames.DEFAULT_WINDOW
        self.outbox.put(frames.settings({**ours, Setting.MAX_FRAME_SIZE: OUR_FRAME}) + frames.window_update(0, more))
        self.serve()

    def serve(self) -> None:
        """A thread reads, runs what it has read, and reads again when it is its turn."""
        try:
            while (call := self._next_call()) is not None:
                self._run(call)
                if not call.is_read_by_us and not self._gets_a_turn():
                    return
        except Exception:
            log.exception("a connection is given up")  # a client must not wait for a thread that has failed
            self._lose()
            raise

    def _run(self, call: Call) -> None:
        self.last_call = time.monotonic()
        self._running.add(call)
        try:
            call.run()
        finally:
            self._running.discard(call)

    def read_elsewhere(self) -> None:
        with self._turns:
            parked, self._parked = self._parked, None
        if parked is None:
            self._threads.submit(self.serve)
        else:
            parked.release()

    def _gets_a_turn(self) -> bool:
        """One thread waits here to read; more than one have other things to do."""
        turn = threading.Lock()
        turn.acquire()
        with self._turns:
            if self._parked is not None or self._is_lost:
                return False
            self._parked = turn
        if turn.acquire(timeout=PARKED_SECONDS):
            return True
        with self._turns:
            if self._parked is turn:
                self._parked = None
                return False
        return turn.acquire()  # it was given at this very moment

    def leave(self) -> None:
        """No new calls; those that run may end."""
        self._is_leaving = True
        self.outbox.put(frames.go_away(self._last_stream, ErrorCode.NO_ERROR))

    @property
    def is_busy(self) -> bool:
        return bool(self._calls)

    def close(self) -> None:
        self.outbox.close()

    # ---- room for what goes out

    def room_for(self, call: Call, wanted: int) -> int:
        """How much of it may be sent now; waits until that is something. None is left for a call that is over."""
        with self._room:
            while not call.is_over:
                granted = min(wanted, self._window, call.window)
                if granted > 0:
                    self._window -= granted
                    call.window -= granted
                    return granted
                call.may_take_long()  # the news is for whoever reads
                self._room.wait()
        return 0

    def forget(self, call: Call) -> None:
        self._calls.pop(call.stream, None)
        with self._room:
            self._room.notify_all()

    # ---- reading

    def _next_call(self) -> Call | None:
        try:
            while True:
                call = self._read_frame()
                if call is not None:
                    return call
        except ConnectionFailure as failure:
            log.info("a connection is closed: %s", failure)
            self.outbox.put(frames.go_away(self._last_stream, failure.code, str(failure)))
        except OSError:
            pass
        self._lose()
        return None

    def _lose(self) -> None:
        with self._turns:
            self._is_lost = True
            parked, self._parked = self._parked, None
        if parked is not None:
            parked.release()
        self.outbox.end()
        self._lost(self)
        for call in list(self._calls.values()):
            call.end()

    def _need(self, size: int) -> None:
        if size > BUFFER:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "so large a frame can only be data")
        while self._end - self._at < size:
            if self._at == self._end:
                self._at = self._end = 0
            elif self._at + size > BUFFER:
                self._view[: self._end - self._at] = bytes(self._view[self._at : self._end])
                self._at, self._end = 0, self._end - self._at
            got = self._line.recv_into(self._view[self._end :])
            if not got:
                raise ConnectionResetError
            self._end += got

    def _take(self, size: int) -> bytes:
        taken = bytes(self._view[self._at : self._at + size])
        self._at += size
        return taken

    def _read_frame(self) -> Call | None:
        self._need(frames.HEAD_SIZE)
        length, kind, flags, stream = frames.parsed_head(self._buffer, self._at)
        self._at += frames.HEAD_SIZE
        if length > OUR_FRAME:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, f"a frame of {length} bytes")
        if self._block is not None and (kind != FrameKind.CONTINUATION or stream != self._block[0]):
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "headers were not continued")
        if kind == FrameKind.DATA:
            return self._read_data(flags, stream, length)
        self._need(length)
        payload = self._take(length)
        handler = self.HANDLERS.get(kind)
        return handler(self, flags, stream, payload) if handler else None

    def _read_data(self, flags: int, stream: int, length: int) -> Call | None:
        if stream > self._last_stream or stream % 2 == 0:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"data of stream {stream}, which nobody has opened")
        padding = self._read_padding(flags, length)
        call = self._calls.get(stream)
        left = length - padding
        while left:
            self._need(1)
            size = min(left, self._end - self._at)
            if call is not None and not self._received_by(call, self._view[self._at : self._at + size]):
                call = None
            self._at += size
            left -= size
        self._skip(padding - 1 if padding else 0)
        self._credit(length)
        return self._ended(call) if flags & END_STREAM and call is not None else None

    def _read_padding(self, flags: int, length: int) -> int:
        """The byte that tells it counts too."""
        if not flags & PADDED:
            return 0
        self._need(1)
        padding = 1 + self._take(1)[0]
        if padding > length:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "more padding than there is frame")
        return padding

    def _skip(self, size: int) -> None:
        if size:
            self._need(size)
            self._at += size

    def _received_by(self, call: Call, data: memoryview) -> bool:
        try:
            call.receive(data)
        except Refused as refusal:
            call.refuse(refusal)
            return False
        return True

    def _credit(self, size: int) -> None:
        self._received += size
        if self._received >= CONNECTION_WINDOW // 2:
            self.outbox.put(frames.window_update(0, self._received))
            self._received = 0

    def _ended(self, call: Call) -> Call | None:
        was_started = call.may_start
        call.receive_end()
        return None if was_started else call

    def _read_headers(self, flags: int, stream: int, payload: bytes) -> Call | None:
        payload = frames.without_padding(flags, payload)
        return self._more_headers(flags, stream, flags, payload[5:] if flags & PRIORITISED else payload)

    def _read_continuation(self, flags: int, stream: int, payload: bytes) -> Call | None:
        if self._block is None:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "nothing to continue")
        _, first_flags, block = self._block
        return self._more_headers(flags, stream, first_flags, block + payload)

    def _more_headers(self, flags: int, stream: int, first_flags: int, block: bytes) -> Call | None:
        if len(block) > MOST_HEADERS:
            raise ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, "too many headers")
        self._block = None if flags & END_HEADERS else (stream, first_flags, block)
        return self._opened(stream, block, bool(first_flags & END_STREAM)) if flags & END_HEADERS else None

    def _opened(self, stream: int, block: bytes, is_end: bool) -> Call | None:
        headers = self._headers.read(block)  # of every block, wanted or not: the next ones build on it
        if stream <= self._last_stream:
            call = self._calls.get(stream)
            return self._ended(call) if call is not None and is_end else None
        if stream % 2 == 0:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"stream {stream} is not a client's to open")
        self._last_stream = stream
        if self._is_leaving or max(len(self._calls), len(self._running)) >= MOST_CALLS:
            self.outbox.put(frames.reset(stream, ErrorCode.REFUSED_STREAM))
            return None
        return self._called(stream, headers, is_end)

    def _called(self, stream: int, headers: Mapping[str, str], is_end: bool) -> Call | None:
        if not headers.get("content-type", "").startswith("application/grpc"):
            self.outbox.put(frames.header_frames(stream, NOT_GRPC_BLOCK, END_STREAM, self.largest_frame))
            return None
        call = Call(self, stream, headers, self._methods.get(headers.get(":path", ""), UNKNOWN))
        if is_end:
            call.receive_end()
        self._calls[stream] = call
        try:
            if call.method is UNKNOWN:
                raise Refused(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
            self._check(headers)
        except Refused as refusal:
            call.refuse(refusal)
            return None
        return call if call.may_start else None

    def _read_reset(self, flags: int, stream: int, payload: bytes) -> None:
        if stream > self._last_stream:
            raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"stream {stream}, which nobody has opened, is reset")
        frames.long_in(payload)
        if call := self._calls.get(stream):
            call.end()

    def _read_settings(self, flags: int, stream: int, payload: bytes) -> None:
        if flags & ACK:
            return
        for key, value in frames.parsed_settings(payload):
            if key == Setting.INITIAL_WINDOW_SIZE:
                self._resize_windows(value)
            elif key == Setting.MAX_FRAME_SIZE:
                if not frames.DEFAULT_FRAME <= value <= frames.LARGEST_FRAME:
                    raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, f"frames of {value} bytes")
                self.largest_frame = value
        self.outbox.put(frames.frame(FrameKind.SETTINGS, ACK, 0))

    def _resize_windows(self, size: int) -> None:
        """Of the calls that run, too: they may even fall below nothing."""
        if size > frames.LARGEST_WINDOW:
            raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, f"a window of {size} bytes")
        with self._room:
            for call in list(self._calls.values()):
                call.window += size - self.initial_window
            self.initial_window = size
            self._room.notify_all()

    def _read_ping(self, flags: int, stream: int, payload: bytes) -> None:
        if len(payload) != 8:
            raise ConnectionFailure(ErrorCode.FRAME_SIZE_ERROR, "a ping has eight bytes")
        if not flags & ACK:
            self.outbox.put(frames.frame(FrameKind.PING, ACK, 0, payload))

    def _read_window_update(self, flags: int, stream: int, payload: bytes) -> None:
        more = frames.long_in(payload) & frames.LARGEST_WINDOW
        with self._room:
            if stream == 0:
                self._window = grown(self._window, more)
            elif call := self._calls.get(stream):
                call.window = grown(call.window, more)
            self._room.notify_all()

    def _read_push_promise(self, flags: int, stream: int, payload: bytes) -> None:
        raise ConnectionFailure(ErrorCode.PROTOCOL_ERROR, "a client promises nothing")

    HANDLERS: ClassVar[dict[int, Callable[[Connection, int, int, bytes], Call | None]]] = {
        FrameKind.HEADERS: _read_headers,
        FrameKind.CONTINUATION: _read_continuation,
        FrameKind.RST_STREAM: _read_reset,
        FrameKind.SETTINGS: _read_settings,
        FrameKind.PING: _read_ping,
        FrameKind.WINDOW_UPDATE: _read_window_update,
        FrameKind.PUSH_PROMISE: _read_push_promise,
    }


def grown(window: int, more: int) -> int:
    if not more or window + more > frames.LARGEST_WINDOW:
        raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, f"a window that grows by {more}")
    return window + more
