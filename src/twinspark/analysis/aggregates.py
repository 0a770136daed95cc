"""Makes aggregations: calls are taken out of the output expressions, the rest is a projection over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.canonical import position
from twinspark.analysis.determinism import check_aggregate
from twinspark.analysis.names import LATERAL
from twinspark.analysis.nullable_keys import typed_again
from twinspark.analysis.outer import map_outer
from twinspark.analysis.relations import Named, positions
from twinspark.analysis.scope import Frame, deeper
from twinspark.analysis.time_windows import in_windows
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    Column,
    Expression,
    Lambda,
    Literal,
    OuterColumn,
    Subquery,
    WindowCall,
    children_of,
    with_text,
)
from twinspark.plan.relations import Aggregate, Field, Filter, OneRow, Project, Relation, expressions_in
from twinspark.plan.rewrite import Rule, map_children, walk
from twinspark.types import DoubleType, FloatType

GroupingSets = tuple[tuple[int, ...], ...]


def has_aggregate(expression: Expression) -> bool:
    """An aggregate call outside windows (inside a window's own arguments it counts)."""
    if isinstance(expression, WindowCall):
        inner = (*expression.function.arguments, *expression.partition, *(o.child for o in expression.ordering))
        return any(map(has_aggregate, inner))
    return isinstance(expression, AggregateCall) or any(map(has_aggregate, children_of(expression)))


def aggregate(
    frame: Frame,
    grouping: Sequence[Expression],
    outputs: Sequence[Named],
    grouping_sets: GroupingSets | None = None,
    is_filtered: bool = False,
) -> Frame:
    """Outputs are any expressions made of grouping expressions and aggregate calls. `is_filtered`: the last one is a
    condition that says which groups there are, before windows look at them."""
    frame, grouping, outputs = in_windows(frame, grouping, outputs)
    calls = distinct(call for output in outputs for call in calls_in(output.expression))
    keys = [grouped(key, i, grouping_sets) for i, key in enumerate(grouping)]
    columns = [
        Named(above(o.expression, grouping, keys, calls, grouping_sets), o.name, o.told, o.passes, o.names, o.is_whole)
        for o in outputs
    ]
    if not calls and not grouping and grouping_sets is None:
        if any(isinstance(e, Call | Cast) for e in expressions_in(frame.relation)):
            raise NotNative("one group of rows whose computation may fail")
        relation: Relation = OneRow()  # HAVING without GROUP BY: one group of all rows
    else:
        relation = Aggregate(
            input=frame.relation,
            grouping=tuple(grouping),
            aggregates=tuple(with_grouping(call, grouping, grouping_sets) for call in calls),
            grouping_sets=grouping_sets,
            fields=tuple(Field(e.text, e.type, e.nullable) for e in (*keys, *calls)),
        )
    if is_filtered:
        relation = Filter(input=relation, condition=columns.pop().expression, fields=relation.fields)
    return projected(frame, relation, columns)


def with_grouping(call: AggregateCall, grouping: Sequence[Expression], sets: GroupingSets | None) -> AggregateCall:
    """grouping() and grouping_id() ask about the keys; grouping_id() without arguments about all of them."""
    if call.name not in ("grouping", "grouping_id"):
        return call
    asked = call.arguments or tuple(grouping)
    known = all(key in grouping and not key.text.startswith(LATERAL) for key in asked)
    if sets is None or call.filter is not None or not known:
        raise NotNative(f"{call.name} of what is no key of grouping sets")
    if call.name == "grouping_id" and asked != tuple(grouping):
        raise NotNative("grouping_id of other keys than the grouping's")
    if any(isinstance(key.type, FloatType | DoubleType) or isinstance(key, Literal) for key in asked):
        raise NotNative(f"{call.name} of doubles or constants")  # their keys are written otherwise
    return replace(call, arguments=asked)


def grouped(key: Expression, index: int, grouping_sets: GroupingSets | None) -> Expression:
    """A key that some grouping set leaves out may be null."""
    always = grouping_sets is None or all(index in one for one in grouping_sets)
    return key if always else replace(key, nullable=True)


def projected(frame: Frame, relation: Relation, columns: Sequence[Named]) -> Frame:
    attributes = tuple(column.attribute() for column in columns)
    seen: set[int] = set()
    distinct = []
    for attribute in attributes:
        distinct.append(attribute.renewed() if attribute.id in seen else attribute)
        seen.add(attribute.id)
    attributes = tuple(distinct)
    project = Project(
        input=relation,
        expressions=tuple(column.expression for column in columns),
        fields=tuple(a.as_field() for a in attributes),
    )
    return Frame(project, attributes, positions(attributes), plans=deeper(frame.plans, attributes))


def calls_in(expression: Expression) -> Iterator[AggregateCall]:
    if isinstance(expression, WindowCall):
        for inner in (*expression.function.arguments, *expression.partition, *(o.child for o in expression.ordering)):
            yield from calls_in(inner)
    elif isinstance(expression, AggregateCall):
        check_not_nested(expression)
        check_aggregate(expression)
        yield expression
    else:
        for child in children_of(expression):
            yield from calls_in(child)


def distinct(calls: Iterable[AggregateCall]) -> list[AggregateCall]:
    """Each once. Only calls over the same columns and constants are compared part by part, for lists may be long."""
    found: list[AggregateCall] = []
    alike: dict[tuple[Any, ...], list[tuple[list[Any], AggregateCall]]] = {}
    for call in calls:
        leaves = [getattr(node, LEAVES[node.__class__]) for node in walk(call) if node.__class__ in LEAVES]
        columns = tuple(node.index for node in walk(call) if node.__class__ is Column)
        known = alike.setdefault((call.name, columns), [])
        if not any(leaves == these and call == one for these, one in known):
            known.append((leaves, call))
            found.append(call)
    return found


LEAVES: dict[type[Expression], str] = {Column: "index", Literal: "value"}


def check_not_nested(call: AggregateCall) -> None:
    if any(has_aggregate(child) for child in children_of(call)):
        raise SparkError("NESTED_AGGREGATE_FUNCTION")


def above(
    expression: Expression,
    grouping: Sequence[Expression],
    keys: Sequence[Expression],
    calls: Sequence[AggregateCall],
    sets: GroupingSets | None,
) -> Expression:
    """The expression over the aggregation's own columns."""

    def ungrouped(node: Expression) -> Expression:
        """Inside an aggregate of a window the keys of grouping sets are no columns (ResolveGroupingAnalytics)."""
        if isinstance(node, AggregateCall | Column):
            return rule(node) if isinstance(node, AggregateCall) else missing(node)
        return map_children(node, ungrouped)

    def missing(node: Column) -> Expression:
        raise missing_aggregation(node, bool(grouping))

    def rule(node: Expression) -> Expression:
        index = position(node, grouping)
        if index is not None and (not isinstance(node, Literal) or keys[index].nullable):  # else it is what it is
            return Column(type=keys[index].type, nullable=keys[index].nullable, text=node.text, index=index)
        if isinstance(node, WindowCall):
            is_apart = sets is not None and isinstance(node.function, AggregateCall)
            made = replace(
                node,
                function=mapped_call(node.function, ungrouped if is_apart else rule),
                partition=tuple(map(rule, node.partition)),
                ordering=tuple(replace(o, child=rule(o.child)) for o in node.ordering),
            )
            return typed_again(node, made) if sets is not None else made
        if isinstance(node, AggregateCall):
            index = len(grouping) + place(node, calls)
            return Column(type=node.type, nullable=node.nullable, text=node.text, index=index)
        if isinstance(node, Column):
            return missing(node)
        if isinstance(node, Lambda):
            return replace(node, body=rule(node.body))
        if isinstance(node, Subquery):
            return above_subquery(node, rule)
        over = map_children(node, rule)
        return typed_again(node, over) if sets is not None else over

    made = rule(expression)
    return with_text(made, expression.text)


def place(call: AggregateCall, calls: Sequence[AggregateCall]) -> int:
    """Mostly it is one of them: only if not are they compared part by part."""
    found = next((i for i, one in enumerate(calls) if one is call), None)
    return calls.index(call) if found is None else found


def above_subquery(node: Subquery, rule: Rule) -> Expression:
    """A subquery over the groups sees the groups' columns."""

    def moved(outer: OuterColumn) -> Expression:
        column = rule(Column(type=outer.type, nullable=outer.nullable, text=outer.text, index=outer.index))
        if not isinstance(column, Column):
            raise NotNative("a subquery that uses what is no column of the groups")
        return replace(outer, index=column.index, nullable=column.nullable)

    made = map_children(node, rule)
    assert isinstance(made, Subquery)
    return replace(made, relation=map_outer(made.relation, moved))


def missing_aggregation(column: Column, is_grouped: bool) -> SparkError:
    if not is_grouped:
        return SparkError("MISSING_GROUP_BY")
    return SparkError(
        "MISSING_AGGREGATION", expression=quoted(column.text), expressionAnyValue=quoted(f"any_value({column.text})")
    )


def mapped_call(call: Call, rule: Rule) -> Call:
    made = map_children(call, rule)
    again = made if isinstance(call, AggregateCall) else typed_again(call, made)
    assert isinstance(again, Call)
    return again
