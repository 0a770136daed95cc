"""listagg(DISTINCT ...) concatenates values in the order in which Spark found them, which is that of SELECT
DISTINCT."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.partitions.row_positions import ascending
from twinspark.functions.aggregates.collect import listagg_by_position
from twinspark.plan.expressions import AggregateCall, Expression, Literal
from twinspark.plan.relations import Aggregate, Distinct, Field, Project, Relation
from twinspark.types import BinaryType, StringType


def listagg_value(relation: Aggregate) -> Expression | None:
    """The value of the listagg, if the aggregate has no groups and computes only listagg(DISTINCT) of that one
    value."""
    calls = [call for call in relation.aggregates if is_distinct_listagg(call)]
    values = {call.arguments[0] for call in calls if isinstance(call, AggregateCall)}
    alone = not relation.grouping and relation.grouping_sets is None and len(calls) == len(relation.aggregates)
    return values.pop() if alone and len(values) == 1 else None


def is_distinct_listagg(call: Expression) -> bool:
    if not isinstance(call, AggregateCall) or call.signature.function != "listagg" or not call.distinct:
        return False
    value, *separator = call.arguments
    plain = value.type == StringType() or isinstance(value.type, BinaryType)
    return plain and call.filter is None and not call.ordering and all(isinstance(e, Literal) for e in separator)


def distinct_values(relation: Aggregate, value: Expression) -> Distinct:
    fields = (Field("value", value.type, value.nullable),)
    return Distinct(input=Project(input=relation.input, expressions=(value,), fields=fields), fields=fields)


def listagg_in_order(relation: Aggregate, numbered: Relation) -> Aggregate:
    """Aggregates over distinct values, in the order of their positions."""
    value, position = numbered.column(0), numbered.columns()[-1]

    def with_ordering(call: Expression) -> Expression:
        assert isinstance(call, AggregateCall)
        return replace(
            call,
            signature=listagg_by_position(call.signature),
            distinct=False,
            arguments=(value, *call.arguments[1:]),
            ordering=(ascending(position),),
        )

    return replace(relation, input=numbered, aggregates=tuple(map(with_ordering, relation.aggregates)))
