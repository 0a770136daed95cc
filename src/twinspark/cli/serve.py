"""`twinspark serve`: listens until it is stopped, then ends everything it started."""

import logging
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

import typer

from twinspark.cli.start_checks import usage_error
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.settings import Settings, is_loopback
from twinspark.ui.web.listen import url_of

if TYPE_CHECKING:
    from twinspark.doors import thrift
    from twinspark.doors.flight import FlightServer

log = logging.getLogger("twinspark")


LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class ThriftDoor:
    """The settings of the Thrift server; without a token of its own it uses that of Spark Connect."""

    port: int
    host: str | None = None
    token: str | None = None
    certificate: str | None = None
    key: str | None = None
    idle_seconds: float = 8 * 3600.0

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "ThriftDoor":
        names = ("port", "host", "token", "certificate", "key")
        given = {name: options[f"thrift_{name}"] for name in names}
        return cls(**given, idle_seconds=options["thrift_idle_hours"] * 3600)

    def tls(self) -> ssl.SSLContext | None:
        if self.certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


@dataclass(frozen=True)
class FlightDoor:
    """The settings of the Flight SQL server, which uses the tokens and the certificate of Spark Connect."""

    port: int
    host: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "FlightDoor | None":
        return cls(options["flight_port"], options["flight_host"]) if options["flight_port"] is not None else None


class Signals:
    """SIGTERM and SIGINT stop the server, a second one at once; SIGHUP reloads tokens and limits."""

    def __init__(self) -> None:
        self.stops = 0
        self.is_reload = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        if hasattr(signal, "SIGHUP"):  # not on Windows
            signal.signal(signal.SIGHUP, self._reload)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stops += 1

    def _reload(self, number: int, frame: FrameType | None) -> None:
        self.is_reload = True

    def wait(self, reload: Callable[[], None]) -> None:
        """Until a signal to stop. A signal that is handled in another thread does not wake the main thread."""
        while not self.stops:
            time.sleep(LOOK_SECONDS)
            if self.is_reload:
                self.is_reload = False
                reload()


class TakesLimits(Protocol):
    """A listening server of any protocol."""

    def use_limits(self, limits: Limits) -> None: ...


def serve_until_stopped(
    settings: Settings,
    thrift_door: ThriftDoor | None = None,
    insecure: bool = False,
    flight_door: FlightDoor | None = None,
    drain_seconds: float = 0.0,
    limits_again: Callable[[], Limits] | None = None,
    open_ui: Callable[[str], object] | None = None,
) -> None:
    check_addresses(settings, (thrift_door, flight_door), insecure)
    check_ports(settings, thrift_door, flight_door)
    signals = Signals()
    try:
        server = ConnectServer(settings)
        second = open_thrift(thrift_door, settings, server) if thrift_door is not None else None
        if second is not None:
            server.doors["thrift"] = second.state
        flight = open_flight(flight_door, settings, server) if flight_door is not None else None
    except (OSError, ValueError) as failure:  # a port in use, or an invalid certificate or token file
        raise usage_error(str(failure)) from failure
    log.info("listening at %s, engine %s", server.url, settings.engine)
    if server.ui is not None:
        log.info("web UI at %s", url_of(server.ui, settings))
        if open_ui is not None:
            open_ui(url_of(server.ui, settings))
    if second is not None:
        log.info("Thrift (HTTP, SASL, binary) at %s:%d", second.host, second.port)
    if flight is not None:
        log.info("Flight SQL at %s", flight.url)
    warming = threading.Thread(target=server.warm_up, name="warm up", daemon=True)
    warming.start()
    listening: list[TakesLimits] = [each for each in (server, second, flight) if each is not None]
    signals.wait(lambda: reload(server.tokens, listening, limits_again))
    warming.join()  # ending the process while a thread is inside DuckDB or an import aborts it
    server.drain(drain_seconds, lambda: signals.stops > 1)
    if second is not None:
        second.stop()
    if flight is not None:
        flight.stop(grace=1.0)
    server.stop(grace=1.0)


def check_ports(settings: Settings, thrift_door: ThriftDoor | None, flight_door: FlightDoor | None) -> None:
    """A port in use is reported with the option that names it; the web UI takes the next free one."""
    ports = [("--port", settings.host, settings.port), ("--metrics-port", settings.host, settings.metrics_port or 0)]
    if thrift_door is not None:
        ports.append(("--thrift-port", thrift_door.host or settings.host, thrift_door.port))
    if flight_door is not None:
        ports.append(("--flight-port", flight_door.host or settings.host, flight_door.port))
    for flag, host, port in ports:
        if port and (problem := bind_problem(host, port)):
            raise usage_error(f"{flag} {port}: {problem}")


def bind_problem(host: str, port: int) -> str:
    try:
        with socket.create_server((host.strip("[]"), port), family=family_of(host)):
            return ""
    except OSError as problem:
        return os.strerror(problem.errno) if problem.errno else str(problem)


def family_of(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def reload(tokens: Tokens, listening: Sequence["TakesLimits"], limits_again: Callable[[], Limits] | None) -> None:
    """Keeps what holds now if the configuration has become wrong, whose error is printed."""
    tokens.reload()
    if limits_again is None:
        return
    try:
        limits = limits_again()
    except typer.Exit:
        log.error("the configuration is wrong: the limits stay as they are")
        return
    for each in listening:
        each.use_limits(limits)
    log.info("tokens and limits reloaded")


def open_thrift(thrift_door: ThriftDoor, settings: Settings, server: ConnectServer) -> "thrift.Server":
    from twinspark.doors import thrift  # imported on demand, for a faster start without Thrift

    tokens = Tokens(thrift_door.token) if thrift_door.token else server.tokens
    return thrift.start(
        thrift_door.host or settings.host,
        thrift_door.port,
        thrift.ConnectBackend(server.inner_url()),
        authenticate=thrift.with_tokens(tokens),
        tls=thrift_door.tls() or (settings.tls.context() if settings.tls is not None else None),
        idle_seconds=thrift_door.idle_seconds,
        limits=settings.limits,
    )


def open_flight(flight_door: FlightDoor, settings: Settings, server: ConnectServer) -> "FlightServer":
    from twinspark.doors.flight import FlightServer  # imported on demand, for a faster start without Flight

    tls = settings.tls.context(("h2",)) if settings.tls is not None else None
    host = flight_door.host or settings.host
    sessions, tokens = server.sessions, server.tokens
    flight = FlightServer(host, flight_door.port, sessions, tokens, settings.limits, tls, server.begin_trace)
    server.doors["flight"] = flight.state
    return flight


def check_addresses(settings: Settings, doors: Iterable[ThriftDoor | FlightDoor | None], insecure: bool) -> None:
    """Rejects addresses reachable from other machines without a token or client certificate, unless --insecure is
    given."""
    hosts = (settings.host, *(each.host for each in doors if each is not None))
    away = [host for host in hosts if host and not is_loopback(host)]
    guarded = settings.token or settings.token_file or (settings.tls is not None and settings.tls.client_ca)
    if away and not guarded and not insecure:
        raise usage_error(
            f"{away[0]} is reachable from other machines: use --token-file, TWINSPARK_TOKEN or --tls-client-ca, or "
            "--insecure"
        )
    if away and not guarded:
        log.warning("INSECURE: anyone who can connect to %s may run statements and code as this server's user", away[0])
    elif away and settings.tls is None:
        log.warning("tokens and rows are sent to %s unencrypted: give --tls-cert and --tls-key", away[0])
