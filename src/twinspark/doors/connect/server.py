"""The Spark Connect server: a listening port with its sessions and its Spark engine."""

import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from twinspark.commands.warm_up import import_tables
from twinspark.config.entries import defaults
from twinspark.doors.connect.auth import new_secret, token_check, user_by_token
from twinspark.doors.connect.depth import lift_depth_limit
from twinspark.doors.connect.service import ConnectService, methods_of
from twinspark.doors.http2 import Http2Server
from twinspark.duck.memory import memory_limit
from twinspark.operations.housekeeper import Housekeeper, remove_files_of_killed_servers
from twinspark.operations.memory_watch import WATCH
from twinspark.relay.attach import attach_spark
from twinspark.relay.engine import SparkUnavailable
from twinspark.relay.engines import spark_engine
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.sessions import Sessions
from twinspark.sessions.settings import Settings, is_loopback
from twinspark.sessions.shared import Shared
from twinspark.sessions.threads import DaemonThreads
from twinspark.ui.http import BoundedServer
from twinspark.ui.metrics import DoorState, serve_metrics
from twinspark.ui.traces import open_traces
from twinspark.ui.web.listen import serve_ui

log = logging.getLogger("twinspark.door")

RECURSION = 50_000  # plans are read recursively, with a dozen calls for each level
HTTP2 = ("h2",)
DRAIN_PAUSE = 0.05
LINGER_SECONDS = 5.0  # for the next requests of clients whose operation has just ended
STACK = 64 * 1024 * 1024  # of address space, for each thread that may read such a plan


class ConnectServer:
    """A listening server; `stop()` ends it and everything it started."""

    def __init__(self, settings: Settings) -> None:
        sys.setswitchinterval(0.0005)  # measured: a busy thread then delays a short query by 16 ms instead of 26
        sys.setrecursionlimit(RECURSION)
        threading.stack_size(STACK)
        lift_depth_limit()
        self.spark = spark_engine(settings)
        self.native = NativeEngine(memory_limit(settings.memory_limit))
        WATCH.use(self.native.limit, self.native.release_memory)
        self.shared = attach_spark(Shared(settings, self.native), self.spark)
        self.sessions = Sessions(self.shared)
        self._limits = settings.limits
        self._housekeeper = Housekeeper(self.sessions)
        self.tokens = Tokens(settings.token, settings.token_file)
        self.shared.watched.names_users = self.tokens.names_users
        self.traces = open_traces(self.shared)
        self.begin_trace = self.traces.begin if self.traces is not None else None
        self._methods = methods_of(ConnectService(self.sessions, user_by_token(self.tokens), self.begin_trace))
        tls = settings.tls.context(HTTP2) if settings.tls is not None else None
        check, threads = token_check(self.tokens), DaemonThreads("connect")
        self._server = Http2Server(settings.host, settings.port, self._methods, check, threads, settings.limits, tls)
        self._inner: Http2Server | None = None
        self.doors: dict[str, Callable[[], DoorState]] = {"connect": self._server.state}
        self.port = self._server.port
        self.url = f"sc://{settings.host}:{self.port}"
        self._server.start()
        self.metrics: BoundedServer | None = None
        if settings.metrics_port is not None:
            guard = None if is_loopback(settings.host) else self.tokens
            self.metrics = serve_metrics(
                self.shared, self.spark, self.doors, settings.host, settings.metrics_port, guard, self.sessions.all
            )
        self.ui: BoundedServer | None = None
        if settings.ui_port is not None:
            self.ui = serve_ui(self.sessions, self.spark, self.tokens, settings, settings.ui_port)
        if settings.prewarm:
            threading.Thread(target=self._prewarm, name="prewarm", daemon=True).start()

    def inner_url(self) -> str:
        """For our own Thrift server: a loopback port with a token that only this process knows; the Thrift server names
        the
        user. PySpark sends a token without TLS only to the host name `localhost`."""
        secret = new_secret()
        threads = DaemonThreads("inner")
        self._inner = Http2Server("127.0.0.1", 0, self._methods, token_check(Tokens(secret)), threads, self._limits)
        self._inner.start()
        return f"sc://localhost:{self._inner.port}/;token={secret}"

    def warm_up(self) -> None:
        """Imports what the first queries need, before any request; then, when the server is idle, what tables need."""
        remove_files_of_killed_servers()
        self.native.cursor().close()
        defaults()
        self._server.wait_for_quiet(0.5, most=3.0)
        import_tables()
        log.info("warmed up")

    def _prewarm(self) -> None:
        with suppress(SparkUnavailable):  # it is logged, and the first client that needs Spark receives the error
            self.spark.relay()

    def wait(self) -> None:
        self._server.wait()

    def drain(self, seconds: float, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Starts no operation any more, and waits until the running ones have ended and all their responses have been
        sent, at most so long. What clients request next is answered too: PySpark's `collect` reads a setting after the
        rows, and retries for minutes if it finds no server."""
        self.shared.is_draining = True
        until, leaves_at = time.monotonic() + seconds, 0.0
        while (now := time.monotonic()) < until and not is_urgent():
            if self._is_working():
                leaves_at = now + LINGER_SECONDS
            elif now >= leaves_at or not self._has_clients():
                return
            time.sleep(DRAIN_PAUSE)

    def _is_working(self) -> bool:
        return any(each.busy for each in self.sessions.all()) or any(each.calls for each in self._ports())

    def _has_clients(self) -> bool:
        return any(each.connections for each in self._ports())

    def _ports(self) -> list[DoorState]:
        inner = [self._inner.state] if self._inner is not None else []
        return [read() for read in (*self.doors.values(), *inner)]

    def use_limits(self, limits: Limits) -> None:
        """For connections that are opened from now on, and for the number of calls."""
        self._limits = limits
        self._server.use_limits(limits)
        if self._inner is not None:
            self._inner.use_limits(limits)

    def stop(self, grace: float | None = None) -> None:
        self._housekeeper.stop()
        self._server.stop(grace)
        if self.traces is not None:
            self.traces.stop()
        if self._inner is not None:
            self._inner.stop(grace)
        if self.metrics is not None:
            self.metrics.stop()
        if self.ui is not None:
            self.ui.stop()
        for each in self.sessions.all():
            each.interrupt(lambda operation: True)
        self.spark.close()
        self.shared.watched.history.close()
        WATCH.release(self.native.release_memory)
        self.native.close(WATCH.waits_for_interrupted)
