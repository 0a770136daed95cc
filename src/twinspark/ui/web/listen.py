"""Listens for the web UI; the pages are imported by the first request, so that a server starts as fast as without."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from twinspark.relay.engine import SparkEngine
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.sessions import Sessions
from twinspark.sessions.settings import MOST_PORT, Settings
from twinspark.ui.http import BoundedServer

log = logging.getLogger("twinspark.ui")
MOST_RETRIES = 16  # spark.port.maxRetries
THREADS = 32
SECONDS = 60.0  # for a whole request: a table may have many files
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class LazyApplication:
    """Makes the application when the first request arrives."""

    def __init__(self, make: Callable[[], Application]) -> None:
        self._make = make
        self._made: Application | None = None
        self._lock = threading.Lock()

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        with self._lock:
            self._made = self._made or self._make()
        return self._made(environment, start)


def serve_ui(sessions: Sessions, spark: SparkEngine, tokens: Tokens, settings: Settings, port: int) -> BoundedServer:
    """Listens on the port, or on the next free one, as Spark's UI does."""

    def make() -> Application:
        from twinspark.ui.web.application import WebApplication
        from twinspark.ui.web.guard import Guard

        return WebApplication(sessions, spark, Guard(tokens, settings.host, settings.tls is not None))

    server = bind(settings, port, LazyApplication(make))
    server.serve_in_background()
    return server


def bind(settings: Settings, port: int, application: Application) -> BoundedServer:
    tls = settings.tls.context() if settings.tls is not None else None
    for number in ports_after(port):
        try:
            return BoundedServer(settings.host, number, application, "web UI", tls, THREADS, SECONDS)
        except OSError as failure:
            if failure.errno != errno.EADDRINUSE:
                raise
            log.warning("port %d is in use, the web UI tries another one", number)
    return BoundedServer(settings.host, 0, application, "web UI", tls, THREADS, SECONDS)


def ports_after(port: int) -> range:
    """Those that are tried before any free one; none if any is wanted."""
    return range(port, min(port + MOST_RETRIES, MOST_PORT) + 1) if port else range(0)


def url_of(server: BoundedServer, settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{'http' if settings.tls is None else 'https'}://{host}:{server.server_port}/"
