"""Operating a server: logs, metrics, health, traces, draining and reloading, each read by the client it is made for."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.functions import udf
from waiting import until

from twinspark.doors.connect.server import ConnectServer
from twinspark.relay.launch import free_port
from twinspark.sessions.settings import Settings

SLOW = "select count(*) from range({rows}) where id % 7 = 3"


class Serving:
    """`twinspark serve` in a process of its own, with JSON logs."""

    def __init__(self, folder: Path, *words: str, **variables: str) -> None:
        self.metrics, self.port = free_port(), free_port()
        options = ["--engine", "duckdb", "--port", str(self.port), "--metrics-port", str(self.metrics)]
        self.log = folder / "log"
        command = [sys.executable, "-m", "twinspark", "serve", *options, "--log-format", "json", *words]
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, stderr=out, cwd=folder, env={**os.environ, **variables})
        until(lambda: any("listening at" in each["message"] for each in self.records()))

    def records(self) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n") and line.startswith("{")]  # not usage errors

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}{path}", timeout=20) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def session(self, options: str = "") -> SparkSession:
        return SparkSession.builder.remote(f"sc://localhost:{self.port}/;user_id=anna{options}").create()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    server = Serving(tmp_path)
    yield server
    server.stop()


def samples(text: str) -> dict[str, list[Any]]:
    """By Prometheus's own parser."""
    found: dict[str, list[Any]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample)
    return found


def test_logs_and_metrics(serving: Serving) -> None:
    spark = serving.session()
    assert spark.sql("select sum(id) from range(10)").collect()[0][0] == 45
    spark.stop()
    ended = until(lambda: [each for each in serving.records() if each.get("outcome") == "SUCCEEDED"])[-1]
    assert ended["user"] == "anna" and ended["engine"] == "duckdb" and ended["seconds"] >= 0
    assert ended["session"] == spark.session_id and ended["operation"] in ended["message"]
    assert all({"time", "level", "logger", "message"} <= set(each) for each in serving.records())

    found = samples(serving.get("/metrics")[1])
    counted = found["twinspark_operation_seconds_count"]
    labels = {"engine": "duckdb", "reason": "NATIVE", "outcome": "SUCCEEDED"}
    assert sum(sample.value for sample in counted if sample.labels == labels) >= 1
    buckets = [each for each in found["twinspark_operation_seconds_bucket"] if labels.items() <= each.labels.items()]
    assert [sample.value for sample in buckets] == sorted(sample.value for sample in buckets)
    engines = {sample.labels["engine"] for sample in found["twinspark_running_operations"]}
    assert engines == {"duckdb", "spark", "planning"}
    assert found["twinspark_duckdb_memory_limit_bytes"][0].value > found["twinspark_duckdb_memory_bytes"][0].value >= 0
    assert found["twinspark_duckdb_spilled_bytes"][0].value == 0
    assert found["process_resident_memory_bytes"][0].value > 1e7
    assert found["twinspark_python_workers_total"][0].value == 0
    assert sum(sample.value for sample in found["twinspark_spark_state"]) == 1
    assert found["twinspark_connections"][0].labels == {"door": "connect"}


def test_bytes_of_scanned_files_are_counted(serving: Serving, tmp_path: Path) -> None:
    spark = serving.session()
    spark.range(1000).write.parquet(str(tmp_path / "rows"))
    before = samples(serving.get("/metrics")[1])["twinspark_scan_bytes_total"][0].value
    spark.read.parquet(str(tmp_path / "rows")).selectExpr("sum(id)").collect()
    spark.stop()
    (found,) = samples(serving.get("/metrics")[1])["twinspark_scan_bytes_total"]
    size = sum(file.stat().st_size for file in (tmp_path / "rows").glob("*.parquet"))
    assert found.labels == {"store": "file"} and found.value - before == size


def collect_until_it_fails(spark: SparkSession, rows: int) -> threading.Thread:
    """In a thread: an operation that only an interrupt or the end of its server ends."""

    def collect() -> None:
        with pytest.raises((PySparkException, grpc.RpcError)):
            spark.sql(SLOW.format(rows=rows)).collect()

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    return thread


def runs_one(serving: Serving) -> bool:
    found = samples(serving.get("/metrics")[1])["twinspark_running_operations"]
    return any(sample.labels["engine"] == "duckdb" and sample.value == 1 for sample in found)


def test_running_operations_are_counted(serving: Serving) -> None:
    spark = serving.session()
    thread = collect_until_it_fails(spark, 10**11)
    until(lambda: runs_one(serving))
    spark.interruptAll()
    thread.join(60)
    spark.stop()


def test_health(serving: Serving) -> None:
    assert serving.get("/healthz") == (200, "ok\n")
    assert serving.get("/readyz") == (200, "ok\n")


def test_health_needs_no_token(tmp_path: Path) -> None:
    settings = Settings(engine="duckdb", host="0.0.0.0", port=0, metrics_port=0, token="x", warehouse=str(tmp_path))
    server = ConnectServer(settings)
    try:
        assert server.metrics is not None
        place = f"http://127.0.0.1:{server.metrics.server_port}"
        with urllib.request.urlopen(f"{place}/readyz", timeout=20) as response:
            assert response.status == 200
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{place}/metrics", timeout=20)
    finally:
        server.stop()


def test_a_running_operation_ends_while_the_server_drains(tmp_path: Path) -> None:
    serving = Serving(tmp_path, "--drain-seconds", "300")
    spark, found = serving.session(), list[int]()
    pause = udf(lambda number: time.sleep(2) or number + 1, "long")
    slow = spark.range(1).select(pause("id"))

    def collect() -> None:
        found.append(slow.collect()[0][0])
        spark.client._channel.close()  # otherwise the server waits five seconds for its next request

    thread = threading.Thread(target=collect)
    thread.start()
    until(lambda: runs_one(serving))
    serving.process.send_signal(signal.SIGTERM)
    until(lambda: serving.get("/readyz")[0] == 503)
    assert serving.get("/healthz")[0] == 200
    with pytest.raises(grpc.RpcError) as rejected:
        execute_once(serving.port)
    assert rejected.value.code() is grpc.StatusCode.UNAVAILABLE
    thread.join(120)
    assert found == [1]
    assert serving.process.wait(120) == 0


def test_a_client_that_reads_slowly_receives_everything_while_the_server_drains(tmp_path: Path) -> None:
    """Its operation has ended long before: DuckDB runs ahead of the client, by at most 64 MiB."""
    serving = Serving(tmp_path, "--drain-seconds", "300")
    rows = 3_000_000
    with grpc.insecure_channel(f"127.0.0.1:{serving.port}", options=[("grpc.max_receive_message_length", -1)]) as sent:
        responses = sent.unary_stream("/spark.connect.SparkConnectService/ExecutePlan")(request_of_rows(rows))
        received = [next(responses)]
        until(lambda: any(each.get("outcome") == "SUCCEEDED" for each in serving.records()))
        serving.process.send_signal(signal.SIGTERM)
        until(lambda: serving.get("/readyz")[0] == 503)
        time.sleep(1.5)  # longer than calls may go on after draining
        received += responses
    batches = [base_pb2.ExecutePlanResponse.FromString(each).arrow_batch.row_count for each in received]
    assert sum(batches) == rows
    assert serving.process.wait(60) == 0


def request_of_rows(rows: int) -> bytes:
    request = base_pb2.ExecutePlanRequest(session_id=str(uuid.uuid4()), user_context={"user_id": "anna"})
    request.plan.root.sql.query = f"select id from range({rows})"
    return request.SerializeToString()


def execute_once(port: int) -> list[bytes]:
    """Without PySpark's retries."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        method = channel.unary_stream("/spark.connect.SparkConnectService/ExecutePlan")
        return list(method(b"", timeout=30))


@pytest.mark.parametrize(("seconds", "signals"), [("1", 1), ("1000", 2)])
def test_draining_has_an_end_and_a_second_signal_ends_it(seconds: str, signals: int, tmp_path: Path) -> None:
    serving = Serving(tmp_path, "--drain-seconds", seconds)
    collect_until_it_fails(serving.session(), 10**12)
    until(lambda: runs_one(serving))
    for _ in range(signals):
        serving.process.send_signal(signal.SIGTERM)
        time.sleep(1)
    assert serving.process.wait(60) == 0


def test_the_thrift_port_takes_new_limits(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "twinspark.toml"
    file.write_text('limit = ["connections_per_address=100"]\n')
    serving = Serving(tmp_path, "--thrift-port", str(port))
    try:
        with socket.create_connection(("127.0.0.1", port)):
            file.write_text('limit = ["connections_per_address=1"]\n')
            serving.process.send_signal(signal.SIGHUP)
            until(lambda: any("tokens and limits reloaded" in each["message"] for each in serving.records()))
            with socket.create_connection(("127.0.0.1", port), timeout=60) as rejected:
                assert rejected.recv(1) == b""
        counts = samples(serving.get("/metrics")[1])["twinspark_rejected_total"]
        assert {"door": "thrift", "limit": "connections_per_address"} in [each.labels for each in counts]
    finally:
        serving.stop()


def test_tokens_and_limits_are_reloaded(tmp_path: Path) -> None:
    tokens, file = tmp_path / "tokens", tmp_path / "twinspark.toml"
    tokens.write_text("anna:first\n")
    file.write_text('token-file = "tokens"\nlimit = ["connections=100"]\n')
    serving = Serving(tmp_path)
    try:
        assert serving.session(";token=first").range(3).count() == 3
        tokens.write_text("anna:second\n")
        file.write_text('token-file = "tokens"\nlimit = ["connections=1", "message_bytes=1000"]\n')
        serving.process.send_signal(signal.SIGHUP)
        until(lambda: any("tokens and limits reloaded" in each["message"] for each in serving.records()))
        with pytest.raises(grpc.RpcError) as rejected:
            execute_once(serving.port)
        assert rejected.value.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED)
        file.write_text("limit = 5\n")
        serving.process.send_signal(signal.SIGHUP)
        until(lambda: any("the limits stay as they are" in each["message"] for each in serving.records()))
    finally:
        serving.stop()


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """A real OTLP collector, over OpenTelemetry's own protobuf classes."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.resources: list[Any] = []
        self.server = grpc.server(futures.ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self.server)
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    def Export(self, request: Any, context: Any) -> Any:
        for resource in request.resource_spans:
            self.resources.append(resource.resource)
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


def test_spans_continue_the_trace_of_the_client(tmp_path: Path) -> None:
    collector = Collector()
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    serving = Serving(
        tmp_path,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.port}",
        OTEL_EXPORTER_OTLP_INSECURE="true",
        OTEL_BSP_SCHEDULE_DELAY="100",
    )
    try:
        traced = serving.session(f";traceparent=00-{trace}-{parent}-01")
        assert traced.range(5).count() == 5
        with pytest.raises(PySparkException):
            traced.sql("select 1/0").collect()
        until(lambda: len([span for span in collector.spans if span.trace_id.hex() == trace]) >= 3)
        ours = [span for span in collector.spans if span.trace_id.hex() == trace]
        assert {span.parent_span_id.hex() for span in ours} == {parent}
        named = {each.key: each.value.string_value for each in ours[0].attributes}
        assert named["twinspark.engine"] == "duckdb" and named["enduser.id"] == "anna"
        assert named["twinspark.session_id"] == traced.session_id
        assert any(span.status.code == 2 for span in ours)
        assert all(span.end_time_unix_nano >= span.start_time_unix_nano for span in ours)
        assert any(each.value.string_value == "twinspark" for each in collector.resources[0].attributes)
    finally:
        serving.stop()
        collector.server.stop(None)
