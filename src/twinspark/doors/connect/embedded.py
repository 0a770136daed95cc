"""Servers inside this process, for notebooks, scripts and tests: one for each set of options, with a shared session."""

import atexit
import os
import threading
from typing import Any

from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

_servers: dict[Settings, ConnectServer] = {}
_shared: dict[Settings, SparkSession] = {}
_clients: list[Any] = []
_lock = threading.Lock()


def open_session(new: bool = False, **options: Any) -> SparkSession:
    """The session that these options were given before, as `getOrCreate` does, unless it was stopped; or a new one."""
    settings = Settings(**options)
    with _lock:
        url = embedded_server(settings).url
        os.environ.setdefault("SPARK_REMOTE", url)  # for `SparkSession.builder.getOrCreate()` in this program
        if not new and settings in _shared and not _shared[settings].is_stopped:
            return _shared[settings]
        session = SparkSession.builder.remote(url).create()
        _clients.append(session.client)
        if not new:
            _shared[settings] = session
        return session


def embedded_server(settings: Settings) -> ConnectServer:
    if settings not in _servers:
        _servers[settings] = ConnectServer(settings)
        atexit.register(_servers[settings].stop)
        atexit.register(close_clients)  # what is registered last runs first
    return _servers[settings]


def close_clients() -> None:
    """Before gRPC's threads end: a channel that is closed later, by `SparkSession.__del__`, waits for them for ever."""
    while _clients:
        _clients.pop().close()
