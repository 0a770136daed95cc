"""Registers the workers and cursors of a running statement, so that they end with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

_running: WeakKeyDictionary[duckdb.DuckDBPyConnection, list[Any]] = WeakKeyDictionary()
_lock = threading.Lock()
Held = TypeVar("Held")


def keep(cursor: duckdb.DuckDBPyConnection, held: Held) -> Held:
    """Registers a worker's run, or a cursor that feeds one, until the cursor's statement ends."""
    with _lock:
        _running.setdefault(cursor, []).append(held)
    return held


def release(cursor: duckdb.DuckDBPyConnection) -> None:
    """Stops whatever still runs for the cursor's statement, recursively."""
    with _lock:
        held = _running.pop(cursor, [])
    for each in held:
        if isinstance(each, duckdb.DuckDBPyConnection):
            release(each)
            with suppress(duckdb.Error):
                each.interrupt()
        else:
            each.stop()


def ending(batches: Iterator[pa.RecordBatch], cursor: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    finally:
        release(cursor)
