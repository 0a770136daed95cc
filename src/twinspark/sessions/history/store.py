"""Stores records of operations in SQLite: a file in the warehouse that survives a restart, or memory alone."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twinspark.sessions.history.record import COLUMNS, Details, OperationRecord, values_of

log = logging.getLogger("twinspark.history")
MEMORY = ":memory:"
VERSION = 1  # of the table: a file of another version is emptied, since a history is no data to migrate
BUSY_SECONDS = 5.0  # for another server on the same warehouse
SIZES = {"rows", "bytes"}
NUMBERS = {"started", "seconds", "progress"}
KINDS = {name: "INTEGER" if name in SIZES else "REAL" if name in NUMBERS else "TEXT" for name in COLUMNS}
LISTED = ", ".join(f'"{name}"' for name in COLUMNS)
CREATE = f"""
CREATE TABLE IF NOT EXISTS operations (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  {", ".join(f'"{name}" {kind} {"" if name == "progress" else "NOT NULL"}' for name, kind in KINDS.items())},
  details BLOB
);
CREATE INDEX IF NOT EXISTS by_operation ON operations (operation_id);
"""
INSERT = f"INSERT INTO operations ({LISTED}, details) VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"
# Numbers grow by one for each record, so the oldest ones are found without counting.
SHRINK = "DELETE FROM operations WHERE number <= (SELECT max(number) FROM operations) - ?"


@dataclass(frozen=True)
class Filter:
    """Which records are wanted. `user` is None for all users; `text` is searched in statements, reasons and errors."""

    user: str | None = None
    engine: str = ""
    state: str = ""
    code: str = ""
    session: str = ""
    text: str = ""
    without_tag: str = ""

    def accepts(self, record: OperationRecord) -> bool:
        """The same as the condition in SQL, for operations that are running."""
        searched = f"{record.statement}\n{record.reason}\n{record.error}\n{record.operation_id}".lower()
        return (
            self.user in (None, record.user)
            and self.engine in ("", record.engine)
            and self.state in ("", record.state)
            and self.code in ("", record.code)
            and self.session in ("", record.session_id)
            and self.text.lower() in searched
            and (not self.without_tag or self.without_tag not in record.tags.split())
        )

    def condition(self) -> tuple[str, list[Any]]:
        exact = {"user": self.user, "engine": self.engine or None, "state": self.state or None}
        exact |= {"code": self.code or None, "session_id": self.session or None}
        given = {name: value for name, value in exact.items() if value is not None}
        parts, values = [f'"{name}" = ?' for name in given], list(given.values())
        if self.text:
            parts.append(
                "instr(lower(statement || char(10) || reason || char(10) || error || char(10) || operation_id), ?)"
            )
            values.append(self.text.lower())
        if self.without_tag:
            parts.append("instr(' ' || tags || ' ', ?) = 0")
            values.append(f" {self.without_tag} ")
        return " AND ".join(parts) or "1", values


@dataclass(frozen=True)
class ReasonCount:
    """How often, and for how long, operations ran on an engine for one reason."""

    engine: str
    code: str
    count: int
    seconds: float
    reason: str  # that of the longest operation


class Store:
    """The newest `most` records. Its methods may be called from any thread."""

    def __init__(self, path: str = MEMORY, most: int = 1000) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._connection = open_file(path)

    def add(self, records: Iterable[tuple[OperationRecord, bytes | None]]) -> None:
        with self._lock, self._connection as connection:
            connection.executemany(INSERT, ((*values_of(record), details) for record, details in records))
            connection.execute(SHRINK, (self._most,))

    def page(self, wanted: Filter, first: int = 0, count: int = 50) -> list[OperationRecord]:
        """The newest records that the filter accepts, after the first ones."""
        condition, values = wanted.condition()
        query = f"SELECT {LISTED} FROM operations WHERE {condition} ORDER BY number DESC LIMIT ? OFFSET ?"
        return [OperationRecord(*row) for row in self._rows(query, [*values, count, first])]

    def count(self, wanted: Filter) -> int:
        condition, values = wanted.condition()
        return int(self._rows(f"SELECT count(*) FROM operations WHERE {condition}", values)[0][0])

    def find(self, operation_id: str, wanted: Filter) -> tuple[OperationRecord, Details] | None:
        condition, values = wanted.condition()
        query = f"SELECT {LISTED}, details FROM operations WHERE operation_id = ? AND {condition} ORDER BY number DESC"
        for *columns, details in self._rows(f"{query} LIMIT 1", [operation_id, *values]):
            return OperationRecord(*columns), Details.unpack(details) if details else Details()
        return None

    def reasons(self, wanted: Filter) -> list[ReasonCount]:
        """The most time first. SQLite takes the other columns of a group from the row that has the maximum."""
        condition, values = wanted.condition()
        query = f"""
            SELECT engine, code, count(*), total(seconds), reason, max(seconds) FROM operations WHERE {condition}
            GROUP BY engine, code ORDER BY 4 DESC"""
        return [ReasonCount(*row[:5]) for row in self._rows(query, values)]

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def open_store(path: Path, most: int) -> Store:
    """The history in this file; one that cannot be opened is put aside, and without a writable directory the history
    is kept in memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Store(str(path), most)
    except sqlite3.DatabaseError as broken:
        log.warning("the history of operations in %s is put aside: %s", path, broken)
    except OSError as problem:
        log.warning("the history of operations is kept in memory only: %s", problem)
        return Store(MEMORY, most)
    try:
        path.rename(path.with_suffix(".broken"))
        return Store(str(path), most)
    except (OSError, sqlite3.DatabaseError) as problem:
        log.warning("the history of operations is kept in memory only: %s", problem)
        return Store(MEMORY, most)


def open_file(path: str) -> sqlite3.Connection:
    """Readable by this user only, since statements may contain what others must not see."""
    if path != MEMORY:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        prepare(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # after a power cut the newest records may be missing
    if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        with suppress(sqlite3.OperationalError):
            connection.execute("DROP TABLE operations")
    connection.executescript(f"{CREATE} PRAGMA user_version = {VERSION}")
