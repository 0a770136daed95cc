"""Flow control of sent data (RFC 9113, section 5.2): calls wait here for the client's window and the send queue."""

from __future__ import annotations

import threading
from typing import Protocol

from twinspark.doors.http2 import frames
from twinspark.doors.http2.frames import ConnectionFailure, ErrorCode, StreamFailure
from twinspark.doors.http2.send_queue import SendQueue
from twinspark.sessions.access.limits import Limits


class Call(Protocol):
    """What flow control needs of a call (call.Call)."""

    stream: int
    window: int

    @property
    def is_over(self) -> bool: ...
    def may_take_long(self) -> None: ...
    def give_up_on_reader(self) -> None: ...


class Windows:
    """The connection's window, and the initial window of new streams."""

    def __init__(self, outbox: SendQueue, limits: Limits) -> None:
        self._outbox = outbox
        self._limits = limits
        self._changed = threading.Condition()
        self._connection = frames.DEFAULT_WINDOW
        self.initial = frames.DEFAULT_WINDOW

    def room_for(self, call: Call, wanted: int) -> int:
        """How many bytes may be sent now; waits until some may. 0 for a call that is over."""
        while not call.is_over:
            with self._changed:
                granted = min(wanted, self._connection, call.window)
                if granted > 0 and self._outbox.promise(granted):
                    self._connection -= granted
                    call.window -= granted
                    return granted
                call.may_take_long()  # the reader must see window updates meanwhile
                has_changed = call.is_over or self._changed.wait(self._limits.stalled_seconds)
            if not has_changed:
                call.give_up_on_reader()
        return 0

    def look_again(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def grow(self, more: int) -> None:
        with self._changed:
            if self._connection + more > frames.LARGEST_WINDOW:
                raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, f"WINDOW_UPDATE by {more}")
            self._connection += more
            self._changed.notify_all()

    def grow_stream(self, call: Call, more: int) -> None:
        with self._changed:
            if call.window + more > frames.LARGEST_WINDOW:
                raise StreamFailure(call.stream, ErrorCode.FLOW_CONTROL_ERROR, f"WINDOW_UPDATE by {more}")
            call.window += more
            self._changed.notify_all()

    def resize(self, size: int, calls: list[Call]) -> None:
        """Also changes the windows of running calls, which may become negative (section 6.9.2)."""
        if size > frames.LARGEST_WINDOW:
            raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, f"SETTINGS_INITIAL_WINDOW_SIZE = {size}")
        with self._changed:
            for call in calls:
                call.window += size - self.initial
            self.initial = size
            if any(call.window > frames.LARGEST_WINDOW for call in calls):
                raise ConnectionFailure(ErrorCode.FLOW_CONTROL_ERROR, f"SETTINGS_INITIAL_WINDOW_SIZE = {size}")
            self._changed.notify_all()
