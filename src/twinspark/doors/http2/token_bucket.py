"""A token bucket for actions that are cheap for a client and expensive for the server, refilled by time and by work."""

import time

REFILL_SECONDS = 10.0  # from an empty to a full bucket


class TokenBucket:
    """A burst of at most `most`; the clock is read only when the bucket is empty."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left: float = most
        self._since = time.monotonic()

    def spend(self) -> bool:
        """False if the limit is exceeded."""
        self._left -= 1
        if self._left < 0:
            self._refill()
        return self._left >= 0

    def earn(self, more: float) -> None:
        """A client that receives a response may send window updates and pings for it."""
        self._left = min(self._left + more, self._most)

    def _refill(self) -> None:
        now = time.monotonic()
        self.earn((now - self._since) * self._most / REFILL_SECONDS)
        self._since = now
