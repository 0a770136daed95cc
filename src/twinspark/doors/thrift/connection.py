"""One connection of a Thrift client: a thread works for it only while it has a complete request."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinspark.doors.sockets import READ, WRITE, Admission, ClientSocket, Poller, RejectionCounts, Slots, UnreadBytes
from twinspark.doors.sockets.client_socket import IN
from twinspark.doors.thrift.inbox import Inbox
from twinspark.doors.thrift.transports import (
    BinaryConversation,
    Conversation,
    HttpConversation,
    SaslConversation,
    Task,
)
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads
from twinspark.wire.thrift.binary import WireError

if TYPE_CHECKING:
    from twinspark.doors.thrift.service import Service
    from twinspark.doors.thrift.transports import Authenticate, Steps

LOG = logging.getLogger(__name__)
RECEIVE = 1 << 16
BYTES_AT_ONCE = 1 << 20  # that the poller reads from one client before it serves the others
LANGUAGES: dict[bytes, type[Conversation]] = {b"\x01": SaslConversation, b"\x80": BinaryConversation}


@dataclass(frozen=True)
class Door:
    """The state that all connections share."""

    service: Service
    authenticate: Authenticate
    threads: DaemonThreads
    limits: Limits
    poller: Poller
    admission: Admission
    counts: RejectionCounts
    unread: UnreadBytes
    workers: Slots
    readers: Slots


class Connection:
    """Read by the poller until a task is complete; the thread that runs the task waits briefly for the next request."""

    def __init__(self, line: ClientSocket, address: str, door: Door) -> None:
        self.line, self.address, self.door = line, address, door
        self.interest = 0
        self.inbox = Inbox()
        self.unread = door.unread.of_connection(door.limits.unread_bytes_per_connection)
        self.conversation: Conversation | None = None
        self._steps: Steps | None = None
        self._is_greeting = True
        self.is_working = False
        self._is_known = False
        self._is_lost = False
        self._opened = self._heard = self._whole = time.monotonic()

    # ---- called by the poller

    def fileno(self) -> int:
        return self.line.fileno()

    def open(self) -> None:
        self.door.poller.add(self)
        self.door.poller.want(self, READ)

    def ready(self, events: int) -> None:
        if self._is_greeting:
            self._greet()
        else:
            self._run_guarded(lambda: self._go_on(may_wait=False))

    def _greet(self) -> None:
        try:
            event = self.line.greet()
        except OSError as error:
            LOG.info("a TLS handshake with %s failed: %s", self.address, error)
            self._lose()
            return
        if event:
            self.door.poller.want(self, READ if event == IN else WRITE)
        else:
            self._is_greeting = False
            self._run_guarded(lambda: self._go_on(may_wait=False))

    def tick(self, now: float) -> None:
        if not self.is_working and (limit := self._limit_reached(now)):
            self.send_away(limit)

    def _limit_reached(self, now: float) -> str | None:
        limits, conversation = self.door.limits, self.conversation
        if conversation is None:
            return "handshake_seconds" if now - self._opened > limits.handshake_seconds else None
        if not self._is_known and now - self._opened > limits.login_seconds:
            return "login_seconds"
        if conversation.is_between:
            is_idle = not conversation.peer.opened and now - self._heard > limits.idle_seconds
            return "idle_seconds" if is_idle else None
        if now - self._heard > limits.silence_seconds:
            return "silence_seconds"
        return "request_seconds" if now - self._whole > limits.request_seconds else None

    def fail(self) -> None:
        self.line.hang_up()

    def send_away(self, limit: str) -> None:
        self.door.counts.reject(limit)
        self.line.hang_up()

    # ---- reading and working

    def _run_guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StopIteration:
            self._part()
        except (OSError, WireError, EOFError) as error:
            LOG.info("connection from %s ended: %s", self.address, error)
            self._lose()
        except BaseException:
            LOG.exception("a connection is closed after an error")
            self._lose()
            raise

    def _part(self) -> None:
        """The conversation is over; closing with unread bytes would discard the last response."""
        with suppress(OSError):
            self.line.say_no_more()
            self.line.receive(memoryview(bytearray(RECEIVE)))
        self._lose()

    def _go_on(self, may_wait: bool) -> None:
        """Reads until a task needs another thread, or until there is nothing to read."""
        budget = BYTES_AT_ONCE
        while True:
            task = next(self._steps) if self._steps is not None else None
            if task is not None:
                if not may_wait:
                    self._hand_over(task)
                    return
                self._do(task)
            elif not (got := self._receive(may_wait)):
                self.door.poller.want(self, READ)
                return
            else:
                budget -= got
                if budget < 0 and not may_wait:
                    self.door.poller.wake(self, READ)
                    return

    def _do(self, task: Task) -> None:
        self.is_working = True
        task()
        self._discharge()
        self._whole = self._heard = time.monotonic()  # its next request begins now, or later
        self.is_working = False
        if not self._is_known and self.conversation is not None and self.conversation.is_known:
            self._is_known = True
            self.door.admission.know(self)

    def _hand_over(self, task: Task) -> None:
        if not self.door.workers.take():
            raise self._rejection("calls", "too many calls are running")
        self.is_working = True
        try:
            self.door.threads.submit(self._work, task)
        except RuntimeError as error:
            self.door.workers.give_back()
            raise self._rejection("calls", str(error)) from error

    def _work(self, task: Task) -> None:
        try:
            self._run_guarded(lambda: self._work_on(task))
        finally:
            self.door.workers.give_back()

    def _work_on(self, task: Task) -> None:
        self._do(task)
        self._go_on(may_wait=True)

    def _receive(self, may_wait: bool) -> int:
        """How many bytes were received; 0 if waiting longer is not worthwhile."""
        buffer = bytearray(RECEIVE)
        is_worth_it = may_wait and self._is_known
        got = self._receive_soon(buffer) if is_worth_it else self.line.receive(memoryview(buffer))
        if got == 0:
            raise EOFError("the client disconnected")
        if got:
            self._take(buffer, got)
        return got or 0

    def _receive_soon(self, buffer: bytearray) -> int | None:
        if not self.door.readers.take():
            return self.line.receive(memoryview(buffer))
        try:
            return self.line.receive_within(memoryview(buffer), self.door.limits.reading_seconds)
        finally:
            self.door.readers.give_back()

    def _take(self, buffer: bytearray, got: int) -> None:
        if limit := self.unread.add(got):
            raise self._rejection(limit, "the limit of unread bytes is reached")
        now = time.monotonic()
        if not self.inbox and (self.conversation is None or self.conversation.is_between):
            self._whole = now
        self._heard = now
        self.inbox += memoryview(buffer)[:got]
        if self._steps is None:
            self.conversation = self._begin()
            self._steps = self.conversation.steps()

    def _begin(self) -> Conversation:
        is_local = ipaddress.ip_address(self.address.partition("%")[0]).is_loopback
        language = language_of(bytes(self.inbox[:1]))
        return language(self.door.service, self.door.authenticate, self.line, self.inbox, is_local)

    def _discharge(self) -> None:
        """Bytes that are still in the inbox continue to count."""
        self.unread.remove(self.unread.bytes - len(self.inbox))

    def _rejection(self, limit: str, text: str) -> WireError:
        self.door.counts.reject(limit)
        return WireError(text)

    def _lose(self) -> None:
        if self._is_lost:
            return
        self._is_lost = True
        self.door.poller.remove(self)
        self.line.hang_up()
        self.line.close()
        self.unread.remove(self.unread.bytes)
        self.door.admission.leave(self)
        if self.conversation is not None and self.conversation.peer.opened:
            self._leave(self.conversation)

    def _leave(self, conversation: Conversation) -> None:
        """Closing sessions may take long, so it is not done on the poller's thread."""
        try:
            self.door.threads.submit(conversation.end)
        except RuntimeError:
            conversation.end()


def language_of(first: bytes) -> type[Conversation]:
    if first in LANGUAGES:
        return LANGUAGES[first]
    if first.isalpha():
        return HttpConversation
    raise WireError(f"neither HTTP nor SASL nor Thrift: the first byte is {first!r}")
