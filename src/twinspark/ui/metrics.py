"""Prometheus counters over session events, served on a separate HTTP port."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from twinspark.compile.query import scan_bytes_of
from twinspark.relay.engine import SparkEngine, SparkState
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.session import Session
from twinspark.sessions.shared import EndedOperation, Shared
from twinspark.ui.engine_metrics import MemoryCollector, OperationCollector, WorkerCollector
from twinspark.ui.health import with_health
from twinspark.ui.http import BoundedServer

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
DRAINING = "the server is draining"
LOCAL = "file"  # the native engine reads no other store: docs/use/object-stores.md


class DoorState(NamedTuple):
    """What a listening server reports: docs/operate/limits.md lists the names in `rejected`."""

    connections: int
    unread_bytes: int
    rejected: Mapping[str, int]
    calls: int = 0  # that have begun and whose responses have not all been sent


Doors = Mapping[str, Callable[[], DoorState]]  # by name; read at every scrape


class Metrics:
    """Counts the operations that sessions report, in a registry of its own, so that two servers in one process do not
    mix."""

    def __init__(
        self,
        shared: Shared,
        spark: SparkEngine,
        doors: Doors,
        sessions: Callable[[], list[Session]] = list,
    ) -> None:
        self.registry = CollectorRegistry()
        self._operations = Counter(
            "twinspark_operations",  # the client library adds _total
            "Operations that ended, by engine and by the code of the reason for it (docs/reference/reasons.md)",
            ["engine", "reason"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "twinspark_operation_seconds",
            "Time from request to end, by engine, by its reason's code and by outcome",
            ["engine", "reason", "outcome"],
            registry=self.registry,
            buckets=BUCKETS,
        )
        self._scanned = Counter(
            "twinspark_scan_bytes",
            "Sizes of the files that native operations scanned, by the store they are in",
            ["store"],
            registry=self.registry,
        )
        self._scanned.labels(LOCAL)
        running = Gauge("twinspark_spark_running", "Whether the server's Spark is running", registry=self.registry)
        running.set_function(lambda: float(spark.running))
        self.registry.register(SparkMetrics(spark))
        shared.listeners.append(self.count)
        self.registry.register(DoorCollector(doors))
        self.registry.register(OperationCollector(sessions))
        self.registry.register(MemoryCollector(shared.native))
        self.registry.register(WorkerCollector())
        ProcessCollector(registry=self.registry)  # memory, CPU and open files of this process

    def count(self, ended: EndedOperation) -> None:
        self._operations.labels(ended.engine, ended.cause.reason.code).inc()
        self._seconds.labels(ended.engine, ended.cause.reason.code, ended.outcome).observe(ended.seconds)
        self._scanned.labels(LOCAL).inc(sum(map(scan_bytes_of, ended.result.compiled)))


class SparkMetrics(Collector):
    """The state of the server's Spark (1 for the current state), and counts of its starts, failures and losses."""

    def __init__(self, spark: SparkEngine) -> None:
        self._spark = spark

    def collect(self) -> Iterator[Metric]:
        state = GaugeMetricFamily("twinspark_spark_state", "State of the server's Spark", labels=["state"])
        for each in SparkState:
            state.add_metric([each.value], float(each is self._spark.state))
        yield state
        yield CounterMetricFamily("twinspark_spark_starts", "Attempted Spark starts", self._spark.starts)
        yield CounterMetricFamily("twinspark_spark_start_failures", "Failed Spark starts", self._spark.start_failures)
        yield CounterMetricFamily("twinspark_spark_losses", "Spark processes that ended or hung", self._spark.losses)


def require_token(application: Any, tokens: Tokens) -> Any:
    def answer(environment: dict[str, Any], start: Any) -> Any:
        if tokens.admit_header(environment.get("HTTP_AUTHORIZATION", "")) is None:
            start("401 Unauthorized", [("WWW-Authenticate", "Bearer"), ("Content-Type", "text/plain")])
            return [b"a token is needed\n"]
        return application(environment, start)

    return answer


class DoorCollector(Collector):
    """Open connections, running calls, unread bytes, and rejections by limit."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors

    def collect(self) -> Iterator[Metric]:
        connections = GaugeMetricFamily("twinspark_connections", "Open client connections", labels=["door"])
        calls = GaugeMetricFamily("twinspark_calls", "Calls whose responses have not all been sent", labels=["door"])
        unread = GaugeMetricFamily("twinspark_unread_bytes", "Bytes not yet read by a method", labels=["door"])
        rejected = CounterMetricFamily(
            "twinspark_rejected", "Rejections by a limit of the server", labels=["door", "limit"]
        )
        for name, state in {name: read() for name, read in self._doors.items()}.items():
            connections.add_metric([name], state.connections)
            calls.add_metric([name], state.calls)
            unread.add_metric([name], state.unread_bytes)
            for limit, count in state.rejected.items():
                rejected.add_metric([name, limit], count)
        yield from (connections, calls, unread, rejected)


def serve_metrics(
    shared: Shared,
    spark: SparkEngine,
    doors: Doors,
    host: str,
    port: int,
    guard: Tokens | None = None,
    sessions: Callable[[], list[Session]] = list,
) -> BoundedServer:
    """The HTTP server; its `server_port` is the port it listens on. With a `guard` it requires a token like the other
    ports."""
    counters = make_wsgi_app(Metrics(shared, spark, doors, sessions).registry)
    guarded = counters if guard is None else require_token(counters, guard)
    server = BoundedServer(host, port, with_health(guarded, lambda: DRAINING if shared.is_draining else None))
    server.serve_in_background()
    return server
