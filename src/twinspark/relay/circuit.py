"""A circuit breaker for starting Spark: after repeated failures it opens, and requests fail at once instead of
waiting."""

import threading
import time
from collections.abc import Callable
from enum import Enum

FIRST_PAUSE = 1.0  # before the second start; doubled until the circuit opens


class CircuitState(Enum):
    CLOSED = "closed"  # starts are attempted, after a short pause if the last one failed
    OPEN = "open"  # no start is attempted until the pause is over
    HALF_OPEN = "half-open"  # the next request attempts one start, which closes the circuit or opens it again


class Circuit:
    """Counts consecutive failed starts; knows when the next may be attempted, and why the last one failed."""

    def __init__(self, failures: int, delay: float, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._threshold, self._delay, self._limit, self._clock = failures, delay, limit, clock
        self._lock = threading.Lock()
        self._failures = 0
        self._retry_at = 0.0
        self.cause = ""

    @property
    def state(self) -> CircuitState:
        if self._failures < self._threshold:
            return CircuitState.CLOSED
        return CircuitState.OPEN if self.pause > 0 else CircuitState.HALF_OPEN

    @property
    def failures(self) -> int:
        return self._failures

    @property
    def pause(self) -> float:
        """Seconds until a start may be attempted."""
        return max(0.0, self._retry_at - self._clock())

    def record_failure(self, cause: str) -> None:
        with self._lock:
            self._failures += 1
            self.cause = cause
            self._retry_at = self._clock() + self._next_pause()

    def record_success(self) -> None:
        with self._lock:
            self._failures, self._retry_at, self.cause = 0, 0.0, ""

    def _next_pause(self) -> float:
        beyond = self._failures - self._threshold
        if beyond < 0:
            return min(FIRST_PAUSE * 2.0 ** (self._failures - 1), self._delay)
        return min(self._delay * 2.0**beyond, self._limit)
