"""Limits connections, in total and from one address; a new one replaces the oldest one that has not logged in."""

import threading
from collections import Counter, OrderedDict
from typing import Protocol

from twinspark.sessions.access.limits import Limits

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


class Guest(Protocol):
    """A connection as the admission sees it."""

    address: str

    def send_away(self, reason: str) -> None:
        """Closes it with an explanation."""


class Admission:
    """Counts connections, and orders by age those that have not made a successful call yet."""

    def __init__(self, limits: Limits) -> None:
        self.use_limits(limits)
        self._lock = threading.Lock()
        self._guests: set[Guest] = set()
        self._strangers: OrderedDict[Guest, None] = OrderedDict()
        self._by_address: Counter[str] = Counter()

    def use_limits(self, limits: Limits) -> None:
        self._most = min(limits.connections, half_of_the_files())
        self._most_per_address = limits.connections_per_address

    def __len__(self) -> int:
        return len(self._guests)

    def all(self) -> list[Guest]:
        with self._lock:
            return list(self._guests)

    def obstacle(self, address: str) -> str | None:
        """The limit that is reached for this address; None if there is none."""
        with self._lock:
            if self._by_address[address] >= self._most_per_address:
                return "connections_per_address"
            return "connections" if len(self._guests) >= self._most and not self._strangers else None

    def enter(self, guest: Guest) -> None:
        with self._lock:
            leaving = self._longest_stranger() if len(self._guests) >= self._most else None
            self._guests.add(guest)
            self._strangers[guest] = None
            self._by_address[guest.address] += 1
        if leaving is not None:
            leaving.send_away("connections")

    def _longest_stranger(self) -> Guest | None:
        """The oldest connection without a successful call; it no longer counts, since it will be closed."""
        if not self._strangers:
            return None
        leaving, _ = self._strangers.popitem(last=False)
        self._forget(leaving)
        return leaving

    def know(self, guest: Guest) -> None:
        """The connection has made a call that was not rejected."""
        with self._lock:
            self._strangers.pop(guest, None)

    def leave(self, guest: Guest) -> None:
        with self._lock:
            self._strangers.pop(guest, None)
            if guest in self._guests:
                self._forget(guest)

    def _forget(self, guest: Guest) -> None:
        self._guests.discard(guest)
        self._by_address[guest.address] -= 1
        if not self._by_address[guest.address]:
            del self._by_address[guest.address]


def half_of_the_files() -> int:
    """The other half is for tables."""
    if resource is None:
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(1, soft // 2)
