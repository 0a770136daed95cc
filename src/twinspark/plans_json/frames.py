"""Steps -> DataFrame operations: one small function for each."""

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
    Other,
    Select,
    Step,
    Stop,
    Union,
    UnionByName,
    WithColumn,
    WithColumnRenamed,
)


def scope_of(frame: Any) -> Scope:
    return Scope(dialect_of(frame.sparkSession), frame)


def other_frame(frame: Any, other: Other) -> Any:
    return frame_of(frame.sparkSession, other.data, other.schema)


@singledispatch
def applied(step: Step, frame: Any) -> Any:
    raise TypeError(f"{type(step).__name__} is not a step")


@applied.register
def _(step: Filter, frame: Any) -> Any:
    return frame.filter(scope_of(frame).column(step.condition))


@applied.register
def _(step: Select, frame: Any) -> Any:
    return frame.select(*scope_of(frame).columns(step.items))


@applied.register
def _(step: WithColumn, frame: Any) -> Any:
    return frame.withColumn(step.name, scope_of(frame).column(step.expression))


@applied.register
def _(step: WithColumnRenamed, frame: Any) -> Any:
    return frame.withColumnRenamed(step.old, step.new)


@applied.register
def _(step: Drop, frame: Any) -> Any:
    return frame.drop(*step.columns)


@applied.register
def _(step: Limit, frame: Any) -> Any:
    return frame.limit(step.count)


@applied.register
def _(step: Offset, frame: Any) -> Any:
    return frame.offset(step.count)


@applied.register
def _(step: OrderBy, frame: Any) -> Any:
    return frame.orderBy(*scope_of(frame).columns(step.order))


@applied.register
def _(step: Distinct, frame: Any) -> Any:
    return frame.distinct()


@applied.register
def _(step: Stop, frame: Any) -> Any:
    return frame


@applied.register
def _(step: GroupBy, frame: Any) -> Any:
    scope = scope_of(frame)
    grouped = getattr(frame, step.kind)(*scope.columns(step.grouping))
    return grouped.agg(*scope.columns(step.aggregates))


@applied.register
def _(step: Agg, frame: Any) -> Any:
    return frame.agg(*scope_of(frame).columns(step.aggregates))


@applied.register
def _(step: Join, frame: Any) -> Any:
    other = other_frame(frame, step.other)
    if step.how == "cross" and not step.using and step.condition is None:
        return frame.crossJoin(other)
    if step.condition is None:
        return frame.join(other, list(step.using), step.how)
    scope = Scope(dialect_of(frame.sparkSession), frame, {"left": frame, "right": other})
    return frame.join(other, scope.column(step.condition), step.how)


@applied.register
def _(step: CrossJoin, frame: Any) -> Any:
    return frame.crossJoin(other_frame(frame, step.other))


@applied.register
def _(step: Union, frame: Any) -> Any:
    return frame.union(other_frame(frame, step.other))


@applied.register
def _(step: UnionByName, frame: Any) -> Any:
    return frame.unionByName(other_frame(frame, step.other), allowMissingColumns=step.allow_missing_columns)
