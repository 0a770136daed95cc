"""RejectionCounts the bytes that a server has received and not yet processed, of one connection or of all."""

import threading


class UnreadBytes:
    """One total for a server; `of_connection` creates a sub-total with a limit of its own."""

    def __init__(self, most: int, whole: "UnreadBytes | None" = None) -> None:
        self._most = most
        self._whole = whole
        self._lock: threading.Lock = threading.Lock() if whole is None else whole._lock
        self.bytes = 0

    def of_connection(self, most: int) -> "UnreadBytes":
        return UnreadBytes(most, self)

    def add(self, size: int) -> str | None:
        """The name of the limit that is exceeded; the bytes are not counted then."""
        with self._lock:
            if self.bytes + size > self._most:
                return "unread_bytes_per_connection" if self._whole is not None else "unread_bytes"
            if self._whole is not None:
                if self._whole.bytes + size > self._whole._most:
                    return "unread_bytes"
                self._whole.bytes += size
            self.bytes += size
        return None

    def remove(self, size: int) -> None:
        with self._lock:
            self.bytes -= size
            if self._whole is not None:
                self._whole.bytes -= size
