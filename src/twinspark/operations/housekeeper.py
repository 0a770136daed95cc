"""A background thread that closes idle sessions and ends executions whose client did not reattach."""

import logging
import threading

from pyspark.sql.connect.proto import base_pb2

from twinspark import scratch
from twinspark.sessions.session import Session
from twinspark.sessions.sessions import Sessions

log = logging.getLogger("twinspark.session")
EVERY_SECONDS = 30.0  # spark.connect.session.manager.maintenanceInterval
SESSION_SECONDS = 3600.0  # spark.connect.session.manager.defaultSessionTimeout
DETACHED_SECONDS = 300.0  # spark.connect.execute.manager.detachedTimeout


class Housekeeper:
    """A thread that expires sessions and executions until it is stopped."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._stopped = threading.Event()
        threading.Thread(target=self._work, name="housekeeper", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _work(self) -> None:
        while not self._stopped.wait(EVERY_SECONDS):
            look_after(self._sessions, SESSION_SECONDS, DETACHED_SECONDS)
            remove_files_of_killed_servers()


def look_after(sessions: Sessions, session_seconds: float, detached_seconds: float) -> None:
    for session in sessions.expire(session_seconds):
        log.info("session %s was idle for %d s and is closed", session.session_id, session_seconds)
        session.close(release_of(session))
    for session in sessions.all():
        session.abandon(detached_seconds)


def remove_files_of_killed_servers() -> None:
    """Not only at the start: processes of a killed server may hold its lock for a moment longer than it lives."""
    for abandoned in scratch.remove_abandoned():
        log.info("removed %s of a killed server", abandoned)


def release_of(session: Session) -> bytes:
    request = base_pb2.ReleaseSessionRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    return bytes(request.SerializeToString())
