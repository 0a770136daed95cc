"""Detects a hung Spark: while calls wait and no response arrives, it is pinged."""

import logging
import threading
import time
from collections.abc import Callable

from twinspark.relay.grpc_calls import Relay
from twinspark.relay.health import Ping
from twinspark.relay.limits import SparkLimits
from twinspark.relay.process_state import ProcessState, process_state

log = logging.getLogger("twinspark.relay")
LOOK_SECONDS = 1.0
IDLE_SECONDS = 10.0
BUSY_TICKS = 25  # hundredths of a second of CPU time between two checks, which are about six seconds apart


class Watch:
    """A thread for one relay. A long query is no hang: Spark's server still answers pings, and a JVM that uses CPU
    without
    answering (such as in garbage collection) is not interrupted."""

    def __init__(
        self,
        relay: Relay,
        limits: SparkLimits,
        pid: int | None,
        useless: Callable[[], str],
        lose: Callable[[str], None],
    ) -> None:
        self._relay, self._limits, self._pid = relay, limits, pid
        self._useless, self._lose = useless, lose
        self._ping = Ping(relay)
        self._ended = threading.Event()
        self._unanswered_since: float | None = None
        self._before: ProcessState | None = None
        self._examined = time.monotonic()
        threading.Thread(target=self._work, name="watch Spark", daemon=True).start()

    @property
    def silent_seconds(self) -> float:
        """For how many seconds its pings have been unanswered; 0 while Spark answers."""
        since = self._unanswered_since
        return 0.0 if since is None else time.monotonic() - since

    def end(self) -> None:
        self._ended.set()

    def _work(self) -> None:
        while not self._ended.is_set():
            if not self._relay.clock.wait_for_call(IDLE_SECONDS):
                continue
            if self._relay.clock.seconds_ago >= self._limits.silence_timeout:
                self._look()
            self._examine()
            self._ended.wait(min(LOOK_SECONDS, self._limits.silence_timeout))

    def _examine(self) -> None:
        """A Spark that can run nothing any more still reports progress, so its log is examined."""
        if time.monotonic() - self._examined >= self._limits.silence_timeout:
            self._examined = time.monotonic()
            self._give_up_if(self._useless())

    def _look(self) -> None:
        pinged_at = time.monotonic()
        reason = self._ping.failure(self._limits.ping_timeout)
        if not reason or self._ended.is_set():
            self._well()
            return
        if self._unanswered_since is None:
            self._unanswered_since = pinged_at
            log.warning("Spark does not answer: %s", reason)
        self._give_up_if_hanging(reason)

    def _well(self) -> None:
        if self._unanswered_since is not None:
            log.info("Spark answers again")
        self._unanswered_since, self._before = None, None
        self._relay.clock.note()

    def _give_up_if_hanging(self, reason: str) -> None:
        now = process_state(self._pid) if self._pid else None
        if is_working(self._before, now):
            self._unanswered_since = time.monotonic()  # the time counts from its last activity
        self._before = now
        if self.silent_seconds >= self._limits.hang_timeout:
            self._give_up_if(self._words(reason, now))

    def _give_up_if(self, reason: str) -> None:
        if reason and not self._ended.is_set():
            self._ended.set()
            self._lose(reason)

    def _words(self, reason: str, now: ProcessState | None) -> str:
        how = " (its process is stopped by a signal)" if now is not None and now.is_stopped else ""
        return f"Spark has not answered for {self.silent_seconds:.0f} s{how}: {reason}"


def is_working(before: ProcessState | None, now: ProcessState | None) -> bool:
    """An idle JVM's own timers use less; garbage collection uses whole CPUs."""
    return before is not None and now is not None and not now.is_stopped and now.ticks - before.ticks > BUSY_TICKS
