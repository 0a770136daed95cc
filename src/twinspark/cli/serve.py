"""`twinspark serve`: listens until it is told to stop, then ends everything it started."""

import logging
import signal
import ssl
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING
from urllib.parse import quote

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings

if TYPE_CHECKING:
    from twinspark.doors import thrift

log = logging.getLogger("twinspark")
EVERY_ADDRESS = ("0.0.0.0", "::", "[::]")


LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class ThriftDoor:
    """How the second door was asked to be; without a token of its own it takes that of Spark Connect."""

    port: int
    host: str | None = None
    token: str | None = None
    certificate: Path | None = None
    key: Path | None = None
    idle_seconds: float = 8 * 3600.0

    def tls(self) -> ssl.SSLContext | None:
        if self.certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def serve_until_stopped(settings: Settings, thrift_door: ThriftDoor | None = None) -> None:
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        server = ConnectServer(settings)
        second = open_thrift(thrift_door, settings, server.port) if thrift_door is not None else None
    except OSError as failure:
        sys.exit(f"twinspark: {failure}")
    log.info("listening at %s, engine %s", server.url, settings.engine)
    if second is not None:
        log.info("Thrift (HTTP, SASL, binary) at %s:%d", second.host, second.port)
    warming = threading.Thread(target=server.warm_up, name="warm up", daemon=True)
    warming.start()
    while not stopped.wait(LOOK_SECONDS):  # a signal that another thread took does not wake the one that handles it
        pass
    warming.join()  # a process that ends while a thread is inside DuckDB or an import is aborted
    if second is not None:
        second.stop()
    server.stop(grace=1.0)


def open_thrift(asked: ThriftDoor, settings: Settings, connect_port: int) -> "thrift.Server":
    from twinspark.doors import thrift  # a server without this door is ready the sooner

    token = asked.token or settings.token
    return thrift.start(
        asked.host or settings.host,
        asked.port,
        thrift.ConnectBackend(own_url(settings, connect_port)),
        authenticate=thrift.with_token(token) if token else thrift.anyone,
        tls=asked.tls(),
        idle_seconds=asked.idle_seconds,
    )


def own_url(settings: Settings, port: int) -> str:
    """PySpark sends a token without TLS to `localhost` alone, by that name."""
    if settings.token:
        return f"sc://localhost:{port}/;token={quote(settings.token)}"
    return f"sc://{'127.0.0.1' if settings.host in EVERY_ADDRESS else settings.host}:{port}"
