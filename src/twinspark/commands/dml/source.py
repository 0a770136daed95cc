"""The rows of a write: from a native query or, if only Spark can run the query, from Spark as Arrow batches."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, relations_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type
from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.analysis.relations.local_data import local_data
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.results import Answer
from twinspark.compile.observations import note_metrics
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.sessions.services import Services

Command = Callable[[], Answer]


@dataclass(frozen=True)
class Source:
    """A query, as a function that reads it natively and one that builds its message for Spark."""

    read: Callable[[], Frame]
    message: Callable[[], Any]


def write_rows_of(services: Services, context: Context, source: Source, write: Callable[[Frame], Command]) -> Command:
    """The write of rows from the engine that can compute them."""

    def on_spark() -> Answer:
        return write(from_spark(services, context, source.message()))()

    return either(services, context, lambda: write(source.read()), on_spark)


def either(services: Services, context: Context, natively: Callable[[], Command], on_spark: Command) -> Command:
    """Executes a change of a table natively or, if needed and allowed, with rows computed by Spark; never on Spark,
    since the
    table is ours. A failed native attempt has no effects."""
    wanted = services.engine_wanted
    if wanted == "spark":
        return partial(by_spark, on_spark, context)
    try:
        native = natively()
    except ForSpark:
        raise
    except NotNative as why:
        if wanted == "duckdb":
            raise
        context.operation.rows_from_spark = why.cause
        return partial(by_spark, on_spark, context)

    def carry_out() -> Answer:
        try:
            return native()
        except NotNative:
            if wanted == "duckdb":
                raise
            return by_spark(on_spark, context)

    return carry_out


class ForSpark(NotNative):
    """The table itself must be created on Spark: the whole statement falls back."""


def by_spark(change: Command, context: Context) -> Answer:
    context.operation.rows_are_given = True
    try:
        return change()
    except ForSpark:
        raise
    except NotNative as why:
        operation = f"a value that only Spark computes, outside of a query ({why})"
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="written", operation=operation) from why
    finally:
        context.operation.rows_are_given = False


def from_spark(services: Services, context: Context, relation: relations_pb2.Relation) -> Frame:
    """The relation's rows, computed on Spark, which can read our tables and the session's views."""
    if context.is_script:
        raise ForSpark(reasons.SCRIPT, "a statement whose rows come from Spark, in a script with variables of its own")
    schema = spark_schema(services, relation)
    return frame_of(local_data(pa.Table.from_batches(batches(services, context, relation)), schema, uuid.uuid4().hex))


def spark_schema(services: Services, relation: relations_pb2.Relation) -> StructType:
    request = base_pb2.AnalyzePlanRequest(session_id=services.session_id)
    request.user_context.user_id = services.user_id
    request.schema.plan.root.CopyFrom(relation)
    data = services.spark.unary("AnalyzePlan", request.SerializeToString())
    answer = base_pb2.AnalyzePlanResponse.FromString(data)
    found: StructType = proto_schema_to_pyspark_data_type(answer.schema.schema)
    return found


def batches(services: Services, context: Context, relation: relations_pb2.Relation) -> list[pa.RecordBatch]:
    found = [batch for data in responses(services, context, relation) for batch in pa.ipc.open_stream(data)]
    if not found:
        raise AssertionError("Spark sent no batch, not even an empty one")
    return found


def responses(services: Services, context: Context, relation: relations_pb2.Relation) -> Iterator[bytes]:
    request = base_pb2.ExecutePlanRequest(session_id=services.session_id, operation_id=str(uuid.uuid4()))
    request.user_context.user_id = services.user_id
    request.plan.root.CopyFrom(relation)
    for data in services.spark.stream("ExecutePlan", request.SerializeToString()):
        response = base_pb2.ExecutePlanResponse.FromString(data)
        for metrics in response.observed_metrics:
            note_metrics(metrics, context)
        if response.HasField("arrow_batch"):
            yield response.arrow_batch.data
