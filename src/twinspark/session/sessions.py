"""All sessions of a server: found by (user id, session id), checked as Spark checks them, expired when idle."""

import threading
import uuid
from collections import OrderedDict

from twinspark.errors import SparkError
from twinspark.session.session import Session
from twinspark.spark.engine import SparkEngine

Key = tuple[str, str]
KEPT_TOMBSTONES = 1000  # spark.connect.session.manager.closedSessionsTombstonesSize


class Sessions:
    """Spark's session manager, without Spark."""

    def __init__(self, engine: SparkEngine) -> None:
        self.engine = engine
        self._sessions: dict[Key, Session] = {}
        self._closed: OrderedDict[Key, None] = OrderedDict()
        self._lock = threading.RLock()

    def of(self, user_id: str, session_id: str, observed: str | None = None) -> Session:
        """The session of this client, made on its first request."""
        with self._lock:
            session = self._sessions.get((user_id, session_id)) or self._create((user_id, session_id))
        return self._checked(session, observed)

    def existing(self, user_id: str, session_id: str, observed: str | None = None) -> Session:
        session = self._sessions.get((user_id, session_id))
        if session is None:
            closed = (user_id, session_id) in self._closed
            raise SparkError(f"INVALID_HANDLE.SESSION_{'CLOSED' if closed else 'NOT_FOUND'}", handle=session_id)
        return self._checked(session, observed)

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

    def _create(self, key: Key) -> Session:
        if not is_uuid(key[1]):
            raise SparkError("INVALID_HANDLE.FORMAT", handle=key[1])
        if key in self._closed:
            raise SparkError("INVALID_HANDLE.SESSION_CLOSED", handle=key[1])
        self._sessions[key] = Session(*key, engine=self.engine)
        return self._sessions[key]

    def _bury(self, key: Key) -> None:
        self._closed[key] = None
        while len(self._closed) > KEPT_TOMBSTONES:
            self._closed.popitem(last=False)

    def _checked(self, session: Session, observed: str | None) -> Session:
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
