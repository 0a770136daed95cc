"""All sessions of a server: found by (user id, session id), validated as Spark does, closed when idle."""

import threading
import time
import uuid
from collections import OrderedDict

from twinspark.errors import SparkError
from twinspark.sessions.session import Session
from twinspark.sessions.shared import Shared

Key = tuple[str, str]
KEPT_TOMBSTONES = 1000  # spark.connect.session.manager.closedSessionsTombstonesSize


class Sessions:
    """The counterpart of SparkConnectSessionManager."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        shared.watched.sessions = self.all
        self._sessions: dict[Key, Session] = {}
        self._closed: OrderedDict[Key, None] = OrderedDict()
        self._lock = threading.RLock()

    def of(self, user_id: str, session_id: str, observed: str | None = None) -> Session:
        """The session of this client, created by its first request."""
        with self._lock:
            session = self._sessions.get((user_id, session_id)) or self._create((user_id, session_id))
        return self._check_observed(session, observed)

    def existing(self, user_id: str, session_id: str, observed: str | None = None) -> Session:
        session = self._sessions.get((user_id, session_id))
        if session is None:
            closed = (user_id, session_id) in self._closed
            raise SparkError(f"INVALID_HANDLE.SESSION_{'CLOSED' if closed else 'NOT_FOUND'}", handle=session_id)
        return self._check_observed(session, observed)

    def find(self, user_id: str, session_id: str) -> Session | None:
        return self._sessions.get((user_id, session_id))

    def all(self) -> list[Session]:
        with self._lock:
            return list(self._sessions.values())

    def close(self, user_id: str, session_id: str, allow_reconnect: bool = False) -> Session | None:
        with self._lock:
            session = self._sessions.pop((user_id, session_id), None)
            if session is not None and not allow_reconnect:
                self._bury((user_id, session_id))
            return session

    def clone(self, source: Session, new_session_id: str) -> Session:
        """A new session with a copy of the state."""
        key = (source.user_id, new_session_id)
        with self._lock:
            self._check_clone_target(key)
            self._sessions[key] = Session(*key, shared=self.shared, source=source)
            return self._sessions[key]

    def expire(self, idle_seconds: float) -> list[Session]:
        """Closes sessions without a request for this long; one with a running operation is not idle."""
        now = time.monotonic()
        idle = [each for each in self.all() if now - each.last_access > idle_seconds and not each.busy]
        return [each for each in idle if self.close(each.user_id, each.session_id)]

    def _check_clone_target(self, key: Key) -> None:
        problem = "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID"
        if not is_uuid(key[1]):
            raise SparkError(f"{problem}_FORMAT", targetSessionId=key[1])
        if key in self._closed:
            raise SparkError(f"{problem}_ALREADY_CLOSED", targetSessionId=key[1])
        if key in self._sessions:
            raise SparkError(f"{problem}_ALREADY_EXISTS", targetSessionId=key[1])

    def _create(self, key: Key) -> Session:
        if not is_uuid(key[1]):
            raise SparkError("INVALID_HANDLE.FORMAT", handle=key[1])
        if key in self._closed:
            raise SparkError("INVALID_HANDLE.SESSION_CLOSED", handle=key[1])
        self._sessions[key] = Session(*key, shared=self.shared)
        return self._sessions[key]

    def _bury(self, key: Key) -> None:
        self._closed[key] = None
        while len(self._closed) > KEPT_TOMBSTONES:
            self._closed.popitem(last=False)

    def _check_observed(self, session: Session, observed: str | None) -> Session:
        if observed is not None and observed != session.server_session_id:
            raise SparkError("INVALID_HANDLE.SESSION_CHANGED", handle=session.session_id)
        session.touch()
        return session


def is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
