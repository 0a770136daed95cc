"""Steps -> DataFrame operations: one small function for each."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from twinspark.plans_json.columns import Scope
from twinspark.plans_json.data import frame_of
from twinspark.plans_json.dialect import dialect_of
from twinspark.plans_json.tree import (
    Agg,
    CrossJoin,
    Distinct,
    Drop,
    Filter,
    GroupBy,
    Join,
    Limit,
    Offset,
    OrderBy,
    Select,
    Step,
    Stop,
    Union,
    UnionByName,
    WithColumn,
    WithColumnRenamed,
)


@dataclass(frozen=True)
class Given:
    """What a step works on: its input, a frame of the same columns to ask types of, and its second input, if any."""

    frame: Any
    typed: Any
    other: Any = None

    @property
    def scope(self) -> Scope:
        return Scope(dialect_of(self.frame.sparkSession), self.typed, {"left": self.frame, "right": self.other})


def other_frame(session: Any, step: Step) -> Any:
    """The second input, built once for a step."""
    if isinstance(step, Join | CrossJoin | Union | UnionByName):
        return frame_of(session, step.other.data, step.other.schema)
    return None


@singledispatch
def applied(step: Step, given: Given) -> Any:
    raise TypeError(f"{type(step).__name__} is not a step")


@applied.register
def _(step: Filter, given: Given) -> Any:
    return given.frame.filter(given.scope.column(step.condition))


@applied.register
def _(step: Select, given: Given) -> Any:
    return given.frame.select(*given.scope.columns(step.items))


@applied.register
def _(step: WithColumn, given: Given) -> Any:
    return given.frame.withColumn(step.name, given.scope.column(step.expression))


@applied.register
def _(step: WithColumnRenamed, given: Given) -> Any:
    return given.frame.withColumnRenamed(step.old, step.new)


@applied.register
def _(step: Drop, given: Given) -> Any:
    return given.frame.drop(*step.columns)


@applied.register
def _(step: Limit, given: Given) -> Any:
    return given.frame.limit(step.count)


@applied.register
def _(step: Offset, given: Given) -> Any:
    return given.frame.offset(step.count)


@applied.register
def _(step: OrderBy, given: Given) -> Any:
    return given.frame.orderBy(*given.scope.columns(step.order))


@applied.register
def _(step: Distinct, given: Given) -> Any:
    return given.frame.distinct()


@applied.register
def _(step: Stop, given: Given) -> Any:
    return given.frame


@applied.register
def _(step: GroupBy, given: Given) -> Any:
    grouped = getattr(given.frame, step.kind)(*given.scope.columns(step.grouping))
    return grouped.agg(*given.scope.columns(step.aggregates))


@applied.register
def _(step: Agg, given: Given) -> Any:
    return given.frame.agg(*given.scope.columns(step.aggregates))


@applied.register
def _(step: Join, given: Given) -> Any:
    if step.how == "cross" and not step.using and step.condition is None:
        return given.frame.crossJoin(given.other)
    if step.condition is None:
        return given.frame.join(given.other, list(step.using), step.how)
    return given.frame.join(given.other, given.scope.column(step.condition), step.how)


@applied.register
def _(step: CrossJoin, given: Given) -> Any:
    return given.frame.crossJoin(given.other)


@applied.register
def _(step: Union, given: Given) -> Any:
    return given.frame.union(given.other)


@applied.register
def _(step: UnionByName, given: Given) -> Any:
    return given.frame.unionByName(given.other, allowMissingColumns=step.allow_missing_columns)
