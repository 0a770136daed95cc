"""Encodes ExecutePlanResponse messages without protobuf objects, so that Arrow data is copied only once."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.types import pyspark_types_to_proto_types
from pyspark.sql.types import StructType

from twinspark.wire.connect.proto_fields import bytes_field, integer_field, string_field, varint
from twinspark.wire.connect.response_buffer import BatchStream, Part, join_parts

ARROW_BATCH, SCHEMA, METRICS, OBSERVED_METRICS, RESULT_COMPLETE, PROGRESS, SQL_RESULT = 2, 7, 4, 6, 14, 18, 5
BATCH_BYTES = 8 * 1024 * 1024  # larger messages are not faster, and gRPC holds several copies of each
LENGTH_DELIMITED = 2
SPARK_STARTS = -1


@dataclass(frozen=True)
class ResponseFrame:
    """One response: its id, which a reattaching client sends back, and its bytes."""

    response_id: str
    data: bytes


class Framer:
    """Encodes the responses of one operation."""

    def __init__(self, session_id: str, server_session_id: str, operation_id: str) -> None:
        self._common = (
            string_field(1, session_id) + string_field(12, operation_id) + string_field(15, server_session_id)
        )

    def frame(self, *parts: Part) -> ResponseFrame:
        response_id = str(uuid.uuid4())
        return ResponseFrame(response_id, join_parts((self._common, string_field(13, response_id), *parts)))

    def message(self, field: int, message: base_pb2.ExecutePlanResponse.ExecutionProgress) -> ResponseFrame:
        return self.frame(bytes_field(field, message.SerializeToString()))

    def result_complete(self, metrics: bytes = b"") -> ResponseFrame:
        """Contains the metrics too, since each further response costs the client one more ReleaseExecute."""
        return self.frame(metrics, bytes_field(RESULT_COMPLETE, b""))

    def progress(self, fraction: float) -> ResponseFrame:
        progress = base_pb2.ExecutePlanResponse.ExecutionProgress(num_inflight_tasks=1)
        progress.stages.add(stage_id=0, num_tasks=100, num_completed_tasks=min(99, int(100 * fraction)))
        return self.message(PROGRESS, progress)

    def starting(self) -> ResponseFrame:
        """Progress while Spark starts or does not answer: one task that has not begun, in a stage with an id that
        Spark does not use."""
        progress = base_pb2.ExecutePlanResponse.ExecutionProgress(num_inflight_tasks=0)
        progress.stages.add(stage_id=SPARK_STARTS, num_tasks=1, num_completed_tasks=0)
        return self.message(PROGRESS, progress)


def progress_done_field(tasks: int) -> bytes:
    """The last progress report: every task of the only stage has ended."""
    progress = base_pb2.ExecutePlanResponse.ExecutionProgress()
    progress.stages.add(stage_id=0, num_tasks=tasks, num_completed_tasks=tasks, done=True)
    return bytes_field(PROGRESS, progress.SerializeToString())


def schema_field(schema: StructType) -> bytes:
    return bytes_field(SCHEMA, pyspark_types_to_proto_types(schema).SerializeToString())


def metrics_field(rows: int, seconds: float, operators: Sequence[str] = ()) -> bytes:
    """Metrics of one node, since DuckDB runs the whole plan as one query; its operators are child nodes with a name
    only."""
    metrics = base_pb2.ExecutePlanResponse.Metrics()
    node = metrics.metrics.add(name="DuckDB", plan_id=0, parent=0)
    for number, name in enumerate(operators, 1):
        metrics.metrics.add(name=name, plan_id=number, parent=number - 1)
    for name, value, kind in (("numOutputRows", rows, "sum"), ("duration", int(seconds * 1000), "timing")):
        node.execution_metrics[name].name = name
        node.execution_metrics[name].value = value
        node.execution_metrics[name].metric_type = kind
    return bytes_field(METRICS, metrics.SerializeToString())


class BatchWriter:
    """Encodes record batches as ArrowBatch fields: each is one IPC stream with exactly one batch."""

    def __init__(self, schema: pa.Schema, chunk_bytes: int | None) -> None:
        self._schema_size = len(schema.serialize())
        self._chunk_bytes = chunk_bytes
        self._offset = 0

    def fields(self, batch: pa.RecordBatch) -> Iterator[list[Part]]:
        """Yields the content of one or more responses for this batch; a batch that is too large is split by rows."""
        if batch.nbytes > BATCH_BYTES and batch.num_rows > 1:
            half = batch.num_rows // 2
            yield from self.fields(batch.slice(0, half))
            yield from self.fields(batch.slice(half))
            return
        stream = BatchStream(batch, self._schema_size)
        if self._chunk_bytes and len(stream) > self._chunk_bytes:
            parts = self._chunk_fields(batch.num_rows, join_parts((stream,)))
        else:
            parts = [self._whole_field(batch.num_rows, stream)]
        self._offset += batch.num_rows
        yield from parts

    def _whole_field(self, rows: int, stream: BatchStream) -> list[Part]:
        size = varint(2 << 3 | LENGTH_DELIMITED) + varint(len(stream))
        head = integer_field(1, rows) + integer_field(3, self._offset) + size
        start = varint(ARROW_BATCH << 3 | LENGTH_DELIMITED) + varint(len(head) + len(stream))
        return [start, head, stream]

    def _chunk_fields(self, rows: int, data: bytes) -> list[list[Part]]:
        assert self._chunk_bytes
        chunks = [data[start : start + self._chunk_bytes] for start in range(0, len(data), self._chunk_bytes)]
        common = integer_field(1, rows) + integer_field(3, self._offset)
        return [
            [
                bytes_field(
                    ARROW_BATCH, common + integer_field(4, i) + integer_field(5, len(chunks)) + bytes_field(2, chunk)
                )
            ]
            for i, chunk in enumerate(chunks)
        ]
