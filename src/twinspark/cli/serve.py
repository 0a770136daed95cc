"""`twinspark serve`: listens until it is told to stop, then ends everything it started."""

import logging
import signal
import sys
import threading
from types import FrameType

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings

log = logging.getLogger("twinspark")


def serve_until_stopped(settings: Settings) -> None:
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        server = ConnectServer(settings)
    except OSError as failure:
        sys.exit(f"twinspark: {failure}")
    log.info("listening at %s, engine %s", server.url, settings.engine)
    stopped.wait()
    server.stop(grace=1.0)
