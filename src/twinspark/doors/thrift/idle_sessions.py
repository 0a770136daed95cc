"""Keeps the Connect sessions of Thrift sessions alive, and closes Thrift sessions that are idle too long."""

import logging
import threading

from twinspark.doors.thrift.backend import BackendError
from twinspark.doors.thrift.service import Service, Session

LOG = logging.getLogger(__name__)
EVERY_SECONDS = 300.0
IDLE_SECONDS = 8 * 3600.0


class Caretaker:
    """A thread that checks all sessions periodically until it is stopped."""

    def __init__(self, service: Service, idle_seconds: float, every_seconds: float = EVERY_SECONDS) -> None:
        self.service, self.idle_seconds, self.every_seconds = service, idle_seconds, every_seconds
        self.stopped = threading.Event()
        threading.Thread(target=self.work, name="thrift-caretaker", daemon=True).start()

    def stop(self) -> None:
        self.stopped.set()

    def work(self) -> None:
        while not self.stopped.wait(self.every_seconds):
            look_after(self.service, self.idle_seconds)


def look_after(service: Service, idle_seconds: float) -> None:
    """Connect sessions end after an hour without a call; a BI tool connected overnight expects its session to
    remain."""
    for session in service.all_sessions():
        if session.idle_seconds() > idle_seconds:
            LOG.info("a session was idle for %d s and is closed", idle_seconds)
            service.end(session)
        else:
            keep_awake(session)


def keep_awake(session: Session) -> None:
    try:
        session.backend.time_zone()
    except BackendError as error:
        LOG.warning("the Connect session of a Thrift session does not answer: %s", error)
