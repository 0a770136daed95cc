"""OpenTelemetry traces: a span for each operation, below the span of the client that sent it (`traceparent`).

Needs the extra `otel`. Exporter, service name and sampler come from OpenTelemetry's own variables, such as
`OTEL_EXPORTER_OTLP_ENDPOINT`; without one that names an exporter nothing is traced.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from twinspark.sessions.operation import EndedOperation
from twinspark.sessions.shared import Shared

TRACE_HEADERS = ("traceparent", "tracestate")
EXPORTER_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER")
MOST_PARENTS = 10_000  # operations whose end was not reported; the oldest are forgotten
NANOSECONDS = 1_000_000_000


class Traces:
    """Remembers the parent of each operation until it ends, and then records its span."""

    def __init__(self, provider: Any) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider, self._propagator = provider, TraceContextTextMapPropagator()
        self._tracer = provider.get_tracer("twinspark")
        self._parents: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, operation_id: str, headers: Mapping[str, str]) -> None:
        carried = {name: headers[name] for name in TRACE_HEADERS if name in headers}
        if not carried:
            return
        with self._lock:
            self._parents[operation_id] = carried
            while len(self._parents) > MOST_PARENTS:
                self._parents.popitem(last=False)

    def end(self, ended: EndedOperation) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        with self._lock:
            carried = self._parents.pop(ended.operation_id, {})
        now = time.time_ns()
        span = self._tracer.start_span(
            "operation",
            context=self._propagator.extract(carried),
            kind=SpanKind.SERVER,
            start_time=now - int(ended.seconds * NANOSECONDS),
            attributes=attributes_of(ended),
        )
        if ended.outcome == "FAILED":
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)

    def stop(self) -> None:
        self._provider.shutdown()


def attributes_of(ended: EndedOperation) -> dict[str, str]:
    return {
        "db.system.name": "spark",
        "twinspark.session_id": ended.session_id,
        "twinspark.operation_id": ended.operation_id,
        "twinspark.engine": ended.engine,
        "twinspark.reason": ended.cause.reason.code,
        "twinspark.outcome": ended.outcome,
        "enduser.id": ended.user_id,
    }


def open_traces(shared: Shared) -> Traces | None:
    """Traces if an exporter is configured; raises ValueError if OpenTelemetry is not installed then."""
    if not any(os.environ.get(name, "none") != "none" for name in EXPORTER_VARIABLES):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ValueError("OTEL_… variables are set without OpenTelemetry: pip install twinspark[otel]") from error
    name = os.environ.get("OTEL_SERVICE_NAME", "twinspark")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    traces = Traces(provider)
    shared.listeners.append(traces.end)
    return traces
