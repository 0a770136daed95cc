"""SQLite tables of the embedded catalog beside Iceberg's: views, functions, file and Delta tables, staged writes."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS twinspark_objects (
  catalog TEXT NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL,
  PRIMARY KEY (catalog, kind, namespace, name));
CREATE TABLE IF NOT EXISTS twinspark_partitions (
  catalog TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL,
  PRIMARY KEY (catalog, namespace, name, path));
CREATE TABLE IF NOT EXISTS twinspark_staged_writes (
  id TEXT PRIMARY KEY, location TEXT NOT NULL, directory TEXT NOT NULL, owner TEXT NOT NULL);
"""


OF_TABLE = "catalog = ? AND namespace = ? AND name = ?"


@dataclass(frozen=True)
class StagedRow:
    """A staged write: its directory, and the process that runs it."""

    id: str
    location: str
    directory: str
    owner: str


class Store:
    """One SQLite file, opened for each call, since threads and processes share it."""

    def __init__(self, database: str) -> None:
        self.database = database
        os.makedirs(os.path.dirname(database), exist_ok=True)
        with self.transaction() as connection:
            connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.database, timeout=60)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            with connection:
                yield connection
        finally:
            connection.close()

    def put(self, catalog: str, kind: str, namespace: str, name: str, definition: Any) -> None:
        with self.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO twinspark_objects VALUES (?, ?, ?, ?, ?)",
                (catalog, kind, namespace, name, json.dumps(definition)),
            )

    def get(self, catalog: str, kind: str, namespace: str, name: str) -> Any:
        with self.transaction() as connection:
            found = connection.execute(
                "SELECT definition FROM twinspark_objects"
                " WHERE catalog = ? AND kind = ? AND namespace = ? AND name = ? COLLATE NOCASE",
                (catalog, kind, namespace, name),
            ).fetchone()
        return None if found is None else json.loads(found[0])

    def names(self, catalog: str, kind: str, namespace: str) -> list[str]:
        with self.transaction() as connection:
            found = connection.execute(
                "SELECT name FROM twinspark_objects WHERE catalog = ? AND kind = ? AND namespace = ? ORDER BY name",
                (catalog, kind, namespace),
            ).fetchall()
        return [name for (name,) in found]

    def remove(self, catalog: str, kind: str, namespace: str, name: str) -> bool:
        with self.transaction() as connection:
            gone = connection.execute(
                "DELETE FROM twinspark_objects"
                " WHERE catalog = ? AND kind = ? AND namespace = ? AND name = ? COLLATE NOCASE",
                (catalog, kind, namespace, name),
            )
        return gone.rowcount > 0

    def partitions(self, catalog: str, namespace: str, name: str) -> list[str]:
        """The registered partitions of a file table, as directory names."""
        with self.transaction() as connection:
            found = connection.execute(
                f"SELECT path FROM twinspark_partitions WHERE {OF_TABLE} ORDER BY path", (catalog, namespace, name)
            ).fetchall()
        return [path for (path,) in found]

    def change_partitions(
        self, catalog: str, namespace: str, name: str, gone: Iterable[str] = (), new: Iterable[str] = ()
    ) -> None:
        table = (catalog, namespace, name)
        with self.transaction() as connection:
            connection.executemany(
                f"DELETE FROM twinspark_partitions WHERE {OF_TABLE} AND path = ?", [(*table, path) for path in gone]
            )
            connection.executemany(
                "INSERT OR IGNORE INTO twinspark_partitions VALUES (?, ?, ?, ?)", [(*table, path) for path in new]
            )

    def begin_write(self, id: str, location: str, directory: str) -> StagedRow:
        row = StagedRow(id, location, directory, this_process())
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO twinspark_staged_writes VALUES (:id, :location, :directory, :owner)", asdict(row)
            )
        return row

    def end_write(self, id: str) -> None:
        with self.transaction() as connection:
            connection.execute("DELETE FROM twinspark_staged_writes WHERE id = ?", (id,))

    def staged_writes(self) -> list[StagedRow]:
        with self.transaction() as connection:
            found = connection.execute("SELECT id, location, directory, owner FROM twinspark_staged_writes").fetchall()
        return [StagedRow(*row) for row in found]


def this_process() -> str:
    return f"{os.getpid()}:{started_at(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Whether the process still runs; a reused process id has another start time."""
    pid, _, started = owner.partition(":")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # the process of another user
    return started_at(int(pid)) == started


def started_at(pid: int) -> str:
    """The process's start time, or an empty string on systems without /proc."""
    try:
        with open(f"/proc/{pid}/stat") as status:
            # The command may contain spaces and parentheses; the fields after the last parenthesis are separated by
            # spaces.
            return status.read().rpartition(")")[2].split()[19]
    except FileNotFoundError:
        return ""
