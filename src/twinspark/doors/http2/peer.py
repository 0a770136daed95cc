"""The interface of a connection that calls and the protocol need (connection.Connection)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from twinspark.doors.http2.flow_control import Windows
from twinspark.doors.http2.methods import Method
from twinspark.doors.http2.send_queue import SendQueue
from twinspark.doors.sockets.rejection_counts import RejectionCounts
from twinspark.doors.sockets.unread_bytes import UnreadBytes
from twinspark.sessions.access.limits import Limits


class FrameSizes(Protocol):
    """The frame size that the client accepts."""

    largest_frame: int


class Peer(Protocol):
    """One client's connection."""

    limits: Limits
    methods: Mapping[str, Method]
    counts: RejectionCounts
    unread: UnreadBytes
    outbox: SendQueue
    windows: Windows
    address: str
    known: dict[str, Any]  # what methods know about this client, until its connection ends

    @property
    def protocol(self) -> FrameSizes: ...
    def check(self, headers: Mapping[str, str]) -> None: ...
    def add_callback(self, callback: Callable[[], object]) -> None: ...
    def earn(self, size: int) -> None: ...
    def forget(self, call: Any) -> None: ...
    def hand_over_reading(self) -> None: ...
    def run_soon(self, task: Callable[[], object]) -> None: ...
