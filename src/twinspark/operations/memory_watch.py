"""Monitors the process's memory while operations run, and ends one with Spark's out-of-memory error before the kernel
would kill the process: DuckDB does not count everything it allocates against its own limit."""

import atexit
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from twinspark.duck.memory import MemoryLimit, memory_limit, memory_usage, release_free_memory
from twinspark.errors import OutOfMemory

log = logging.getLogger("twinspark.memory")
LOOK_SECONDS = 0.05
NEAR_SECONDS = 0.01  # between checks once half of the memory is in use: it may grow by a gigabyte per second
IDLE_SECONDS = 5.0  # without an operation for this long, the thread ends until the next one
ENDING_SECONDS = 2.0  # for a stopped operation to release its memory
EXIT_SECONDS = 0.5
YOUNG_SECONDS = 0.2  # a younger operation has allocated little; large values are checked before they are built


class Watched(Protocol):
    """An operation that can be stopped to free memory."""

    started: float

    @property
    def is_interrupted(self) -> bool: ...

    def stop(self, failure: OutOfMemory) -> bool: ...


class MemoryWatch:
    """One thread for the process; it ends when no operation has run for a while."""

    def __init__(self, limit: MemoryLimit | None = None) -> None:
        self._limit = limit or memory_limit()
        self._relieve: Callable[[], None] = release_free_memory
        self._running: set[Watched] = set()
        self._awake = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._unneeded = threading.Event()

    @property
    def resident_limit(self) -> int:
        return self._limit.resident

    def use(self, limit: MemoryLimit, relieve: Callable[[], None]) -> None:
        """`relieve` makes the engine release freed memory; it is called while no operation runs."""
        self._limit, self._relieve = limit, relieve

    def release(self, relieve: Callable[[], None]) -> None:
        """The engine with this `relieve` function was closed."""
        if self._relieve == relieve:
            self._relieve = release_free_memory
        self._unneeded.set()

    def end(self) -> None:
        """While Python exits: see sessions.threads.end_idle_threads."""
        self._unneeded.set()
        if (thread := self._thread) is not None:
            thread.join(EXIT_SECONDS)

    def enter(self, operation: Watched) -> None:
        self._running.add(operation)
        if not self._awake.is_set():
            self._wake()

    def leave(self, operation: Watched) -> None:
        self._running.discard(operation)

    def waits_for_interrupted(self) -> bool:
        """Whether an interrupted operation is still running."""
        return any(each.is_interrupted for each in self._snapshot())

    def relieve(self) -> None:
        """Releases memory after an operation that ran out of it, for the next one."""
        if not self._running:
            self._relieve()

    def _wake(self) -> None:
        with self._lock:
            self._awake.set()
            self._unneeded.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="memory watch", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            self._look_while_busy()
            with self._lock:
                self._awake.clear()
                if not self._running:
                    self._thread = None
                    return
                self._awake.set()  # an operation started between the last check and here
                self._unneeded.clear()

    def _look_while_busy(self) -> None:
        last, is_relieved = time.monotonic(), False
        while time.monotonic() - last < IDLE_SECONDS and (self._running or not self._unneeded.is_set()):
            half_full = memory_usage()[1] > self._limit.resident // 2
            if self._running:
                last, is_relieved = time.monotonic(), False
                self._look()
            elif half_full and not is_relieved:
                self._relieve()
                is_relieved = True
            self._pause(NEAR_SECONDS if half_full else LOOK_SECONDS)

    def _pause(self, seconds: float) -> None:
        if self._running:
            time.sleep(seconds)
        else:
            self._unneeded.wait(seconds)

    def _look(self) -> None:
        if not self._limit.is_near:
            return
        release_free_memory()
        if self._limit.is_near and (chosen := self._newest()) is not None and chosen.stop(OutOfMemory()):
            log.warning("memory is short (%d bytes in use): the newest operation is stopped", memory_usage()[1])
            self._wait_for(chosen)

    def _newest(self) -> Watched | None:
        """The newest operation: older ones have shown that there was enough memory for them."""
        now = time.monotonic()
        running = [each for each in self._snapshot() if now - each.started > YOUNG_SECONDS]
        return max(running, key=lambda each: each.started, default=None)

    def _snapshot(self) -> list[Watched]:
        while True:
            with suppress(RuntimeError):  # the set changed while it was copied
                return list(self._running)

    def _wait_for(self, operation: Watched) -> None:
        until = time.monotonic() + ENDING_SECONDS
        while operation in self._running and self._limit.is_near and time.monotonic() < until:
            time.sleep(NEAR_SECONDS)
        release_free_memory()


WATCH = MemoryWatch()
atexit.register(WATCH.end)
