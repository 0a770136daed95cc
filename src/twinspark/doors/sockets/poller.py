"""One thread that polls all connections that no other thread reads: an idle client costs a few kilobytes and no
thread."""

import logging
import queue
import selectors
import socket
import threading
import time
from contextlib import suppress
from typing import Protocol

log = logging.getLogger("twinspark.sockets")
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
TICK_SECONDS = 1.0


class Watched(Protocol):
    """A connection as the poller sees it. `interest` is set by the poller only."""

    interest: int

    def fileno(self) -> int: ...

    def ready(self, events: int) -> None:
        """An awaited event has happened; it has to be requested again."""

    def tick(self, now: float) -> None:
        """Called about once a second: timeouts are checked here."""

    def fail(self) -> None:
        """After an internal error: ends the connection."""


class Poller:
    """Events may be requested by any thread; `ready`, `tick` and tasks run on the poller's thread, and must not
    block."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._selector = selectors.DefaultSelector()
        self._lock = threading.Lock()
        self._watched: set[Watched] = set()
        self._tasks: queue.SimpleQueue[tuple[Watched, int]] = queue.SimpleQueue()
        self._bell, self._rung = socket.socketpair()
        self._bell.setblocking(False)
        self._rung.setblocking(False)
        self._selector.register(self._rung, READ)
        self._is_stopped = False

    def start(self) -> None:
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def stop(self) -> None:
        """Called after the last connection was closed."""
        self._is_stopped = True
        self._ring()

    def add(self, watched: Watched) -> None:
        """From now on its `tick` is called."""
        with self._lock:
            is_first = not self._watched
            self._watched.add(watched)
        if is_first:
            self._ring()  # it sleeps without a timeout while there are no connections

    def remove(self, watched: Watched) -> None:
        """Called before its socket is closed: the kernel gives its number to the next client."""
        with self._lock:
            self._watched.discard(watched)
            self._set_interest(watched, 0)

    def want(self, watched: Watched, events: int) -> None:
        with self._lock:
            if watched in self._watched:
                self._set_interest(watched, watched.interest | events)

    def unwant(self, watched: Watched, events: int) -> None:
        with self._lock:
            self._set_interest(watched, watched.interest & ~events)

    def wake(self, watched: Watched, events: int) -> None:
        """Acts as if the event had happened: there are bytes that the kernel no longer has."""
        self._tasks.put((watched, events))
        self._ring()

    def _set_interest(self, watched: Watched, events: int) -> None:
        if events == watched.interest:
            return
        if not watched.interest:
            self._selector.register(watched, events, watched)
        elif not events:
            self._selector.unregister(watched)
        else:
            self._selector.modify(watched, events, watched)
        watched.interest = events

    def _ring(self) -> None:
        with suppress(BlockingIOError):  # it is woken already
            self._bell.send(b"!")

    def _run(self) -> None:
        last_tick = time.monotonic()
        while not self._is_stopped or self._watched:
            self._look(TICK_SECONDS if self._watched else None)
            if (now := time.monotonic()) - last_tick >= TICK_SECONDS:
                last_tick = now
                self._tick(now)

    def _look(self, seconds: float | None) -> None:
        for key, events in self._selector.select(seconds):
            if key.data is None:
                self._answer_the_bell()
            else:
                self.unwant(key.data, events)
                self._tell(key.data, "ready", events)

    def _answer_the_bell(self) -> None:
        with suppress(BlockingIOError):
            self._rung.recv(4096)
        while True:
            try:
                watched, events = self._tasks.get_nowait()
            except queue.Empty:
                return
            self._tell(watched, "ready", events)

    def _tick(self, now: float) -> None:
        with self._lock:
            watched = list(self._watched)
        for each in watched:
            self._tell(each, "tick", now)

    def _tell(self, watched: Watched, what: str, news: float) -> None:
        """An error must not end this thread, which serves all connections: the connection that caused it is closed."""
        try:
            getattr(watched, what)(news)
        except Exception:
            log.exception("a connection is closed after an error")
            watched.fail()
