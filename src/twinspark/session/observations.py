"""Observed metrics (DataFrame.observe): aggregates over rows that passed, told in a response of their own."""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.expressions import LiteralExpression
from pyspark.sql.connect.proto import base_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.observed import observations
from twinspark.plan.relations import Relation
from twinspark.session.frames import OBSERVED_METRICS
from twinspark.spark.wire import bytes_field

ACCUMULATED = "__python_accumulator__"
# While a command runs: where to put what Spark tells of rows that it computes for us to write.
OBSERVED: ContextVar[dict[str, bytes] | None] = ContextVar("observed", default=None)


def telling(command: Callable[[], tuple[bytes, ...]], observed: dict[str, bytes]) -> Callable[[], tuple[bytes, ...]]:
    def carry_out() -> tuple[bytes, ...]:
        token = OBSERVED.set(observed)
        try:
            return command()
        finally:
            OBSERVED.reset(token)

    return carry_out


def pass_on(metrics: Any) -> None:
    """An answer of Spark's, for whoever sent the command."""
    observed = OBSERVED.get()
    if observed is not None:
        observed[metrics.name] = bytes_field(OBSERVED_METRICS, metrics.SerializeToString())


@dataclass(frozen=True)
class Observation:
    """The name the client gave, the plan id of its relation, and the aggregation to run."""

    name: str
    plan_id: int
    metrics: Relation

    def told(self, table: pa.Table) -> bytes:
        answer = base_pb2.ExecutePlanResponse.ObservedMetrics(name=self.name, plan_id=self.plan_id)
        for column, field in zip(table.columns, self.metrics.schema.fields, strict=True):
            literal = LiteralExpression(column[0].as_py(), field.dataType)
            answer.keys.append(field.name)
            answer.values.append(literal.to_plan(None).literal)
        return bytes_field(OBSERVED_METRICS, answer.SerializeToString())


def accumulated_in_python(context: Context) -> Iterator[bytes]:
    """What Python workers counted, profiles above all, under the name that clients know (ExecuteThreadRunner)."""
    values = context.pythons.own.pool.accumulated() if context.pythons is not None else []
    if values:
        answer = base_pb2.ExecutePlanResponse.ObservedMetrics(name=ACCUMULATED)
        for value in values:
            answer.values.add().binary = value
        yield bytes_field(OBSERVED_METRICS, answer.SerializeToString())


def observations_of(plan: Relation, message: Any) -> list[Observation]:
    found = observations(plan)
    ids = dict(plan_ids(message)) if found and message is not None else {}
    return [Observation(each.name, ids.get(each.name, 0), each.metrics) for each in found]


def plan_ids(message: Any) -> Iterator[tuple[str, int]]:
    """The names of observed relations in a message, and their plan ids."""
    if message.DESCRIPTOR.full_name == "spark.connect.Relation" and message.HasField("collect_metrics"):
        yield message.collect_metrics.name, message.common.plan_id
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in [value] if hasattr(value, "DESCRIPTOR") else value:
                yield from plan_ids(part)
