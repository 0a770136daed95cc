"""Makes observed relations: rows pass, and named aggregates over them are told when they have (DataFrame.observe)."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import aggregate, has_aggregate
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
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

# What runs through all of its input; under anything else Spark may have seen only some of the rows.
THOROUGH = (Project, Filter, Sort, Aggregate, Window, Distinct, Observe)


def observe(frame: Frame, name: str, metrics: Sequence[Named]) -> Frame:
    for metric in metrics:
        check_metric(metric)
    told = aggregate(frame, [], metrics).plain()
    return make.over(frame, lambda input: Observe(input=input, name=name, metrics=told, fields=input.fields))


def check_metric(metric: Named) -> None:
    """Spark refuses whatever is not a plain aggregate, in words of its own."""
    nodes = list(walk(metric.expression))
    odd = any(isinstance(n, WindowCall | Subquery) or (isinstance(n, AggregateCall) and is_odd(n)) for n in nodes)
    if isinstance(metric.expression.type, StructType | MapType):
        raise NotNative("an observed metric that is a struct or a map")
    if odd or not has_aggregate(metric.expression):
        raise NotNative("an observed metric that is no plain aggregate")


def is_odd(call: AggregateCall) -> bool:
    return call.distinct or any(isinstance(inner, AggregateCall) for inner in walk(call) if inner is not call)


def observations(plan: Relation) -> list[Observe]:
    """The observed relations of a plan, which must have run through to tell."""
    found = [plan] if isinstance(plan, Observe) else []
    for below in plan.inputs:
        inner = observations(below)
        if inner and not isinstance(plan, THOROUGH):
            raise NotNative("observed rows that may not all be asked for")
        found += inner
    if len({each.name for each in found}) < len(found):
        raise NotNative("two observations of one name")
    return found
