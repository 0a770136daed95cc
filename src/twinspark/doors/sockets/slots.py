"""A counter for a limited resource, such as threads."""

import threading


class Slots:
    """At most `most` at once."""

    def __init__(self, most: int) -> None:
        self._left = self.most = most
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            is_free = self._left > 0
            self._left -= is_free
            return is_free

    def resize(self, most: int) -> None:
        """With fewer slots than are in use, none is free until enough are given back."""
        with self._lock:
            self._left += most - self.most
            self.most = most

    def give_back(self) -> None:
        with self._lock:
            self._left += 1

    @property
    def in_use(self) -> int:
        return self.most - self._left
