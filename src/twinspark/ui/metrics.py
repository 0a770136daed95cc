"""Prometheus counters over session events, on an HTTP port of their own."""

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from twinspark.session.shared import Ended, Shared


class Metrics:
    """Counts what sessions tell; a registry of its own, so that two servers in one process do not mix."""

    def __init__(self, shared: Shared) -> None:
        self.registry = CollectorRegistry()
        self._operations = Counter(
            "twinspark_operations",  # the client library adds _total
            "Operations that ended, by the engine that ran them and why it was that one",
            ["engine", "reason"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "twinspark_operation_seconds", "Time from request to end", ["engine", "outcome"], registry=self.registry
        )
        spark = Gauge("twinspark_spark_running", "Whether a Spark is up behind this server", registry=self.registry)
        spark.set_function(lambda: float(shared.spark.running))
        shared.listeners.append(self.count)

    def count(self, ended: Ended) -> None:
        self._operations.labels(ended.engine, ended.reason).inc()
        self._seconds.labels(ended.engine, ended.outcome).observe(ended.seconds)


def serve_metrics(shared: Shared, host: str, port: int) -> Any:
    """The HTTP server; its `server_port` is the port it got."""
    server, _ = start_http_server(port, addr=host, registry=Metrics(shared).registry)
    return server
