"""Observed metrics (DataFrame.observe): aggregates over the rows that passed, sent in a response message of their
own."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from google.protobuf.message import Message
from pyspark.sql.connect.expressions import LiteralExpression
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations.observe import observations
from twinspark.plan.relations import Relation
from twinspark.wire.connect.proto_fields import bytes_field
from twinspark.wire.connect.response_frames import OBSERVED_METRICS

ACCUMULATED = "__python_accumulator__"
# The metrics that Spark reports while it computes rows for a command that writes them here.


def note_metrics(metrics: base_pb2.ExecutePlanResponse.ObservedMetrics, context: Context) -> None:
    """Keeps an ObservedMetrics message that Spark sent, for the client that sent the command."""
    if context.observed is not None:
        context.observed[metrics.name] = bytes_field(OBSERVED_METRICS, metrics.SerializeToString())


@dataclass(frozen=True)
class Observation:
    """The name the client gave, the plan id of its relation, and the aggregation to run."""

    name: str
    plan_id: int
    metrics: Relation

    def serialize(self, table: pa.Table) -> bytes:
        answer = base_pb2.ExecutePlanResponse.ObservedMetrics(name=self.name, plan_id=self.plan_id)
        for column, field in zip(table.columns, self.metrics.schema.fields, strict=True):
            literal = LiteralExpression(column[0].as_py(), field.dataType)
            answer.keys.append(field.name)
            answer.values.append(literal.to_plan(None).literal)
        return bytes_field(OBSERVED_METRICS, answer.SerializeToString())


def accumulated_in_python(context: Context) -> Iterator[bytes]:
    """The values of accumulators in Python workers, mostly profiles, under the name that clients expect
    (ExecuteThreadRunner)."""
    values = context.pythons.own.pool.take_accumulated() if context.pythons is not None else []
    if values:
        answer = base_pb2.ExecutePlanResponse.ObservedMetrics(name=ACCUMULATED)
        for value in values:
            answer.values.add().binary = value
        yield bytes_field(OBSERVED_METRICS, answer.SerializeToString())


def observations_of(plan: Relation, message: relations_pb2.Relation | None) -> list[Observation]:
    found = observations(plan)
    ids = dict(plan_ids(message)) if found and message is not None else {}
    return [Observation(each.name, ids.get(each.name, 0), each.metrics) for each in found]


def plan_ids(message: Message) -> Iterator[tuple[str, int]]:
    """The names of the observed relations in a message, with their plan ids."""
    if isinstance(message, relations_pb2.Relation) and message.HasField("collect_metrics"):
        yield message.collect_metrics.name, message.common.plan_id
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in [value] if hasattr(value, "DESCRIPTOR") else value:
                yield from plan_ids(part)
