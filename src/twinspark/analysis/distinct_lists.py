"""listagg of distinct values: Spark joins them in the order in which it found them, that of SELECT DISTINCT."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.row_places import ascending
from twinspark.functions.gathering import in_places
from twinspark.plan.expressions import AggregateCall, Expression, Literal
from twinspark.plan.relations import Aggregate, Distinct, Field, Project, Relation
from twinspark.types import BinaryType, StringType


def listed_value(relation: Aggregate) -> Expression | None:
    """What is joined, where that is all that is asked of all rows."""
    calls = [call for call in relation.aggregates if is_distinct_list(call)]
    values = {call.arguments[0] for call in calls if isinstance(call, AggregateCall)}
    alone = not relation.grouping and relation.grouping_sets is None and len(calls) == len(relation.aggregates)
    return values.pop() if alone and len(values) == 1 else None


def is_distinct_list(call: Expression) -> bool:
    if not isinstance(call, AggregateCall) or call.signature.function != "listagg" or not call.distinct:
        return False
    value, *separator = call.arguments
    plain = value.type == StringType() or isinstance(value.type, BinaryType)
    return plain and call.filter is None and not call.ordering and all(isinstance(e, Literal) for e in separator)


def distinct_values(relation: Aggregate, value: Expression) -> Distinct:
    fields = (Field("value", value.type, value.nullable),)
    return Distinct(input=Project(input=relation.input, expressions=(value,), fields=fields), fields=fields)


def listed(relation: Aggregate, numbered: Relation) -> Aggregate:
    """Of distinct values and their places."""
    value, place = numbered.column(0), numbered.columns()[-1]

    def placed(call: Expression) -> Expression:
        assert isinstance(call, AggregateCall)
        return replace(
            call,
            signature=in_places(call.signature),
            distinct=False,
            arguments=(value, *call.arguments[1:]),
            ordering=(ascending(place),),
        )

    return replace(relation, input=numbered, aggregates=tuple(map(placed, relation.aggregates)))
