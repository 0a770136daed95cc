"""Locks of tables for writers: between the threads of a process, and between processes by a file lock."""

import fcntl
import os
import threading
from types import TracebackType


class TableLock:
    """A reentrant lock. The operating system releases it when the process dies.

    Between processes it only avoids retries; Iceberg's optimistic concurrency check makes commits correct.
    """

    def __init__(self, path: str | None = None) -> None:
        self._path = path
        self._threads = threading.RLock()
        self._depth = 0
        self._file = -1

    def __enter__(self) -> "TableLock":
        self._threads.acquire()
        self._depth += 1
        if self._depth == 1 and self._path is not None:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._depth == 1 and self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._depth -= 1
        self._threads.release()


class TableLocks:
    """The locks of a catalog's tables by name; with a directory, also between the processes that share it."""

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory
        self._guard = threading.Lock()
        self._locks: dict[tuple[str, ...], TableLock] = {}

    def of(self, name: tuple[str, ...]) -> TableLock:
        with self._guard:
            if name not in self._locks:
                self._locks[name] = TableLock(self._path(name))
            return self._locks[name]

    def _path(self, name: tuple[str, ...]) -> str | None:
        if self._directory is None:
            return None
        spelled = "\x1f".join(name).encode().hex()
        return os.path.join(self._directory, f"{spelled[:200]}.lock")
