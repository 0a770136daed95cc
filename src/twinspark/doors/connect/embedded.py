"""A server inside this process, for notebooks, scripts and tests; one for each way of being asked."""

import atexit
import threading
from typing import Any

from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings

_servers: dict[Settings, ConnectServer] = {}
_lock = threading.Lock()


def open_session(**options: Any) -> SparkSession:
    return SparkSession.builder.remote(embedded_server(Settings(**options)).url).create()


def embedded_server(settings: Settings) -> ConnectServer:
    with _lock:
        if settings not in _servers:
            _servers[settings] = ConnectServer(settings)
            atexit.register(_servers[settings].stop)
        return _servers[settings]
