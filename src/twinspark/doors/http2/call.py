"""One call: its requests as they arrive, its answer as it goes out, and who wants to know of its end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import grpc

from twinspark.doors.http2 import frames
from twinspark.doors.http2.frames import END_STREAM, ErrorCode, FrameKind
from twinspark.doors.http2.headers import RESPONSE_BLOCK, SUCCESS_BLOCK, status_block
from twinspark.doors.http2.messages import BadMessage, Messages, TooLarge, framed
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.outbox import Piece

if TYPE_CHECKING:
    from twinspark.doors.http2.connection import Connection

MEBIBYTE = 1024 * 1024
LARGEST_MESSAGE = 128 * MEBIBYTE  # spark.connect.grpc.maxInboundMessageSize
WINDOW = 8 * MEBIBYTE  # what a client may send of one request before we say that we have taken it
AT_ONCE = 4 * MEBIBYTE  # handed to the kernel in one go
HELD_BACK = 32 * 1024  # responses wait for each other up to this size


class Refused(Exception):
    """Ends a call with a status other than success."""

    def __init__(self, code: grpc.StatusCode, details: str, metadata: Any = ()) -> None:
        super().__init__(details)
        self.code, self.details, self.metadata = code, details, metadata


class Gone(grpc.RpcError):  # type: ignore[misc]
    """The client left in the middle of its requests."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.CANCELLED

    def details(self) -> str:
        return "the client has left"

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Call:
    """What a method sees of its caller, and what the connection sees of a stream."""

    def __init__(self, connection: Connection, stream: int, headers: Mapping[str, str], method: Method) -> None:
        self.stream = stream
        self.headers = headers
        self.method = method
        self.known: Any = None  # whatever the method wants to remember of this call
        self.window = connection.initial_window
        self.is_read_by_us = True  # whether the thread that runs this call is the one that reads the connection
        self._connection = connection
        self._messages = Messages(headers.get("grpc-encoding", "identity"), LARGEST_MESSAGE)
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._arrived = self._taken = self._told = 0  # bytes: of requests, of those that were used, that it was told
        self._has_all = False
        self._is_answering = False
        self._held_back: list[bytes] = []
        self._callbacks: list[Callable[[], None]] = []
        self._ending = threading.Lock()
        self.is_over = False

    # ---- what comes in

    def receive(self, data: memoryview) -> None:
        """Told by the thread that reads the connection."""
        self._arrived += len(data)
        try:
            for message in self._messages.feed(data):
                self._requests.put(message)
        except TooLarge as error:
            raise Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error)) from error
        except BadMessage as error:
            raise Refused(grpc.StatusCode.INTERNAL, str(error)) from error
        if self.method.kind is not Kind.UPLOAD:  # it has to stand here whole before anyone takes it
            self._let_more_come(len(data))
        elif self._arrived - self._taken > 2 * WINDOW:
            raise Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "more was sent than there was room for")

    def receive_end(self) -> None:
        self._has_all = True
        self._requests.put(None)

    @property
    def may_start(self) -> bool:
        return self._has_all or self.method.kind is Kind.UPLOAD

    def _request(self) -> bytes:
        message = self._requests.get()
        if message is None or not self._messages.is_between:
            raise Refused(grpc.StatusCode.INTERNAL, "no whole message was sent")
        return message

    def _uploads(self) -> Iterator[bytes]:
        while (message := self._requests.get()) is not None:
            self._let_more_come(len(message) + len(framed(message)))
            yield message
        if not self._has_all:
            raise Gone

    def _let_more_come(self, taken: int) -> None:
        """Not after every little message: each of these is a frame for the client to read."""
        self._taken += taken
        if self._taken - self._told >= WINDOW // 2 and not self._has_all:
            self._connection.outbox.put(frames.window_update(self.stream, self._taken - self._told))
            self._told = self._taken

    # ---- what a method may ask for

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """To be called when this call is over, however it ended; False if it is so already."""
        with self._ending:
            if not self.is_over:
                self._callbacks.append(callback)
                return True
        return False

    def abort_with_status(self, status: Any) -> None:
        raise Refused(status.code, status.details, status.trailing_metadata or ())

    def may_take_long(self) -> None:
        """Another thread reads the connection from now on."""
        if self.is_read_by_us:
            self.is_read_by_us = False
            self._connection.read_elsewhere()

    # ---- running

    def run(self) -> None:
        if not self.method.is_quick:
            self.may_take_long()
        try:
            RUN[self.method.kind](self)
        except Refused as refusal:
            self.refuse(refusal)
        finally:
            if not self.is_over:  # nobody has answered: an error that no status was made of
                self._connection.outbox.put(frames.reset(self.stream, ErrorCode.INTERNAL_ERROR))
                self.end()

    def run_unary(self) -> None:
        self._write([self.method.run(self._request(), self)], is_last=True)

    def run_upload(self) -> None:
        self._write([self.method.run(self._uploads(), self)], is_last=True)

    def run_stream(self) -> None:
        responses = self.method.run(self._request(), self)
        try:
            for response in responses:
                if response:
                    self._held_back.append(response)
                if (not response or sum(map(len, self._held_back)) > HELD_BACK) and not self._let_go():
                    return
        finally:
            responses.close()
        self._let_go(is_last=True)

    def _let_go(self, is_last: bool = False) -> bool:
        held_back, self._held_back = self._held_back, []
        return self._write(held_back, is_last) if held_back or is_last else not self.is_over

    # ---- what goes out

    def refuse(self, refusal: Refused) -> None:
        self._let_go()
        block = status_block(refusal.code.value[0], refusal.details or "", refusal.metadata)
        self._finish(self._last_headers(block if self._is_answering else RESPONSE_BLOCK + block))

    def _write(self, messages: list[bytes], is_last: bool = False) -> bool:
        """The end of an answer goes with the last of it. False if the client is no longer there."""
        pieces: list[Piece] = [piece for message in messages for piece in (framed(message), message)]
        size, now = sum(map(len, pieces)), list[Piece]()
        while size:
            granted = self._connection.room_for(self, min(size, AT_ONCE))
            if not granted:
                return False
            now, pieces = cut(pieces, granted)
            size -= granted
            if size or not is_last:
                self._connection.outbox.put(*self._first_headers(), *self._data(now))
        if is_last:
            self._finish(*self._first_headers(), *self._data(now), self._last_headers(SUCCESS_BLOCK))
        return not self.is_over

    def _first_headers(self) -> tuple[Piece, ...]:
        if self._is_answering:
            return ()
        self._is_answering = True
        return (frames.header_frames(self.stream, RESPONSE_BLOCK, 0, self._connection.largest_frame),)

    def _last_headers(self, block: bytes) -> bytes:
        """Who is still sending is told to stop."""
        last = frames.header_frames(self.stream, block, END_STREAM, self._connection.largest_frame)
        return last if self._has_all else last + frames.reset(self.stream, ErrorCode.NO_ERROR)

    def _data(self, pieces: list[Piece]) -> Iterator[Piece]:
        while pieces:
            now, pieces = cut(pieces, self._connection.largest_frame)
            yield frames.head(FrameKind.DATA, 0, self.stream, sum(map(len, now)))
            yield from now

    def _finish(self, *pieces: Piece) -> None:
        if not self.is_over:
            self._connection.outbox.put(*pieces)
            self.end()

    def end(self) -> None:
        """Answered, cancelled, or its connection is lost."""
        with self._ending:
            if self.is_over:
                return
            self.is_over = True
        self._connection.forget(self)
        self._requests.put(None)
        for callback in self._callbacks:
            callback()


RUN: dict[Kind, Callable[[Call], None]] = {
    Kind.UNARY: Call.run_unary,
    Kind.STREAM: Call.run_stream,
    Kind.UPLOAD: Call.run_upload,
}


def cut(pieces: list[Piece], size: int) -> tuple[list[Piece], list[Piece]]:
    """The first `size` bytes, and the others."""
    for index, piece in enumerate(pieces):
        if size < len(piece):
            view = memoryview(piece)
            return [*pieces[:index], view[:size]], [view[size:], *pieces[index + 1 :]]
        size -= len(piece)
    return pieces, []
