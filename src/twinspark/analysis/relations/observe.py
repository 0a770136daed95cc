"""Builds observed relations (DataFrame.observe): passes rows on and computes named aggregates over them."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import aggregate, has_aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import AggregateCall, Subquery, WindowCall
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Observe,
    Project,
    Relation,
    Sort,
    Window,
)
from twinspark.plan.rewrite import walk
from twinspark.types import MapType, StructType

# Relations that read all of their input; below others Spark may have seen only some of the rows.
THOROUGH = (Project, Filter, Sort, Aggregate, Window, Distinct, Observe)


def observe(frame: Frame, name: str, metrics: Sequence[Named]) -> Frame:
    for metric in metrics:
        check_metric(metric)
    aggregation = aggregate(frame, [], metrics).plain()
    return make.over(frame, lambda input: Observe(input=input, name=name, metrics=aggregation, fields=input.fields))


def check_metric(metric: Named) -> None:
    """Falls back for metrics that are not plain aggregates, for which Spark has its own errors."""
    nodes = list(walk(metric.expression))
    odd = any(isinstance(n, WindowCall | Subquery) or (isinstance(n, AggregateCall) and is_odd(n)) for n in nodes)
    if isinstance(metric.expression.type, StructType | MapType):
        raise NotNative(reasons.OBSERVATION, "a metric that is a struct or a map")
    if odd or not has_aggregate(metric.expression):
        raise NotNative(reasons.OBSERVATION, "a metric that is not a plain aggregate function")


def is_odd(call: AggregateCall) -> bool:
    return call.distinct or any(isinstance(inner, AggregateCall) for inner in walk(call) if inner is not call)


def observations(plan: Relation) -> list[Observe]:
    """The observed relations of a plan; all of their rows must be read for the metrics to be complete."""
    found = [plan] if isinstance(plan, Observe) else []
    for below in plan.inputs:
        inner = observations(below)
        if inner and not isinstance(plan, THOROUGH):
            raise NotNative(reasons.OBSERVATION, "an operation above the observed rows may not read all of them")
        found += inner
    if len({each.name for each in found}) < len(found):
        raise NotNative(reasons.OBSERVATION, "two observations with the same name")
    return found
