"""The embedded DuckDB engine: one database for a server, one cursor for each operation."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb

from twinspark.compile.query import Cursor
from twinspark.duck import native, run
from twinspark.duck.memory import MemoryLimit, memory_limit, release_free_memory
from twinspark.sessions.java import declared_version

log = logging.getLogger("twinspark.native")
CLOSING_SECONDS = 5.0


class NativeEngine:
    """One DuckDB database for the server, one cursor for each operation."""

    def __init__(self, limit: MemoryLimit | None = None, **settings: Any) -> None:
        self.limit = limit or memory_limit()
        self._settings = {"memory_limit": f"{self.limit.for_buffers}B", **settings}
        self._lock = threading.Lock()
        self._database: Cursor | None = None

    def cursor(self) -> Cursor:
        with self._lock:
            if self._database is None:
                self._database = run.connect(**self._settings)
                set_java_version(self._database)
                native.use_memory(self._database, self.limit.resident)
            return self._database.cursor()

    def release_memory(self) -> None:
        """Returns freed memory to the system: DuckDB's allocator releases it when the number of threads changes."""
        with self._lock:
            if self._database is not None:
                cursor = self._database.cursor()
                threads = cursor.sql("SELECT current_setting('threads')").fetchall()[0][0]
                cursor.execute(f"SET threads = {threads + 1}")
                cursor.execute(f"SET threads = {threads}")
        release_free_memory()

    def close(self, is_busy: Callable[[], bool]) -> None:
        with self._lock:
            database, self._database = self._database, None
        if database is not None:
            close_when_idle(database, is_busy)


def close_when_idle(database: Cursor, is_busy: Callable[[], bool]) -> None:
    """Interrupted queries take a moment to end; if one does not end, its database stays open.

    Closing a database closes its cursors, and a query that starts at that moment could not be interrupted any more: the
    caller must know that no query is about to start."""
    until = time.monotonic() + CLOSING_SECONDS
    while time.monotonic() < until:
        with suppress(duckdb.ResourceInUseException):
            if not is_busy():
                database.close()
                return
        time.sleep(0.01)
    log.warning("a query is still running, its database stays open")


def set_java_version(database: Cursor) -> None:
    """Doubles are formatted as by the Java version that would run Spark here."""
    version = declared_version()
    if version is not None:
        native.use_java(database, version)
