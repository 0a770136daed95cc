"""Counts rejections by limit, for the metrics port and for tests."""

import threading
from collections import Counter


class RejectionCounts:
    """Limits are a fixed set: a client cannot add new ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rejected: Counter[str] = Counter()

    def reject(self, reason: str) -> None:
        with self._lock:
            self._rejected[reason] += 1

    def rejections(self) -> dict[str, int]:
        with self._lock:
            return dict(self._rejected)
