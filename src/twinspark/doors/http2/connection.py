"""One client's connection: which thread reads it and runs its calls, and when it times out."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import grpc

from twinspark.doors.http2 import frames
from twinspark.doors.http2.call import Call, CallRejected
from twinspark.doors.http2.door import Door
from twinspark.doors.http2.flow_control import Windows
from twinspark.doors.http2.frames import ConnectionFailure, ErrorCode
from twinspark.doors.http2.protocol import Protocol
from twinspark.doors.http2.receive_buffer import INTAKES, ReceiveBuffer
from twinspark.doors.http2.send_queue import SendQueue
from twinspark.doors.sockets import READ, WRITE, ClientSocket
from twinspark.doors.sockets.client_socket import IN

log = logging.getLogger("twinspark.http2")
BYTES_AT_ONCE = 1024 * 1024  # that the poller reads from one client before it serves the others


class Connection:
    """Read by one thread at a time: by the poller while it is parked, otherwise by the thread that ran its last call.

    That thread waits briefly for the next call, since then no other thread has to be woken. Before a call that may take
    long it parks the connection, so that pings, cancellations and other calls are always read.
    """

    def __init__(self, line: ClientSocket, address: str, door: Door) -> None:
        self.line = line
        self.address = address
        self.door = door
        self.limits = door.limits
        self.methods = door.methods
        self.counts = door.counts
        self.interest = 0
        self.known: dict[str, Any] = {}
        self._callbacks: list[Callable[[], object]] = []
        self.unread = door.unread.of_connection(door.limits.unread_bytes_per_connection)
        most = door.limits.unsent_bytes_per_connection
        self.outbox = SendQueue(line, lambda: door.poller.want(self, WRITE), lambda: self.windows.look_again(), most)
        self.windows = Windows(self.outbox, door.limits)
        self.protocol = Protocol(self)
        self.last_call = 0.0
        self._opened = time.monotonic()
        self._is_greeting = True
        self._is_known = False  # one of its calls was accepted
        self._left_at: float | None = None
        self._turns = threading.Lock()
        self._is_parked = False
        self._follower: threading.Lock | None = None  # of a thread that has run a call and waits to read again
        self._is_lost = False
        self._intake: ReceiveBuffer | None = None  # of the thread that reads now, unless that is the poller
        self._charged_rest = 0
        self._rest = b""  # of an incomplete frame, or of frames not read yet

    # ---- called by the poller

    def fileno(self) -> int:
        return self.line.fileno()

    def open(self) -> None:
        self.door.poller.add(self)
        self.door.poller.want(self, READ)

    def ready(self, events: int) -> None:
        if self._is_greeting:
            self._greet()
            return
        if events & WRITE:
            self.outbox.send_now()
        if events & READ and self._claim():
            self._read_now()

    def _greet(self) -> None:
        try:
            event = self.line.greet()
        except OSError as error:
            log.info("a TLS handshake failed: %s", error)
            self._lose()
            return
        if event:
            self.door.poller.want(self, READ if event == IN else WRITE)
        else:
            self._is_greeting = False
            self._read_now()

    def tick(self, now: float) -> None:
        if limit := self._limit_reached(now):
            self.send_away(limit)
        elif self._left_at is not None and now - self._left_at > self.limits.closing_seconds and not self.is_busy:
            self.line.hang_up()
        elif self._left_at is None and self._is_idle(now):
            self.leave()
        self._end_slow_requests(now)

    def _limit_reached(self, now: float) -> str | None:
        limits, unfinished = self.limits, self.protocol.unfinished_since
        if not self.protocol.has_preface:
            return "handshake_seconds" if now - self._opened > limits.handshake_seconds else None
        if unfinished is not None and now - unfinished > limits.header_seconds:
            return "header_seconds"
        return "login_seconds" if not self._is_known and now - self._opened > limits.login_seconds else None

    def _is_idle(self, now: float) -> bool:
        return not self.is_busy and now - max(self.last_call, self._opened) > self.limits.idle_seconds

    def _end_slow_requests(self, now: float) -> None:
        oldest = now - self.limits.request_seconds
        for call in list(self.protocol.calls.values()):
            if call.opened < oldest and not call.is_started and not call.has_all:
                self.counts.reject("request_seconds")
                call.reject(CallRejected(grpc.StatusCode.DEADLINE_EXCEEDED, "the request did not arrive in time"))

    def fail(self) -> None:
        """The reader sees the end of the stream."""
        self.line.hang_up()

    # ---- which thread reads

    def _claim(self) -> bool:
        """Whether the caller is now the reader."""
        with self._turns:
            was_parked, self._is_parked = self._is_parked, False
            return was_parked and not self._is_lost

    def _park(self, rest: bytes, is_exhausted: bool) -> None:
        """The poller continues to read: when more arrives, or at once if the rest may contain complete frames."""
        self._intake, self._rest = None, rest
        with self._turns:
            self._is_parked = True
        if is_exhausted:
            self.door.poller.want(self, READ)
        else:
            self.door.poller.wake(self, READ)

    def _unpack(self) -> ReceiveBuffer:
        """The unread bytes, in the buffer of this thread."""
        intake = INTAKES.mine
        intake.load(self._rest)
        self._rest = b""
        self._discharge_rest()
        return intake

    def _charge_rest(self, size: int) -> None:
        """An incomplete frame counts as unread while it waits for the rest."""
        if size and (limit := self.unread.add(size)):
            self.counts.reject(limit)
            raise ConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM, "the limit of unread bytes is reached")
        self._charged_rest = size

    def _discharge_rest(self) -> None:
        charged, self._charged_rest = self._charged_rest, 0
        self.unread.remove(charged)

    def _read_now(self) -> None:
        """On the poller's thread: frames are read here, calls run on other threads."""
        try:
            intake = self._unpack()
            while (call := self._next_call(intake, may_wait=False)) is not None:
                if self._hand_over(call, intake):
                    return
        except Exception:
            self._lose()
            raise

    def _hand_over(self, call: Call, intake: ReceiveBuffer) -> bool:
        """The thread that runs a call reads the connection from now on; False if there is no such thread."""
        if self.door.workers.take():
            try:
                self.door.threads.submit(self._serve, call, intake.rest())
                return True
            except RuntimeError as error:  # the system cannot start more threads
                log.warning("a call is rejected: %s", error)
                self.door.workers.give_back()
        self.counts.reject("calls")
        call.reject(CallRejected(grpc.StatusCode.UNAVAILABLE, "the server runs as many calls as it can, try again"))
        return False

    def _serve(self, first: Call, rest: bytes) -> None:
        """On a thread of its own: runs a call, waits for the next one, and ends when the client is idle."""
        call: Call | None = first
        del first
        self._intake = intake = INTAKES.mine
        intake.load(rest)
        try:
            while call is not None:
                self._run(call)
                if not call.is_read_by_us and not self._take_back():
                    return
                call = self._next_call(intake, may_wait=True)
        except Exception:
            # a client must not wait for a failed thread
            log.exception("a connection is closed after an error")
            self.line.hang_up()
            self._lose_if_read_by(intake)
            raise
        finally:
            self.door.workers.give_back()

    def _run(self, call: Call) -> None:
        self.last_call = time.monotonic()
        self.protocol.running.add(call)
        try:
            call.run()
        except Exception:
            log.exception("a method failed without a status")  # its stream was reset; other calls continue
        finally:
            self.protocol.running.discard(call)

    def hand_over_reading(self) -> None:
        """Called by the call that this thread runs, before it takes long: another thread or the poller then reads."""
        intake = self._intake
        assert intake is not None
        with self._turns:
            follower, self._follower = self._follower, None
        if follower is None:
            self._park(intake.rest(), is_exhausted=not intake.size and not self.line.has_more)
            return
        self._intake, self._rest = None, intake.rest()
        follower.release()

    def _take_back(self) -> bool:
        """Whether this thread reads again: at once if no other does, or when it is handed over."""
        if self._claim():
            self.door.poller.unwant(self, READ)
        elif not self._follow():
            return False
        self._intake = self._unpack()
        return True

    def _follow(self) -> bool:
        """One thread waits here for its turn to read, since waking it is cheaper than the poller and a pool thread."""
        if not self.door.readers.take():
            return False
        try:
            return self._await_turn()
        finally:
            self.door.readers.give_back()

    def _await_turn(self) -> bool:
        turn = threading.Lock()
        turn.acquire()
        with self._turns:
            if self._follower is not None or self._is_lost or self._is_parked:
                return False
            self._follower = turn
        if not turn.acquire(timeout=self.limits.reading_seconds):
            with self._turns:
                if self._follower is turn:
                    self._follower = None
                    return False
            turn.acquire()  # it was handed over at this moment
        return not self._is_lost

    def _next_call(self, intake: ReceiveBuffer, may_wait: bool) -> Call | None:
        """None if the connection is parked or lost."""
        budget = BYTES_AT_ONCE
        try:
            while True:
                if (call := self.protocol.parse(intake)) is not None:
                    return call
                got = self._receive(intake, may_wait)
                budget -= got
                if not got or (budget < 0 and not may_wait):
                    self._charge_rest(intake.size)
                    self._park(intake.rest(), is_exhausted=not got)
                    return None
        except ConnectionFailure as failure:
            log.info("a connection is closed: %s", failure)
            self._say_goodbye(failure.code, str(failure))
            with suppress(OSError):
                self.line.say_no_more()
                self.line.receive(intake.view)  # closing with unread bytes would discard the GOAWAY frame
        except OSError:
            pass
        self._lose()
        return None

    def _receive(self, intake: ReceiveBuffer, may_wait: bool) -> int:
        """How many bytes were received; 0 if waiting longer is not worthwhile."""
        got = self._receive_soon(intake) if may_wait else self.line.receive(intake.space())
        if got == 0:
            raise ConnectionResetError
        intake.end += got or 0
        return got or 0

    def _receive_soon(self, intake: ReceiveBuffer) -> int | None:
        if not self.door.readers.take():
            return self.line.receive(intake.space())
        try:
            return self.line.receive_within(intake.space(), self.limits.reading_seconds)
        finally:
            self.door.readers.give_back()

    # ---- closing

    def leave(self) -> None:
        """Accepts no new calls; running ones may end."""
        self._left_at = time.monotonic()
        self.protocol.is_leaving = True
        self._say_goodbye(ErrorCode.NO_ERROR, "")

    def send_away(self, limit: str) -> None:
        self.counts.reject(limit)
        self._say_goodbye(ErrorCode.ENHANCE_YOUR_CALM, f"the server's limit {limit} is reached")
        self.line.hang_up()

    def _say_goodbye(self, code: ErrorCode, text: str) -> None:
        if self.protocol.has_preface:  # otherwise the client does not use HTTP/2
            self.outbox.put_now(frames.go_away(self.protocol.last_stream, code, text))
            self.outbox.settle()

    def close(self) -> None:
        self.line.hang_up()

    @property
    def is_busy(self) -> bool:
        return bool(self.protocol.calls)

    def _lose_if_read_by(self, intake: ReceiveBuffer) -> None:
        if self._intake is intake:
            self._lose()

    def _lose(self) -> None:
        """Called by the reader only: the socket is closed here."""
        with self._turns:
            if self._is_lost:
                return
            self._is_lost = True
            follower, self._follower = self._follower, None
        if follower is not None:
            follower.release()
        self.door.poller.remove(self)
        self.outbox.end()
        self._discharge_rest()
        self.door.admission.leave(self)
        for call in list(self.protocol.calls.values()):
            call.end_soon()
        for callback in self._callbacks:
            self.run_soon(callback)

    # ---- called by calls

    def add_callback(self, callback: Callable[[], object]) -> None:
        """Registers a callback for the end of the connection, which runs at once if that has ended already."""
        with self._turns:
            is_lost = self._is_lost
            self._callbacks += [] if is_lost else [callback]
        if is_lost:
            self.run_soon(callback)

    def check(self, headers: Mapping[str, str]) -> None:
        self.door.check(headers)
        if not self._is_known:
            self._is_known = True
            self.door.admission.know(self)

    def earn(self, size: int) -> None:
        self.protocol.earn(size)

    def forget(self, call: Call) -> None:
        self.protocol.forget(call)
        self.windows.look_again()

    def run_soon(self, task: Callable[[], object]) -> None:
        """Runs it on another thread than the reader, if there is one."""
        try:
            self.door.threads.submit(task)
        except RuntimeError:
            task()
