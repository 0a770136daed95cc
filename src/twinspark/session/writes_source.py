"""Where a write's rows come from: read natively, or, when only Spark can answer the query, sent by Spark as Arrow."""

import uuid
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type
from pyspark.sql.types import StructType

from twinspark.analysis.context import ROWS_ARE_GIVEN
from twinspark.analysis.local_data import local_data
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.session.observations import pass_on
from twinspark.session.sql_results import Answer

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
# The variables of the script whose statement runs: Spark does not know them.
LOCALS: ContextVar[bool] = ContextVar("locals", default=False)


@dataclass(frozen=True)
class Source:
    """A query: how it is read natively, and the same as a message for Spark."""

    read: Callable[[], Frame]
    message: Callable[[], Any]


def written(session: "Session", source: Source, write: Callable[[Frame], Command]) -> Command:
    """The write over rows of the engine that can give them."""
    return either(session, lambda: write(source.read()), lambda: write(from_spark(session, source.message()))())


def either(session: "Session", natively: Callable[[], Command], on_spark: Command) -> Command:
    """A change of a table natively or, where Spark is needed and may be used, by its answers; never by Spark itself:
    the table is ours. What was begun natively leaves nothing behind."""
    wanted = session.engine_wanted
    if wanted == "spark":
        return partial(by_spark, on_spark)
    try:
        native = natively()
    except ForSpark:
        raise
    except NotNative:
        if wanted == "duckdb":
            raise
        return partial(by_spark, on_spark)

    def carry_out() -> Answer:
        try:
            return native()
        except NotNative:
            if wanted == "duckdb":
                raise
            return by_spark(on_spark)

    return carry_out


class ForSpark(NotNative):
    """The table itself has to be Spark's: the whole statement goes there."""


def by_spark(change: Command) -> Answer:
    token = ROWS_ARE_GIVEN.set(True)
    try:
        return change()
    except ForSpark:
        raise
    except NotNative as why:
        operation = f"what only Spark computes outside of a query ({why.reason})"
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="written", operation=operation) from why
    finally:
        ROWS_ARE_GIVEN.reset(token)


def from_spark(session: "Session", relation: Any) -> Frame:
    """The relation's rows, run on Spark: our tables are there for it to read, and so are the session's views."""
    if LOCALS.get():
        raise ForSpark("rows of Spark's for a statement of a script with variables of its own")
    schema = spark_schema(session, relation)
    return frame_of(local_data(pa.Table.from_batches(batches(session, relation)), schema, uuid.uuid4().hex))


def spark_schema(session: "Session", relation: Any) -> StructType:
    request = base_pb2.AnalyzePlanRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    request.schema.plan.root.CopyFrom(relation)
    data = session.spark.unary("AnalyzePlan", request.SerializeToString())
    answer = base_pb2.AnalyzePlanResponse.FromString(data)
    found: StructType = proto_schema_to_pyspark_data_type(answer.schema.schema)
    return found


def batches(session: "Session", relation: Any) -> list[pa.RecordBatch]:
    found = [batch for data in responses(session, relation) for batch in pa.ipc.open_stream(data)]
    if not found:
        raise AssertionError("Spark sent no batch, not even an empty one")
    return found


def responses(session: "Session", relation: Any) -> Iterator[bytes]:
    request = base_pb2.ExecutePlanRequest(session_id=session.session_id, operation_id=str(uuid.uuid4()))
    request.user_context.user_id = session.user_id
    request.plan.root.CopyFrom(relation)
    for data in session.spark.stream("ExecutePlan", request.SerializeToString()):
        response = base_pb2.ExecutePlanResponse.FromString(data)
        for metrics in response.observed_metrics:
            pass_on(metrics)
        if response.HasField("arrow_batch"):
            yield response.arrow_batch.data
