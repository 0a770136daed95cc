"""Listens for Flight SQL clients, with the HTTP/2 server, the limits and the TLS of Spark Connect."""

import ssl

from twinspark.doors.connect.service import BeginTrace, ConnectService
from twinspark.doors.flight.identity import login_check
from twinspark.doors.flight.service import FlightService, methods_of
from twinspark.doors.http2 import Http2Server
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.sessions import Sessions
from twinspark.sessions.threads import DaemonThreads
from twinspark.ui.metrics import DoorState


class FlightServer:
    """A listening server; port 0 selects a free port."""

    def __init__(
        self,
        host: str,
        port: int,
        sessions: Sessions,
        tokens: Tokens,
        limits: Limits,
        tls: ssl.SSLContext | None = None,
        begin_trace: BeginTrace | None = None,
    ) -> None:
        service = FlightService(ConnectService(sessions, begin_trace=begin_trace), tokens)
        threads = DaemonThreads("flight")
        self._server = Http2Server(host, port, methods_of(service), login_check(tokens), threads, limits, tls)
        self.port, self.scheme = self._server.port, "grpc+tls" if tls is not None else "grpc"
        self.address = f"{host}:{self.port}"
        self.url = f"{self.scheme}://{self.address}"
        self._server.start()

    def state(self) -> DoorState:
        return self._server.state()

    def use_limits(self, limits: Limits) -> None:
        self._server.use_limits(limits)

    def stop(self, grace: float | None = None) -> None:
        self._server.stop(grace)

    def __enter__(self) -> "FlightServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
