"""Opens the Connect door on a port, with the sessions and the Spark engine behind it."""

import sys
import threading

from twinspark.doors.connect.auth import anyone, with_token
from twinspark.doors.connect.depth import lift_depth_limit
from twinspark.doors.connect.service import ConnectService, methods_of
from twinspark.doors.http2 import Http2Server
from twinspark.session.config import defaults
from twinspark.session.later import import_tables
from twinspark.session.maintenance import Housekeeper
from twinspark.session.native import NativeEngine
from twinspark.session.sessions import Sessions
from twinspark.session.settings import Settings
from twinspark.session.shared import Shared
from twinspark.session.threads import DaemonThreads
from twinspark.ui.metrics import serve_metrics

RECURSION = 50_000  # plans are read by plain recursion, a dozen calls for each level
STACK = 64 * 1024 * 1024  # of address space, for each thread that may read such a plan


class ConnectServer:
    """A listening server; `stop()` ends it and everything it started."""

    def __init__(self, settings: Settings) -> None:
        sys.setswitchinterval(0.0005)  # measured: a busy thread then costs a short query 16 ms instead of 26
        sys.setrecursionlimit(RECURSION)
        threading.stack_size(STACK)
        lift_depth_limit()
        self.spark = settings.spark()
        self.native = NativeEngine()
        self.shared = Shared(settings, self.spark, self.native)
        self.sessions = Sessions(self.shared)
        self._housekeeper = Housekeeper(self.sessions)
        check = with_token(settings.token) if settings.token else anyone
        methods = methods_of(ConnectService(self.sessions))
        self._server = Http2Server(settings.host, settings.port, methods, check, DaemonThreads("connect"))
        self.port = self._server.port
        self.url = f"sc://{settings.host}:{self.port}"
        self._server.start()
        if settings.metrics_port is not None:
            self.metrics = serve_metrics(self.shared, settings.host, settings.metrics_port)
        if settings.prewarm:
            threading.Thread(target=self.spark.relay, name="prewarm", daemon=True).start()

    def warm_up(self) -> None:
        """What the first queries need, while nobody has asked yet; what tables need must not be in their way."""
        self.native.cursor().close()
        defaults()
        self._server.wait_for_quiet(0.5, most=3.0)
        import_tables()

    def wait(self) -> None:
        self._server.wait()

    def stop(self, grace: float | None = None) -> None:
        self._housekeeper.stop()
        self._server.stop(grace)
        for each in self.sessions.all():
            each.interrupt(lambda operation: True)
        self.spark.close()
        self.native.close()
