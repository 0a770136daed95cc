"""The tables of the server itself (`system.runtime.operations` and others), which native queries read."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple
from typing import Any

import pyarrow as pa

from twinspark.analysis.relations.local_data import local_data
from twinspark.plan.relations import Relation
from twinspark.sessions.history.record import COLUMNS, OperationRecord, values_of
from twinspark.sessions.history.running import Watched, records_of, rows_of_sessions
from twinspark.sessions.history.store import NUMBERS, SIZES, Filter

INSTANT = pa.timestamp("us", "UTC")


def type_of_column(name: str) -> pa.DataType:
    if name == "started":
        return INSTANT
    return pa.int64() if name in SIZES else pa.float64() if name in NUMBERS else pa.string()


OPERATIONS = pa.schema([pa.field(name, type_of_column(name), name == "progress") for name in COLUMNS])
SESSIONS = pa.schema(
    [
        pa.field("session_id", pa.string(), False),
        pa.field("user", pa.string(), False),
        pa.field("engine", pa.string(), False),
        pa.field("running", pa.int64(), False),
        pa.field("idle_seconds", pa.float64(), False),
        pa.field("on_spark", pa.bool_(), False),
    ]
)
REASONS = pa.schema(
    [
        pa.field("engine", pa.string(), False),
        pa.field("code", pa.string(), False),
        pa.field("operations", pa.int64(), False),
        pa.field("seconds", pa.float64(), False),
        pa.field("example", pa.string(), False),
    ]
)


class SystemTables:
    """As one user sees them: where tokens name users, the rows of that user only."""

    def __init__(self, watched: Watched, user: str) -> None:
        self._watched = watched
        self._user = user

    def relation(self, parts: Sequence[str]) -> Relation:
        return local_data(TABLES[parts[-1].lower()](self), None, uuid.uuid4().hex)

    @property
    def visible(self) -> Filter:
        return self._watched.visible_to(self._user)

    def operations(self) -> pa.Table:
        """Running operations first, then the newest."""
        history = self._watched.history
        ended = history.page(self.visible, 0, history.count(self.visible))
        return columns_of(OPERATIONS, map(row_of, [*records_of(self._watched, self.visible), *ended]))

    def sessions(self) -> pa.Table:
        return columns_of(SESSIONS, map(astuple, rows_of_sessions(self._watched, self.visible)))

    def reasons(self) -> pa.Table:
        return columns_of(REASONS, map(astuple, self._watched.history.reasons(self.visible)))


TABLES: dict[str, Callable[[SystemTables], pa.Table]] = {
    "operations": SystemTables.operations,
    "sessions": SystemTables.sessions,
    "reasons": SystemTables.reasons,
}


def row_of(record: OperationRecord) -> list[Any]:
    named = zip(COLUMNS, values_of(record), strict=True)
    return [int(value * 1e6) if name == "started" else value for name, value in named]


def columns_of(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)
