"""Metrics that are read when Prometheus asks: running operations, memory, spilled bytes, Python workers."""

import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.operation import State
from twinspark.sessions.session import Session

log = logging.getLogger("twinspark.metrics")
WORKERS = "twinspark.workers.processes"
MEMORY = "select sum(memory_usage_bytes), sum(temporary_storage_bytes) from duckdb_memory()"


class OperationCollector(Collector):
    """Sessions, and operations that run now, by engine; `planning` until an engine is chosen."""

    def __init__(self, sessions: Callable[[], list[Session]]) -> None:
        self._sessions = sessions

    def collect(self) -> Iterator[Metric]:
        sessions = self._sessions()
        yield GaugeMetricFamily("twinspark_sessions", "Open sessions", len(sessions))
        running = GaugeMetricFamily("twinspark_running_operations", "Operations that run now", labels=["engine"])
        counts = Counter(engine_of(each) for session in sessions for each in session.operations() if is_running(each))
        for engine in ("duckdb", "spark", "planning"):
            running.add_metric([engine], counts[engine])
        yield running


def is_running(operation: Any) -> bool:
    return operation.state is State.RUNNING


def engine_of(operation: Any) -> str:
    return "planning" if operation.cause.reason.code == "PLANNING" else str(operation.engine)


class MemoryCollector(Collector):
    """What DuckDB holds in memory and in files of its temporary directory, and the limit."""

    def __init__(self, native: NativeEngine) -> None:
        self._native = native

    def collect(self) -> Iterator[Metric]:
        used, spilled = self._sizes()
        yield GaugeMetricFamily("twinspark_duckdb_memory_bytes", "Memory of DuckDB's buffers", used)
        yield GaugeMetricFamily("twinspark_duckdb_spilled_bytes", "Bytes that DuckDB has written to disk", spilled)
        limit = self._native.limit.for_buffers
        yield GaugeMetricFamily("twinspark_duckdb_memory_limit_bytes", "Memory that DuckDB may use", limit)

    def _sizes(self) -> tuple[float, float]:
        try:
            cursor = self._native.cursor()
            found = cursor.execute(MEMORY).fetchone() or (0, 0)
            cursor.close()
        except duckdb.Error:
            log.info("DuckDB does not report its memory", exc_info=True)
            return float("nan"), float("nan")
        return float(found[0] or 0), float(found[1] or 0)


class WorkerCollector(Collector):
    """Python workers that were started; the module is imported by the first Python function only."""

    def collect(self) -> Iterator[Metric]:
        module = sys.modules.get(WORKERS)
        started = module.Daemon.forks if module is not None else 0
        yield CounterMetricFamily("twinspark_python_workers", "Python worker processes started", started)
