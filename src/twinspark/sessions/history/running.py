"""The sessions of a server and the operations that run in them now."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from twinspark.sessions.history.describe import describe_running
from twinspark.sessions.history.history import History
from twinspark.sessions.history.record import OperationRecord
from twinspark.sessions.history.store import Filter
from twinspark.sessions.operation import State


@dataclass
class Watched:
    """What can be seen of a server: its sessions, and the history of its operations."""

    history: History
    sessions: Callable[[], list[Any]] = list  # set by Sessions
    names_users: Callable[[], bool] = bool  # whether tokens name users, who then see only what is theirs

    def visible_to(self, user: str | None) -> Filter:
        return Filter(user if self.names_users() else None)


@dataclass(frozen=True)
class SessionRow:
    session_id: str
    user: str
    engine: str
    running: int
    idle_seconds: float
    on_spark: bool


def records_of(watched: Watched, wanted: Filter) -> list[OperationRecord]:
    """The running operations that the filter accepts, the newest first."""
    found = [
        describe_running(operation, session.session_id, session.user_id)
        for session in watched.sessions()
        if wanted.user in (None, session.user_id)
        for operation in session.operations()
        if operation.state is State.RUNNING
    ]
    return sorted(filter(wanted.accepts, found), key=lambda each: -each.started)


def rows_of_sessions(watched: Watched, wanted: Filter) -> list[SessionRow]:
    """The sessions in the order of their last requests, the newest first."""
    seen = [each for each in watched.sessions() if wanted.user in (None, each.user_id)]
    return [
        SessionRow(
            each.session_id,
            each.user_id,
            each.engine_wanted,
            sum(operation.state is State.RUNNING for operation in each.operations()),
            time.monotonic() - each.last_access,
            bool(each.spark.open),
        )
        for each in sorted(seen, key=lambda each: -each.last_access)
    ]
