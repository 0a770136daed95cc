"""Finds all errors of a query that fails analysis, since Spark may report another one of them first.

Spark resolves a query in rounds. Some errors are raised in the round that finds them, wherever in the query they are;
unresolved names and type mismatches are reported only after all rounds, from the bottom up (CheckAnalysis). So the
query is read again, and each part that fails is replaced by an unknown value over which nothing else can fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from twinspark.analysis.expressions.literals import literal
from twinspark.analysis.relations import joins
from twinspark.analysis.relations.basics import Named, with_automatic_name
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError
from twinspark.functions.notation.registry import SPARK
from twinspark.plan.expressions import Call, Expression, spark_only
from twinspark.plan.relations import OneRow, Relation
from twinspark.read.sql import tree
from twinspark.read.walk.conditions import where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.groups import SelectList, read_grouping
from twinspark.read.walk.queries import Selected, organize, read_term, set_operation, with_ctes
from twinspark.read.walk.select import named_windows, select_over, with_select_context
from twinspark.read.walk.sources import (
    KINDS,
    join_condition,
    read_from,
    read_source,
    sample_frame,
    with_alias,
    with_lateral_views,
)

Made = TypeVar("Made")
Problem = SparkError | NotNative
UNKNOWN = Relation(fields=())  # stands for a relation that failed


@dataclass
class Problems:
    """The errors in the order of reading, and the number of parts that were replaced by unknown values."""

    found: list[Problem] = field(default_factory=list)
    unknown: int = 0
    unchecked: int = 0  # calls over unknown values, which may have errors of their own
    is_partial: bool = False  # part of the query was read only up to its first error

    def note(self, problem: Problem, before: int) -> None:
        """Ignores errors that are caused by an unknown value."""
        if self.unknown == before:
            self.add(problem)
        self.unknown += 1

    def add(self, problem: Problem) -> None:
        """Nothing twice."""
        if not any(map(same_as(problem), self.found)):
            self.found.append(problem)


def same_as(problem: Problem) -> Callable[[Problem], bool]:
    def same(other: Problem) -> bool:
        if isinstance(problem, NotNative) and isinstance(other, NotNative):
            return (problem.cause, problem.where) == (other.cause, other.where)
        if not isinstance(problem, SparkError) or not isinstance(other, SparkError):
            return False
        return (problem.condition, problem.contexts) == (other.condition, other.contexts)

    return same


@dataclass(frozen=True)
class Search(Walk):
    """Reads on after an error."""

    problems: Problems = field(default_factory=Problems)

    def column(self, node: tree.Expression, scope: Scope) -> Named:
        before, count = self.problems.unknown, len(self.problems.found)
        try:
            made = super().column(node, scope)
            self.check_spark_only(made.expression, node)
        except (SparkError, NotNative) as problem:
            is_own = self.problems.unknown == before
            self.problems.note(problem, before)
            self.search_parts(node, scope, is_own)
            made = with_automatic_name(literal(None))
        if self.problems.unknown > before and len(self.problems.found) == count and not isinstance(node, PLAIN):
            self.problems.unchecked += 1
        return made

    def check_spark_only(self, made: Expression, node: tree.Expression) -> None:
        """The type of the call is known, so the walk goes on with it."""
        if isinstance(made, Call) and made.signature.writer is SPARK:
            why = spark_only(made)
            why.at(self.text[node.start : node.stop])
            self.problems.add(why)

    def search_parts(self, node: tree.Expression, scope: Scope, is_own: bool) -> None:
        """Reads the arguments that were not read because the node failed before."""
        if not isinstance(node, tree.Function):
            return
        for argument in node.arguments:
            if isinstance(argument, tree.Lambda):
                self.read(argument.body, self.scope(unknown_frame()))
            elif is_own and not isinstance(argument, tree.Star):
                self.read(argument, scope)
        if isinstance(node.over, tree.WindowDefinition):
            self.reads([*node.over.partition, *(item.child for item in node.over.order)], scope)

    def scope(self, frame: Frame, **facts: Any) -> Scope:
        if frame.relation is UNKNOWN:
            facts["first"] = self.unknown_column
        return super().scope(frame, **facts)

    def star(self, node: tree.Star, scope: Scope, is_listed: bool = False) -> list[Named]:
        if scope.frame.relation is UNKNOWN:
            self.problems.unknown += 1
            self.problems.unchecked += bool(node.target)
            return []
        try:
            return super().star(node, scope, is_listed)
        except (SparkError, NotNative) as problem:
            self.problems.note(problem, self.problems.unknown)
            return []

    def unknown_column(self, scope: Scope, parts: Sequence[str]) -> Named:
        """A column of an unknown relation: whether it exists cannot be checked."""
        self.problems.unknown += 1
        return with_automatic_name(literal(None))

    def attempt(self, make: Callable[[], Made], otherwise: Made, context_node: tree.Node | None = None) -> Made:
        """The result of `make`, or `otherwise` if part of it is unknown."""
        before = self.problems.unknown
        try:
            made = make()
        except (SparkError, NotNative) as problem:
            if context_node is not None and isinstance(problem, SparkError):
                self.with_context(problem, context_node)
            self.problems.note(problem, before)
        return made if self.problems.unknown == before else otherwise


PLAIN = (tree.Column, tree.Alias)


def unknown_frame() -> Frame:
    return frame_of(UNKNOWN)


def is_known(frame: Frame) -> bool:
    return frame.relation is not UNKNOWN


# ---- queries


def search_query(query: tree.Query, walk: Search) -> Frame:
    if query.ctes is not None:
        walk = search_ctes(query.ctes, walk)
    windows = query.organization.windows if query.organization is not None else ()
    selected = search_term(query.body, walk, windows)
    return search_order(selected, query.organization, walk)


@dataclass(frozen=True)
class UnknownCte:
    """A WITH query with an error: its columns are unknown."""

    problems: Problems

    def frame(self) -> Frame:
        self.problems.unknown += 1
        return unknown_frame()


def search_ctes(node: tree.With, walk: Search) -> Search:
    for named in node.queries:
        frame = unknown_frame() if node.recursive else search_query(named.query, walk)
        otherwise = replace(walk, ctes={**walk.ctes, named.name.lower(): UnknownCte(walk.problems)})
        alone = replace(node, queries=(named,))
        if node.recursive or is_known(frame):
            walk = walk.attempt(lambda now=walk, alone=alone: with_one(alone, now), otherwise)  # type: ignore[misc]
        else:
            walk = otherwise
    return walk


def with_one(node: tree.With, walk: Search) -> Search:
    return replace(walk, ctes=with_ctes(node, walk).ctes)


def search_term(term: Any, walk: Search, windows: Sequence[tree.NamedWindow] = ()) -> Selected:
    match term:
        case tree.Query():
            return Selected(search_query(term, walk))
        case tree.Select():
            return search_select(term, walk, windows)
        case tree.SetOperation():
            left, right = search_term(term.left, walk).frame, search_term(term.right, walk).frame
            if not (is_known(left) and is_known(right)):
                return Selected(unknown_frame())
            return Selected(walk.attempt(lambda: set_operation(left, right, term, walk), unknown_frame()))
        case tree.Table() | tree.InlineTable():
            return Selected(search_source(term, walk))
        case _:
            walk.problems.is_partial = True
            return walk.attempt(lambda: read_term(term, walk), Selected(unknown_frame()))


def search_order(selected: Selected, node: tree.Organization | None, walk: Search) -> Frame:
    if node is None:
        return selected.frame
    if is_known(selected.frame):
        return walk.attempt(lambda: organize(selected, node, walk), unknown_frame())
    scope = walk.scope(unknown_frame())
    orders = [item.child for item in (*node.order_by, *node.sort_by)]
    limits = [one for one in (node.limit, node.offset) if one is not None]
    walk.reads([*orders, *node.cluster_by, *node.distribute_by, *limits], scope)
    return unknown_frame()


# ---- SELECT


def search_select(node: tree.Select, walk: Search, windows: Sequence[tree.NamedWindow]) -> Selected:
    if not isinstance(node.projections, tuple):
        walk.problems.is_partial = True
        return walk.attempt(lambda: read_term(node, walk), Selected(unknown_frame()))
    frame = search_from(node.source, walk) if node.source is not None else frame_of(OneRow())
    frame = search_views(frame, node.lateral_views, walk)
    if node.where is not None:
        frame = search_where(frame, node.where, node, walk)
    made = Selected(unknown_frame())
    scope = search_list(node, frame, walk, windows)
    if is_known(scope.frame):
        made = walk.attempt(lambda: checked_select(node, frame, walk, windows), made)
    if not is_known(made.frame):
        walk.reads([one for one in (node.having, node.qualify) if one is not None], scope)
    return made


def checked_select(node: tree.Select, frame: Frame, walk: Search, windows: Sequence[tree.NamedWindow]) -> Selected:
    try:
        return select_over(node, frame, walk, windows)
    except SparkError as error:
        raise with_select_context(error, node, walk) from error


def search_where(frame: Frame, node: tree.Expression, select: tree.Select, walk: Search) -> Frame:
    if not is_known(frame):
        walk.read(node, walk.scope(frame))
        return frame

    def add_filter() -> Frame:
        try:
            return where(frame, node, walk)
        except SparkError as error:
            raise with_select_context(error, select, walk) from error

    count = len(walk.problems.found)
    made = walk.attempt(add_filter, unknown_frame())
    fell_back = any(isinstance(each, NotNative) for each in walk.problems.found[count:])
    return frame if fell_back and not is_known(made) else made


def search_list(node: tree.Select, frame: Frame, walk: Search, windows: Sequence[tree.NamedWindow]) -> Scope:
    """Keys and output columns belong to one operator: an error in one leaves the others known, but not the operators
    above."""
    assert isinstance(node.projections, tuple)
    before = walk.problems.unknown
    scope = walk.scope(frame, windows=named_windows((*node.windows, *windows)))
    columns: list[Named] = []
    for one in node.projections:
        columns += walk.attempt(lambda one=one: walk.columns([one], scope), [with_automatic_name(literal(None))])  # type: ignore[misc]
    if node.grouping is not None:
        listed = SelectList(columns, node.projections)
        walk.attempt(lambda: bool(read_grouping(node.grouping, listed, scope, walk)), False)
    return scope if walk.problems.unknown == before else walk.scope(unknown_frame())


# ---- FROM


def search_from(node: tree.From, walk: Search) -> Frame:
    if node.pivot is not None or node.unpivot is not None or any(isinstance(r, tree.Lateral) for r in node.relations):
        walk.problems.is_partial = True
        return walk.attempt(lambda: read_from(node, walk), unknown_frame())
    frames = [search_source(relation, walk) for relation in node.relations]
    whole = all(map(is_known, frames))
    frame = frames[0]
    for other in frames[1:]:
        frame = walk.attempt(lambda a=frame, b=other: joins.join(a, b, "inner", no_condition), unknown_frame())  # type: ignore[misc]
    return search_views(frame if whole else unknown_frame(), node.lateral_views, walk)


def search_views(frame: Frame, views: Sequence[tree.LateralView], walk: Search) -> Frame:
    if is_known(frame):
        return walk.attempt(lambda: with_lateral_views(frame, views, walk), unknown_frame())
    for view in views:
        walk.reads(view.arguments, walk.scope(frame))
    return frame


def no_condition(sides: Frame) -> None:
    return None


def search_source(node: tree.Relation, walk: Search) -> Frame:
    match node:
        case tree.AliasedQuery():
            frame = search_query(node.query, walk)
            closed = replace(frame.with_qualifier(()), plans={})
            return (
                walk.attempt(lambda: named_rows(closed, node, walk), unknown_frame(), node)
                if is_known(frame)
                else frame
            )
        case tree.AliasedRelation():
            frame = search_source(node.relation, walk)
            return (
                walk.attempt(lambda: named_rows(frame, node, walk), unknown_frame(), node) if is_known(frame) else frame
            )
        case tree.Join() if node.left is not None and not isinstance(node.right, tree.Lateral) and node.nearest is None:
            return search_join(node, search_source(node.left, walk), search_source(node.right, walk), walk)
        case tree.Table() | tree.InlineTable() | tree.TableFunction():
            return walk.attempt(lambda: read_source(node, walk), unknown_frame())
        case _:
            walk.problems.is_partial = True
            return walk.attempt(lambda: read_source(node, walk), unknown_frame())


def named_rows(frame: Frame, node: tree.AliasedQuery | tree.AliasedRelation, walk: Search) -> Frame:
    return with_alias(sample_frame(frame, node.sample, walk), node.alias)


def search_join(node: tree.Join, left: Frame, right: Frame, walk: Search) -> Frame:
    if not (is_known(left) and is_known(right)):
        if node.condition is not None:
            walk.read(node.condition, walk.scope(unknown_frame()))
        return unknown_frame()
    if node.natural or node.using:
        walk.problems.is_partial = True
        return walk.attempt(lambda: read_source(node, walk), unknown_frame())
    kind = KINDS[node.kind]

    def condition(sides: Frame) -> Any:
        return join_condition(node.condition, kind, sides, walk)

    return walk.attempt(lambda: joins.join(left, right, kind, condition), unknown_frame(), node)
