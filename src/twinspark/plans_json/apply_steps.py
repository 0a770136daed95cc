"""Applies the steps of a JSON plan to a DataFrame: one function for each kind of step."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from twinspark.plans_json.columns import Scope
from twinspark.plans_json.dialect import dialect_of
from twinspark.plans_json.input_data import frame_of
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
class StepInput:
    """The input of a step, a DataFrame with the same columns but no rows for analysis, and the second input, if any."""

    frame: Any
    typed: Any
    other: Any = None

    @property
    def scope(self) -> Scope:
        return Scope(dialect_of(self.frame.sparkSession), self.typed, {"left": self.frame, "right": self.other})


def other_frame(session: Any, step: Step) -> Any:
    """The second input of a step, such as a join, or None."""
    if isinstance(step, Join | CrossJoin | Union | UnionByName):
        return frame_of(session, step.other.data, step.other.schema)
    return None


@singledispatch
def apply_step(step: Step, given: StepInput) -> Any:
    raise TypeError(f"{type(step).__name__} is not a step")


@apply_step.register
def apply_filter(step: Filter, given: StepInput) -> Any:
    return given.frame.filter(given.scope.column(step.condition))


@apply_step.register
def apply_select(step: Select, given: StepInput) -> Any:
    return given.frame.select(*given.scope.columns(step.items))


@apply_step.register
def apply_with_column(step: WithColumn, given: StepInput) -> Any:
    return given.frame.withColumn(step.name, given.scope.column(step.expression))


@apply_step.register
def apply_with_column_renamed(step: WithColumnRenamed, given: StepInput) -> Any:
    return given.frame.withColumnRenamed(step.old, step.new)


@apply_step.register
def apply_drop(step: Drop, given: StepInput) -> Any:
    return given.frame.drop(*step.columns)


@apply_step.register
def apply_limit(step: Limit, given: StepInput) -> Any:
    return given.frame.limit(step.count)


@apply_step.register
def apply_offset(step: Offset, given: StepInput) -> Any:
    return given.frame.offset(step.count)


@apply_step.register
def apply_order_by(step: OrderBy, given: StepInput) -> Any:
    return given.frame.orderBy(*given.scope.columns(step.order))


@apply_step.register
def apply_distinct(step: Distinct, given: StepInput) -> Any:
    return given.frame.distinct()


@apply_step.register
def apply_stop(step: Stop, given: StepInput) -> Any:
    return given.frame


@apply_step.register
def apply_group_by(step: GroupBy, given: StepInput) -> Any:
    grouped = getattr(given.frame, step.kind)(*given.scope.columns(step.grouping))
    return grouped.agg(*given.scope.columns(step.aggregates))


@apply_step.register
def apply_agg(step: Agg, given: StepInput) -> Any:
    return given.frame.agg(*given.scope.columns(step.aggregates))


@apply_step.register
def apply_join(step: Join, given: StepInput) -> Any:
    if step.how == "cross" and not step.using and step.condition is None:
        return given.frame.crossJoin(given.other)
    if step.condition is None:
        return given.frame.join(given.other, list(step.using), step.how)
    return given.frame.join(given.other, given.scope.column(step.condition), step.how)


@apply_step.register
def apply_cross_join(step: CrossJoin, given: StepInput) -> Any:
    return given.frame.crossJoin(given.other)


@apply_step.register
def apply_union(step: Union, given: StepInput) -> Any:
    return given.frame.union(given.other)


@apply_step.register
def apply_union_by_name(step: UnionByName, given: StepInput) -> Any:
    return given.frame.unionByName(given.other, allowMissingColumns=step.allow_missing_columns)
