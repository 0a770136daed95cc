"""Reads pipe operators: each transforms the frame on its left; names dropped by one cannot be referenced later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.basics import Named, find_columns, passed_column
from twinspark.analysis.relations.generators import generate, has_generator
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.sql import tree
from twinspark.read.walk.aggregation import Aggregation
from twinspark.read.walk.conditions import where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.groups import SelectList, check_key
from twinspark.read.walk.lateral_aliases import check_in_generators, check_not_named_before
from twinspark.read.walk.pivots import pivot_frame, unpivot_frame
from twinspark.read.walk.queries import TERMS, Selected, organize, position_of, read_term, set_operation
from twinspark.read.walk.select import OF_THE_SELECT, select_over
from twinspark.read.walk.sources import read_join, sample_frame

Operator = Callable[[Any, Frame, Walk], Frame]
OPERATORS: dict[type, Operator] = {}


def pipes(kind: type) -> Callable[[Operator], Operator]:
    def note(operator: Operator) -> Operator:
        OPERATORS[kind] = operator
        return operator

    return note


def read_pipe(term: tree.Pipe, walk: Walk, organization: Any) -> Selected:
    frame = read_term(term.left, walk).frame
    operator = OPERATORS.get(term.operator.__class__)
    if operator is None:
        raise NotNative(reasons.PIPE_OPERATOR, term.operator.__class__.__name__)
    node = term.operator
    if isinstance(node, tree.PipeDrop | tree.PipeSetOperation):
        node = replace(node, start=term.start)  # their errors have the whole pipe so far as query context
    try:
        made = operator(node, replace(frame, source=None), walk)
    except SparkError as error:
        if "using" in walk.text.lower() and "`.`" in error.parameters.get("objectName", ""):
            raise NotNative(
                reasons.ERROR_MESSAGE, "a qualified column after a USING join in a pipe", likely_error=error
            ) from error
        raise (walk.with_context(error, term) if error.condition in OF_THE_SELECT else error) from error
    return Selected(replace(made, source=None))


TERMS[tree.Pipe] = read_pipe


@pipes(tree.PipeSelect)
def pipe_select(node: tree.PipeSelect, frame: Frame, walk: Walk) -> Frame:
    return select_over(node.select, frame, walk, ()).frame


@pipes(tree.PipeExtend)
def pipe_extend(node: tree.PipeExtend, frame: Frame, walk: Walk) -> Frame:
    if any(isinstance(one, tree.Star) for one in node.projections):
        raise NotNative(reasons.PIPE_OPERATOR, "EXTEND with a star")
    before = [passed_column(frame, a) for a in frame.attributes]
    return project_columns(frame, [*before, *walk.columns(node.projections, walk.scope(frame))], walk)


def project_columns(frame: Frame, columns: list[Named], walk: Walk) -> Frame:
    if any(has_aggregate(c.expression) for c in columns):
        raise NotNative(reasons.ERROR_MESSAGE, "an aggregate function in a pipe operator that allows none")
    if any(has_generator(c.expression) for c in columns):
        check_in_generators(columns)
        return generate(frame, columns, walk.settings)
    return make.project(frame, columns)


@pipes(tree.PipeSet)
def pipe_set(node: tree.PipeSet, frame: Frame, walk: Walk) -> Frame:
    """Applies one assignment after the other: each sees the previous ones."""
    for name, value in node.assignments:
        indexes = find_columns(frame, name, walk.settings)
        if len(indexes) != 1 or isinstance(value, tree.Alias):
            raise NotNative(
                reasons.ERROR_MESSAGE, "the pipe operator SET with a column that does not exist, or occurs twice"
            )
        columns = [passed_column(frame, a) for a in frame.attributes]
        columns[indexes[0]] = Named(walk.read(value, walk.scope(frame)), name)
        frame = replace(project_columns(frame, columns, walk), source=None)
    return frame


@pipes(tree.PipeDrop)
def pipe_drop(node: tree.PipeDrop, frame: Frame, walk: Walk) -> Frame:
    star = tree.Star(node.start, node.stop, (), node.columns)
    return make.project(frame, walk.star(star, walk.scope(frame)))


@pipes(tree.PipeAs)
def pipe_as(node: tree.PipeAs, frame: Frame, walk: Walk) -> Frame:
    return frame.with_qualifier((node.name,))


@pipes(tree.PipeWhere)
def pipe_where(node: tree.PipeWhere, frame: Frame, walk: Walk) -> Frame:
    return where(frame, node.condition, walk)


@pipes(tree.Organization)
def pipe_organization(node: tree.Organization, frame: Frame, walk: Walk) -> Frame:
    return organize(Selected(frame), node, walk)


@pipes(tree.PipeSetOperation)
def pipe_set_operation(node: tree.PipeSetOperation, frame: Frame, walk: Walk) -> Frame:
    return set_operation(frame, read_term(node.right, walk).frame, node, walk)


@pipes(tree.Join)
def pipe_join(node: tree.Join, frame: Frame, walk: Walk) -> Frame:
    try:
        return read_join(node, walk, frame)
    except SparkError as error:
        raise walk.with_context(error, node) from error


@pipes(tree.Pivot)
def pipe_pivot(node: tree.Pivot, frame: Frame, walk: Walk) -> Frame:
    return pivot_frame(node, frame, walk)


@pipes(tree.Unpivot)
def pipe_unpivot(node: tree.Unpivot, frame: Frame, walk: Walk) -> Frame:
    return unpivot_frame(node, frame, walk)


@pipes(tree.Sample)
def pipe_sample(node: tree.Sample, frame: Frame, walk: Walk) -> Frame:
    return sample_frame(frame, node, walk)


@pipes(tree.PipeAggregate)
def pipe_aggregate(node: tree.PipeAggregate, frame: Frame, walk: Walk) -> Frame:
    """The keys, then the aggregates."""
    scope = walk.scope(frame)
    keys = [key(one, frame, walk) for one in node.grouping.expressions] if node.grouping is not None else []
    aggregates = walk.columns(node.aggregates, scope)
    if not all(has_aggregate(c.expression) for c in aggregates):
        raise NotNative(reasons.ERROR_MESSAGE, "the pipe operator AGGREGATE without an aggregate function")
    check_not_named_before(aggregates)
    grouping = tuple(check_key(column.expression) for column in keys)
    return Aggregation(walk, frame, scope, grouping, None, (*keys, *aggregates)).to_frame()


def key(node: Any, frame: Frame, walk: Walk) -> Named:
    """A key under its name; an integer is the ordinal of a column of the frame on the left."""
    if not isinstance(node, tree.Expression):
        raise NotNative(reasons.PIPE_OPERATOR, "AGGREGATE with grouping analytics")
    ordinal = position_of(node, walk, "spark.sql.groupByOrdinal")
    if ordinal is None:
        made = walk.column(node, walk.scope(frame))
        if has_aggregate(made.expression):
            raise NotNative(reasons.PIPE_OPERATOR, "AGGREGATE with an aggregate function as grouping key")
        return made
    listed = [passed_column(frame, a) for a in frame.attributes]
    SelectList(listed, ()).at(ordinal, node, walk.scope(frame), walk)
    return listed[ordinal - 1]
