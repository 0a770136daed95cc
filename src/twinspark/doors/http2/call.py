"""One gRPC call: its request messages, its responses, and the callbacks for its end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc

from twinspark.doors.http2 import frames
from twinspark.doors.http2.frames import END_STREAM, ErrorCode, FrameKind, StreamFailure
from twinspark.doors.http2.headers import RESPONSE_BLOCK, SUCCESS_BLOCK, encode_metadata, status_block
from twinspark.doors.http2.messages import PREFIX, BadMessage, Message, Messages, TooLarge, decompress, message_prefix
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.peer import Peer
from twinspark.doors.sockets.client_socket import Piece

MEBIBYTE = 1024 * 1024
WINDOW = 8 * MEBIBYTE  # how much of one request a client may send before we acknowledge it
AT_ONCE = 4 * MEBIBYTE  # passed to the kernel at once
HELD_BACK = 32 * 1024  # small responses are collected up to this size


class CallRejected(Exception):
    """Ends a call with a status other than OK."""

    def __init__(self, code: grpc.StatusCode, details: str, metadata: Any = ()) -> None:
        super().__init__(details)
        self.code, self.details, self.metadata = code, details, metadata


class ClientGone(grpc.RpcError):  # type: ignore[misc]
    """The client disconnected in the middle of its requests."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.CANCELLED

    def details(self) -> str:
        return "the client has disconnected"

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Call:
    """A call as its method sees it, and a stream as its connection sees it."""

    def __init__(self, connection: Peer, stream: int, headers: Mapping[str, str], method: Method) -> None:
        self.stream = stream
        self.headers = headers
        self.method = method
        self.known: Any = None  # for the method's own use
        self.metadata: tuple[tuple[str, str], ...] = ()  # that the method adds to the headers of its response
        self.window = connection.windows.initial
        self.is_read_by_us = True  # whether the thread that runs this call also reads the connection
        self.opened = time.monotonic()
        self._connection = connection
        self._limits = connection.limits
        self._encoding = headers.get("grpc-encoding", "identity")
        self._messages = Messages(self._limits.message_bytes)
        self._requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._arrived = self._taken = self._told = 0  # bytes: of data frames, of those consumed, of those acknowledged
        self._body_bytes = 0
        self._messages_found = 0
        self._charged = 0  # bytes that count as unread
        self._charged_open = 0  # of those, decompressed bytes
        self.has_all = False  # the client has ended its side of the stream
        self.is_cut = False  # because it has reset the stream
        self.is_started = False
        self._is_answering = False
        self.is_answered = False  # its end is being sent, and may reach the client before `end` returns
        self._held_back: list[bytes] = []
        self._callbacks: list[Callable[[], None]] = []
        self._ending = threading.Lock()
        self.is_over = False

    # ---- receiving: called by the thread that reads the connection

    def expect(self, size: int, of_padding: int) -> bool:
        """The head of a data frame: False if the client exceeded its window."""
        self._arrived += size
        if self._arrived > WINDOW + self._told:
            return False
        used = of_padding if self.method.kind.takes_many else size  # other requests must be received completely
        if used:
            self._let_more_come(used)
        return True

    def receive(self, data: memoryview) -> None:
        self._charge(len(data))
        self._body_bytes += len(data)
        try:
            found = self._messages.feed(data)
        except TooLarge as error:
            raise self._rejection("message_bytes", grpc.StatusCode.RESOURCE_EXHAUSTED, str(error)) from error
        self._messages_found += len(found)
        for message in found:
            self._requests.put(message)
        is_more = self._messages_found > 1 or (self._messages_found and not self._messages.is_between)
        if is_more and not self.method.kind.takes_many:
            raise CallRejected(grpc.StatusCode.INTERNAL, "Too many requests")  # grpc-java's message text: ServerCalls

    def receive_end(self) -> None:
        """A request whose length differs from its content-length is malformed: RFC 9113, section 8.1.1."""
        self.has_all = True
        declared_length = self.headers.get("content-length")
        if declared_length is not None and declared_length != str(self._body_bytes):
            raise StreamFailure(self.stream, ErrorCode.PROTOCOL_ERROR, "another content-length")
        self._requests.put(None)

    @property
    def is_closed(self) -> bool:
        """Both sides have ended the stream."""
        return self.has_all and self.is_answered

    @property
    def may_start(self) -> bool:
        return self.has_all or self.method.kind.takes_many

    # ---- counting of unread bytes

    def _charge(self, size: int) -> None:
        with self._ending:
            if self.is_over:
                return
            limit = self._connection.unread.add(size)
            self._charged += size if limit is None else 0
        if limit is not None:
            code = grpc.StatusCode.UNAVAILABLE if limit == "unread_bytes" else grpc.StatusCode.RESOURCE_EXHAUSTED
            raise self._rejection(limit, code, "the limit of unread bytes is reached")

    def _discharge(self, size: int) -> None:
        with self._ending:
            size = min(size, self._charged)
            self._charged -= size
        self._connection.unread.remove(size)

    def _rejection(self, limit: str, code: grpc.StatusCode, details: str) -> CallRejected:
        self._connection.counts.reject(limit)
        return CallRejected(code, details)

    # ---- reading by the method

    def _request(self) -> bytes:
        message = self._requests.get()
        if message is None or not self._messages.is_between:
            raise CallRejected(grpc.StatusCode.INTERNAL, "the message is incomplete")
        return self._open(message)

    def _uploads(self) -> Iterator[bytes]:
        while (message := self._next_upload()) is not None:
            self._let_more_come(PREFIX.size + len(message[1]))
            yield self._open(message)
        if self.is_cut or not self.has_all:
            raise ClientGone

    def _next_upload(self) -> Message | None:
        try:
            return self._requests.get(timeout=self._limits.request_seconds)
        except queue.Empty:
            raise self._rejection(
                "request_seconds", grpc.StatusCode.DEADLINE_EXCEEDED, "no further message was sent in time"
            ) from None

    def _open(self, message: Message) -> bytes:
        """Decompressed bytes count as unread until the next message is read, or the call ends."""
        is_compressed, content = message
        self._discharge(PREFIX.size + len(content) + self._charged_open)
        self._charged_open = 0
        return self._decompress(content) if is_compressed else content

    def _decompress(self, content: bytes) -> bytes:
        limits = self._limits
        try:
            return decompress(content, self._encoding, limits.message_bytes, limits.expansion, self._charge_open)
        except TooLarge as error:
            raise self._rejection("expansion", grpc.StatusCode.RESOURCE_EXHAUSTED, str(error)) from error
        except BadMessage as error:
            raise CallRejected(grpc.StatusCode.INTERNAL, str(error)) from error

    def _charge_open(self, size: int) -> None:
        self._charge(size)
        self._charged_open += size

    def _let_more_come(self, taken: int) -> None:
        """Not after every small message, since each update is a frame that the client has to read."""
        with self._ending:  # called by the method and by the reader
            self._taken += taken
            more = self._taken - self._told
            if more < WINDOW // 2 or self.has_all:
                return
            self._told = self._taken
        self._connection.outbox.put_now(frames.window_update(self.stream, more))

    # ---- functions for methods

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Registers a callback for the end of the call; False if it has ended already."""
        with self._ending:
            if not self.is_over:
                self._callbacks.append(callback)
                return True
        return False

    @property
    def connection(self) -> Peer:
        return self._connection

    def abort_with_status(self, status: Any) -> None:
        raise CallRejected(status.code, status.details, status.trailing_metadata or ())

    def may_take_long(self) -> None:
        """Makes another thread read the connection from now on."""
        if self.is_read_by_us:
            self.is_read_by_us = False
            self._connection.hand_over_reading()

    # ---- running

    def run(self) -> None:
        self.is_started = True
        if not self.method.is_quick:
            self.may_take_long()
        try:
            RUN[self.method.kind](self)
        except CallRejected as rejection:
            self.end_with_status(rejection)
        finally:
            if not self.is_over:  # no response was sent: an exception without a status
                self._connection.outbox.put(frames.reset(self.stream, ErrorCode.INTERNAL_ERROR))
                self.end()

    def run_unary(self) -> None:
        self._write([self.method.run(self._request(), self)], is_last=True)

    def run_upload(self) -> None:
        self._write([self.method.run(self._uploads(), self)], is_last=True)

    def run_stream(self) -> None:
        self._send_all(self.method.run(self._request(), self))

    def run_exchange(self) -> None:
        self._send_all(self.method.run(self._uploads(), self))

    def _send_all(self, responses: Any) -> None:
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

    # ---- sending

    def end_with_status(self, rejection: CallRejected) -> None:
        """Called by the method, after its previous responses."""
        self._let_go()
        self._finish(self._status(rejection))

    def reject(self, rejection: CallRejected) -> None:
        """Called by the thread that reads, which never waits."""
        if not self.is_over:
            self._connection.outbox.put_now(self._status(rejection))
            self.end_soon()

    def give_up_on_reader(self) -> None:
        """Ends the call of a client that does not read; it can reattach."""
        self._connection.counts.reject("stalled_seconds")
        self._connection.outbox.put_now(frames.reset(self.stream, ErrorCode.CANCEL))
        self.end()

    def _status(self, rejection: CallRejected) -> bytes:
        block = status_block(rejection.code.value[0], rejection.details or "", rejection.metadata)
        return self._last_headers(block if self._is_answering else self._response_block() + block)

    def _write(self, messages: list[bytes], is_last: bool = False) -> bool:
        """Sends the trailers together with the last messages. False if the client has disconnected."""
        pieces: list[Piece] = [piece for message in messages for piece in (message_prefix(message), message)]
        size, now, promised = sum(map(len, pieces)), list[Piece](), 0
        while size:
            promised = self._connection.windows.room_for(self, min(size, AT_ONCE))
            if not promised:
                return False
            now, pieces = cut(pieces, promised)
            size -= promised
            self._connection.earn(promised)
            if size or not is_last:
                self._connection.outbox.put(*self._first_headers(), *self._data(now), promised=promised)
        if is_last:
            last = self._last_headers(SUCCESS_BLOCK)
            self._finish(*self._first_headers(), *self._data(now), last, promised=promised)
        return not self.is_over

    def _first_headers(self) -> tuple[Piece, ...]:
        if self._is_answering:
            return ()
        self._is_answering = True
        return (frames.header_frames(self.stream, self._response_block(), 0, self._connection.protocol.largest_frame),)

    def _response_block(self) -> bytes:
        return RESPONSE_BLOCK + b"".join(encode_metadata(*each) for each in self.metadata)

    def _last_headers(self, block: bytes) -> bytes:
        """A client that is still sending gets a reset with NO_ERROR, so that it stops."""
        last = frames.header_frames(self.stream, block, END_STREAM, self._connection.protocol.largest_frame)
        return last if self.has_all else last + frames.reset(self.stream, ErrorCode.NO_ERROR)

    def _data(self, pieces: list[Piece]) -> Iterator[Piece]:
        while pieces:
            now, pieces = cut(pieces, self._connection.protocol.largest_frame)
            yield frames.head(FrameKind.DATA, 0, self.stream, sum(map(len, now)))
            yield from now

    def _finish(self, *pieces: Piece, promised: int = 0) -> None:
        if self.is_over:
            self._connection.outbox.put_now(promised=promised)
            return
        self.is_answered = True
        self._connection.outbox.put(*pieces, promised=promised)
        self.end()

    def end(self) -> None:
        """The call was answered or cancelled, or its connection was lost."""
        for callback in self._end():
            callback()

    def end_soon(self) -> None:
        """The same from the thread that reads: callbacks run on another thread, since they may take long."""
        if callbacks := self._end():
            self._connection.run_soon(lambda: [each() for each in callbacks])

    def _end(self) -> list[Callable[[], None]]:
        with self._ending:
            if self.is_over:
                return []
            self.is_over = True
            charged, self._charged = self._charged, 0
        self._connection.unread.remove(charged)
        self._connection.forget(self)
        self._requests.put(None)
        return self._callbacks


RUN: dict[Kind, Callable[[Call], None]] = {
    Kind.UNARY: Call.run_unary,
    Kind.STREAM: Call.run_stream,
    Kind.UPLOAD: Call.run_upload,
    Kind.EXCHANGE: Call.run_exchange,
}


def cut(pieces: list[Piece], size: int) -> tuple[list[Piece], list[Piece]]:
    """The first `size` bytes, and the rest."""
    for index, piece in enumerate(pieces):
        if size < len(piece):
            view = memoryview(piece)
            return [*pieces[:index], view[:size]], [view[size:], *pieces[index + 1 :]]
        size -= len(piece)
    return pieces, []
