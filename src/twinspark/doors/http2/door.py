"""The state that all connections of one HTTP/2 server share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from twinspark.doors.http2.methods import Method
from twinspark.doors.sockets import Admission, Poller, RejectionCounts, Slots, UnreadBytes
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads

Check = Callable[[Mapping[str, str]], None]


@dataclass(frozen=True)
class Door:
    """`methods` by their path; `check` gets the headers of every call, and rejects it by raising `CallRejected`."""

    methods: Mapping[str, Method]
    check: Check
    threads: DaemonThreads
    limits: Limits
    poller: Poller
    admission: Admission
    counts: RejectionCounts
    unread: UnreadBytes
    workers: Slots
    readers: Slots


def new_door(methods: Mapping[str, Method], check: Check, threads: DaemonThreads, limits: Limits) -> Door:
    return Door(
        methods,
        check,
        threads,
        limits,
        Poller("http2"),
        Admission(limits),
        RejectionCounts(),
        UnreadBytes(limits.unread_bytes),
        Slots(limits.calls),
        Slots(limits.reading_threads),
    )
