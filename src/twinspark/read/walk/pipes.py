"""Walks pipe operators: each takes the frame on its left and makes the next; nothing left behind can be reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.generators import generate, has_generator
from twinspark.analysis.relations import Named, find_columns, passing
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative, SparkError
from twinspark.read.sql import tree
from twinspark.read.walk.aggregation import Aggregation
from twinspark.read.walk.conditions import where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.groups import List, checked
from twinspark.read.walk.lateral_aliases import check_in_generators, check_not_named_before
from twinspark.read.walk.pivots import pivoted, unpivoted
from twinspark.read.walk.queries import TERMS, Selected, organized, position_of, read_term, set_operation
from twinspark.read.walk.select import OF_THE_SELECT, select_over
from twinspark.read.walk.sources import read_join, sampled

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
        raise NotNative(f"SQL: |> {term.operator.__class__.__name__}")
    node = term.operator
    if isinstance(node, tree.PipeDrop | tree.PipeSetOperation):
        node = replace(node, start=term.start)  # what they refuse Spark shows with all before it
    try:
        made = operator(node, replace(frame, source=None), walk)
    except SparkError as error:
        if "using" in walk.text.lower() and "`.`" in error.parameters.get("objectName", ""):
            raise NotNative("SQL: how far a side's column is known behind a join by USING", nearest=error) from error
        raise (walk.located(error, term) if error.condition in OF_THE_SELECT else error) from error
    return Selected(replace(made, source=None))


TERMS[tree.Pipe] = read_pipe


@pipes(tree.PipeSelect)
def pipe_select(node: tree.PipeSelect, frame: Frame, walk: Walk) -> Frame:
    return select_over(node.select, frame, walk, ()).frame


@pipes(tree.PipeExtend)
def pipe_extend(node: tree.PipeExtend, frame: Frame, walk: Walk) -> Frame:
    if any(isinstance(one, tree.Star) for one in node.projections):
        raise NotNative("SQL: |> EXTEND *")
    before = [passing(frame, a) for a in frame.attributes]
    return projected(frame, [*before, *walk.columns(node.projections, walk.scope(frame))], walk)


def projected(frame: Frame, columns: list[Named], walk: Walk) -> Frame:
    if any(has_aggregate(c.expression) for c in columns):
        raise NotNative("SQL: an aggregate in a pipe operator that takes none")
    if any(has_generator(c.expression) for c in columns):
        check_in_generators(columns)
        return generate(frame, columns, walk.settings)
    return make.project(frame, columns)


@pipes(tree.PipeSet)
def pipe_set(node: tree.PipeSet, frame: Frame, walk: Walk) -> Frame:
    """One assignment after the other: the next sees the last."""
    for name, value in node.assignments:
        places = find_columns(frame, name, walk.settings)
        if len(places) != 1 or isinstance(value, tree.Alias):
            raise NotNative("SQL: |> SET of a column that is not there, or more than once")
        columns = [passing(frame, a) for a in frame.attributes]
        columns[places[0]] = Named(walk.read(value, walk.scope(frame)), name)
        frame = replace(projected(frame, columns, walk), source=None)
    return frame


@pipes(tree.PipeDrop)
def pipe_drop(node: tree.PipeDrop, frame: Frame, walk: Walk) -> Frame:
    star = tree.Star(node.start, node.stop, (), node.columns)
    return make.project(frame, walk.star(star, walk.scope(frame)))


@pipes(tree.PipeAs)
def pipe_as(node: tree.PipeAs, frame: Frame, walk: Walk) -> Frame:
    return frame.qualified((node.name,))


@pipes(tree.PipeWhere)
def pipe_where(node: tree.PipeWhere, frame: Frame, walk: Walk) -> Frame:
    return where(frame, node.condition, walk)


@pipes(tree.Organization)
def pipe_organization(node: tree.Organization, frame: Frame, walk: Walk) -> Frame:
    return organized(Selected(frame), node, walk)


@pipes(tree.PipeSetOperation)
def pipe_set_operation(node: tree.PipeSetOperation, frame: Frame, walk: Walk) -> Frame:
    return set_operation(frame, read_term(node.right, walk).frame, node, walk)


@pipes(tree.Join)
def pipe_join(node: tree.Join, frame: Frame, walk: Walk) -> Frame:
    try:
        return read_join(node, walk, frame)
    except SparkError as error:
        raise walk.located(error, node) from error


@pipes(tree.Pivot)
def pipe_pivot(node: tree.Pivot, frame: Frame, walk: Walk) -> Frame:
    return pivoted(node, frame, walk)


@pipes(tree.Unpivot)
def pipe_unpivot(node: tree.Unpivot, frame: Frame, walk: Walk) -> Frame:
    return unpivoted(node, frame, walk)


@pipes(tree.Sample)
def pipe_sample(node: tree.Sample, frame: Frame, walk: Walk) -> Frame:
    return sampled(frame, node, walk)


@pipes(tree.PipeAggregate)
def pipe_aggregate(node: tree.PipeAggregate, frame: Frame, walk: Walk) -> Frame:
    """The keys, then the aggregates."""
    scope = walk.scope(frame)
    keys = [key(one, frame, walk) for one in node.grouping.expressions] if node.grouping is not None else []
    aggregates = walk.columns(node.aggregates, scope)
    if not all(has_aggregate(c.expression) for c in aggregates):
        raise NotNative("SQL: |> AGGREGATE of what is no aggregate")
    check_not_named_before(aggregates)
    grouping = tuple(checked(column.expression) for column in keys)
    return Aggregation(walk, frame, scope, grouping, None, (*keys, *aggregates)).closed()


def key(node: Any, frame: Frame, walk: Walk) -> Named:
    """A key under its name; a whole number is a column of the frame on the left."""
    if not isinstance(node, tree.Expression):
        raise NotNative("SQL: grouping analytics in |> AGGREGATE")
    place = position_of(node, walk, "spark.sql.groupByOrdinal")
    if place is None:
        made = walk.column(node, walk.scope(frame))
        if has_aggregate(made.expression):
            raise NotNative("SQL: an aggregate as a key of |> AGGREGATE")
        return made
    listed = [passing(frame, a) for a in frame.attributes]
    List(listed, ()).at(place, node, walk.scope(frame), walk)
    return listed[place - 1]
