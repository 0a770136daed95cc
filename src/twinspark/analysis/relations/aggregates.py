"""Builds aggregations: extracts aggregate calls from the output expressions and projects the rest over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from twinspark.analysis.expressions.canonical import position
from twinspark.analysis.expressions.determinism import check_aggregate
from twinspark.analysis.expressions.nullable_keys import typed_again
from twinspark.analysis.relations.basics import Named, distinct_ids, positions
from twinspark.analysis.relations.time_windows import in_windows
from twinspark.analysis.scope.frames import Attributes, Frame, FrameSource, deeper
from twinspark.analysis.scope.names import LATERAL
from twinspark.analysis.scope.outer_references import map_outer
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
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
    """Whether there is an aggregate call outside window functions, or in the arguments of one."""
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
    """Outputs are expressions over grouping expressions and aggregate calls. `is_filtered`: the last output is the
    HAVING condition, which filters groups before windows are computed."""
    frame, grouping, outputs = in_windows(frame, grouping, outputs)
    calls = distinct(call for output in outputs for call in calls_in(output.expression))
    keys = [nullable_key(key, i, grouping_sets) for i, key in enumerate(grouping)]
    columns = [
        Named(
            over_groups(o.expression, grouping, keys, calls, grouping_sets),
            o.name,
            o.output_metadata,
            o.passes,
            o.names,
            o.is_whole,
        )
        for o in outputs
    ]
    if not calls and not grouping and grouping_sets is None:
        if any(isinstance(e, Call | Cast) for e in expressions_in(frame.relation)):
            raise NotNative(reasons.ERROR_TIMING, "a global aggregate over rows whose computation may fail")
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
    return project_groups(frame, relation, columns, tuple(grouping))


def key_columns(frame: Frame, grouping: Sequence[Expression]) -> dict[int, int]:
    """The attributes that are grouping keys, with their indexes among the keys."""
    indexes = {key.index: i for i, key in enumerate(grouping) if isinstance(key, Column)}
    return {a.id: indexes[frame.slots[a.id]] for a in frame.attributes if frame.slots[a.id] in indexes}


def with_grouping(call: AggregateCall, grouping: Sequence[Expression], sets: GroupingSets | None) -> AggregateCall:
    """Gives grouping() and grouping_id() the keys as arguments; grouping_id() without arguments takes all of them."""
    if call.name not in ("grouping", "grouping_id"):
        return call
    keys = call.arguments or tuple(grouping)
    known = all(key in grouping and not key.text.startswith(LATERAL) for key in keys)
    if sets is None or call.filter is not None or not known:
        raise NotNative(reasons.GROUPING_SETS, f"{call.name} of an expression that is not a grouping column")
    if call.name == "grouping_id" and keys != tuple(grouping):
        raise NotNative(reasons.GROUPING_SETS, "grouping_id of other columns than the grouping columns")
    if any(isinstance(key.type, FloatType | DoubleType) or isinstance(key, Literal) for key in keys):
        # Keys of these types are rewritten in SQL.
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of doubles or constants")
    return replace(call, arguments=keys)


def nullable_key(key: Expression, index: int, grouping_sets: GroupingSets | None) -> Expression:
    """A key that some grouping set leaves out is nullable."""
    always = grouping_sets is None or all(index in one for one in grouping_sets)
    return key if always else replace(key, nullable=True)


def project_groups(
    frame: Frame, relation: Relation, columns: Sequence[Named], grouping: tuple[Expression, ...]
) -> Frame:
    """The select list over the groups; grouping keys that it does not contain can still be resolved above."""
    keys = key_columns(frame, grouping)
    attributes = distinct_ids(tuple(column.attribute() for column in columns))

    def rebuild(below: Frame, new: Attributes, earlier: Attributes = ()) -> Frame | None:
        if any(a.id not in keys for a in new):
            return None
        if new and isinstance(relation, Aggregate) and relation.grouping_sets is not None:
            raise NotNative(reasons.GROUPING_SETS, "a grouping column that is not selected")
        extra = (*earlier, *(a for a in new if all(a.id != e.id for e in earlier)))
        shown = (*attributes, *extra)
        project = Project(
            input=relation,
            expressions=(*(column.expression for column in columns), *(relation.column(keys[a.id]) for a in extra)),
            fields=tuple(a.as_field() for a in shown),
        )
        source = FrameSource(frame, partial(rebuild, earlier=extra), grouping)
        return Frame(project, attributes, positions(shown), plans=deeper(frame.plans, attributes), source=source)

    made = rebuild(frame, ())
    assert made is not None
    return made


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
    """Removes duplicate calls. Only calls over the same columns and constants are compared in full, since lists may be
    long."""
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


def over_groups(
    expression: Expression,
    grouping: Sequence[Expression],
    keys: Sequence[Expression],
    calls: Sequence[AggregateCall],
    sets: GroupingSets | None,
) -> Expression:
    """Rewrites an expression over the aggregation's output columns."""

    def resolve_ungrouped(node: Expression) -> Expression:
        """Inside an aggregate used as a window function, the keys of grouping sets cannot be referenced
        (ResolveGroupingAnalytics)."""
        if isinstance(node, AggregateCall | Column):
            return rule(node) if isinstance(node, AggregateCall) else missing(node)
        return map_children(node, resolve_ungrouped)

    def missing(node: Column) -> Expression:
        raise missing_aggregation(node, bool(grouping))

    def rule(node: Expression) -> Expression:
        index = position(node, grouping)
        # other literals stay literals
        if index is not None and (not isinstance(node, Literal) or keys[index].nullable):
            return Column(type=keys[index].type, nullable=keys[index].nullable, text=node.text, index=index)
        if isinstance(node, WindowCall):
            is_apart = sets is not None and isinstance(node.function, AggregateCall)
            made = replace(
                node,
                function=mapped_call(node.function, resolve_ungrouped if is_apart else rule),
                partition=tuple(map(rule, node.partition)),
                ordering=tuple(replace(o, child=rule(o.child)) for o in node.ordering),
            )
            return typed_again(node, made) if sets is not None else made
        if isinstance(node, AggregateCall):
            index = len(grouping) + call_index(node, calls)
            return Column(type=node.type, nullable=node.nullable, text=node.text, index=index)
        if isinstance(node, Column):
            return missing(node)
        if isinstance(node, Lambda):
            return replace(node, body=rule(node.body))
        if isinstance(node, Subquery):
            return subquery_over_groups(node, rule)
        over = map_children(node, rule)
        return typed_again(node, over) if sets is not None else over

    made = rule(expression)
    return with_text(made, expression.text)


def call_index(call: AggregateCall, calls: Sequence[AggregateCall]) -> int:
    """Compares by identity first, since that nearly always succeeds."""
    found = next((i for i, one in enumerate(calls) if one is call), None)
    return calls.index(call) if found is None else found


def subquery_over_groups(node: Subquery, rule: Rule) -> Expression:
    """Rewrites outer references of a subquery over groups to the columns of the groups."""

    def move_outer(outer: OuterColumn) -> Expression:
        column = rule(Column(type=outer.type, nullable=outer.nullable, text=outer.text, index=outer.index))
        if not isinstance(column, Column):
            raise NotNative(reasons.SUBQUERY_CORRELATED, "a subquery uses a column that is not a grouping column")
        return replace(outer, index=column.index, nullable=column.nullable)

    made = map_children(node, rule)
    assert isinstance(made, Subquery)
    return replace(made, relation=map_outer(made.relation, move_outer))


def missing_aggregation(column: Column, is_grouped: bool) -> SparkError:
    if not is_grouped:
        return SparkError("MISSING_GROUP_BY")
    return SparkError(
        "MISSING_AGGREGATION",
        expression=quote_expression(column.text),
        expressionAnyValue=quote_expression(f"any_value({column.text})"),
    )


def mapped_call(call: Call, rule: Rule) -> Call:
    made = map_children(call, rule)
    again = made if isinstance(call, AggregateCall) else typed_again(call, made)
    assert isinstance(again, Call)
    return again
