"""Looks for all that is wrong with a query that is refused: of several mistakes Spark tells another one first.

Spark resolves a query in rounds. What fails in a round is told at once, wherever in the query it stands; names that
are not found and types that do not fit are told only when all rounds are over, from the bottom up (CheckAnalysis). So
the query is walked again, and whatever fails leaves something without a meaning behind, on which nothing can fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from twinspark.analysis import joins
from twinspark.analysis.literals import literal
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named, unnamed
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.registry import SPARK
from twinspark.plan.expressions import Call
from twinspark.plan.relations import OneRow, Relation
from twinspark.read.sql import tree
from twinspark.read.walk.conditions import where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.groups import List, read_grouping
from twinspark.read.walk.queries import Selected, organized, read_term, set_operation, with_ctes
from twinspark.read.walk.select import named_windows, placed, select_over
from twinspark.read.walk.sources import (
    KINDS,
    aliased,
    join_condition,
    read_from,
    read_source,
    sampled,
    with_lateral_views,
)

Made = TypeVar("Made")
Problem = SparkError | NotNative
UNKNOWN = Relation(fields=())  # the rows of what has no meaning


@dataclass
class Mistakes:
    """What was found, in the order of the walk, and how many things without a meaning it left behind."""

    found: list[Problem] = field(default_factory=list)
    unknown: int = 0
    unchecked: int = 0  # calls of things without a meaning: they may be mistakes themselves
    is_partial: bool = False  # something was walked only up to its first mistake

    def note(self, problem: Problem, before: int) -> None:
        """Not what fails because something in it has no meaning, and nothing twice."""
        if self.unknown == before and not any(map(same_as(problem), self.found)):
            self.found.append(problem)
        self.unknown += 1


def same_as(problem: Problem) -> Callable[[Problem], bool]:
    def same(other: Problem) -> bool:
        if not isinstance(problem, SparkError) or not isinstance(other, SparkError):
            return False
        return (problem.condition, problem.contexts) == (other.condition, other.contexts)

    return same


@dataclass(frozen=True)
class Search(Walk):
    """A walk that goes on behind a mistake."""

    mistakes: Mistakes = field(default_factory=Mistakes)

    def column(self, node: tree.Expression, scope: Scope) -> Named:
        before, count = self.mistakes.unknown, len(self.mistakes.found)
        try:
            made = super().column(node, scope)
            if isinstance(made.expression, Call) and made.expression.signature.writer is SPARK:
                raise NotNative(f"function {made.expression.name}, which only Spark knows")
        except (SparkError, NotNative) as problem:
            is_own = self.mistakes.unknown == before
            self.mistakes.note(problem, before)
            self.search_parts(node, scope, is_own)
            made = unnamed(literal(None))
        if self.mistakes.unknown > before and len(self.mistakes.found) == count and not isinstance(node, PLAIN):
            self.mistakes.unchecked += 1
        return made

    def search_parts(self, node: tree.Expression, scope: Scope, is_own: bool) -> None:
        """Those that were not walked because the node, or another one, failed before."""
        if not isinstance(node, tree.Function):
            return
        for argument in node.arguments:
            if isinstance(argument, tree.Lambda):
                self.read(argument.body, self.scope(nothing()))
            elif is_own and not isinstance(argument, tree.Star):
                self.read(argument, scope)
        if isinstance(node.over, tree.WindowDefinition):
            self.reads([*node.over.partition, *(item.child for item in node.over.order)], scope)

    def scope(self, frame: Frame, **facts: Any) -> Scope:
        if frame.relation is UNKNOWN:
            facts["first"] = self.anything
        return super().scope(frame, **facts)

    def star(self, node: tree.Star, scope: Scope, is_listed: bool = False) -> list[Named]:
        if scope.frame.relation is UNKNOWN:
            self.mistakes.unknown += 1
            self.mistakes.unchecked += bool(node.target)
            return []
        try:
            return super().star(node, scope, is_listed)
        except (SparkError, NotNative) as problem:
            self.mistakes.note(problem, self.mistakes.unknown)
            return []

    def anything(self, scope: Scope, parts: Sequence[str]) -> Named:
        """A column of rows that are not known: nobody can say yet whether it is there."""
        self.mistakes.unknown += 1
        return unnamed(literal(None))

    def attempt(self, make: Callable[[], Made], otherwise: Made, place: tree.Node | None = None) -> Made:
        """What is made, unless something in it has no meaning."""
        before = self.mistakes.unknown
        try:
            made = make()
        except (SparkError, NotNative) as problem:
            if place is not None and isinstance(problem, SparkError):
                self.located(problem, place)
            self.mistakes.note(problem, before)
        return made if self.mistakes.unknown == before else otherwise


PLAIN = (tree.Column, tree.Alias)


def nothing() -> Frame:
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
    """A named query with a mistake: of its rows nothing is known, under whatever names."""

    mistakes: Mistakes

    def frame(self) -> Frame:
        self.mistakes.unknown += 1
        return nothing()


def search_ctes(node: tree.With, walk: Search) -> Search:
    for named in node.queries:
        frame = nothing() if node.recursive else search_query(named.query, walk)
        otherwise = replace(walk, ctes={**walk.ctes, named.name.lower(): UnknownCte(walk.mistakes)})
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
                return Selected(nothing())
            return Selected(walk.attempt(lambda: set_operation(left, right, term, walk), nothing()))
        case tree.Table() | tree.InlineTable():
            return Selected(search_source(term, walk))
        case _:
            walk.mistakes.is_partial = True
            return walk.attempt(lambda: read_term(term, walk), Selected(nothing()))


def search_order(selected: Selected, node: tree.Organization | None, walk: Search) -> Frame:
    if node is None:
        return selected.frame
    if is_known(selected.frame):
        return walk.attempt(lambda: organized(selected, node, walk), nothing())
    scope = walk.scope(nothing())
    orders = [item.child for item in (*node.order_by, *node.sort_by)]
    limits = [one for one in (node.limit, node.offset) if one is not None]
    walk.reads([*orders, *node.cluster_by, *node.distribute_by, *limits], scope)
    return nothing()


# ---- SELECT


def search_select(node: tree.Select, walk: Search, windows: Sequence[tree.NamedWindow]) -> Selected:
    if not isinstance(node.projections, tuple):
        walk.mistakes.is_partial = True
        return walk.attempt(lambda: read_term(node, walk), Selected(nothing()))
    frame = search_from(node.source, walk) if node.source is not None else frame_of(OneRow())
    frame = search_views(frame, node.lateral_views, walk)
    if node.where is not None:
        frame = search_where(frame, node.where, node, walk)
    made = Selected(nothing())
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
        raise placed(error, node, walk) from error


def search_where(frame: Frame, node: tree.Expression, select: tree.Select, walk: Search) -> Frame:
    if not is_known(frame):
        walk.read(node, walk.scope(frame))
        return frame

    def filtered() -> Frame:
        try:
            return where(frame, node, walk)
        except SparkError as error:
            raise placed(error, select, walk) from error

    return walk.attempt(filtered, nothing())


def search_list(node: tree.Select, frame: Frame, walk: Search, windows: Sequence[tree.NamedWindow]) -> Scope:
    """Keys and columns are of one operator: a mistake in one leaves the others their meaning, not those above."""
    assert isinstance(node.projections, tuple)
    before = walk.mistakes.unknown
    scope = walk.scope(frame, windows=named_windows((*node.windows, *windows)))
    columns: list[Named] = []
    for one in node.projections:
        columns += walk.attempt(lambda one=one: walk.columns([one], scope), [unnamed(literal(None))])  # type: ignore[misc]
    if node.grouping is not None:
        listed = List(columns, node.projections)
        walk.attempt(lambda: bool(read_grouping(node.grouping, listed, scope, walk)), False)
    return scope if walk.mistakes.unknown == before else walk.scope(nothing())


# ---- FROM


def search_from(node: tree.From, walk: Search) -> Frame:
    if node.pivot is not None or node.unpivot is not None or any(isinstance(r, tree.Lateral) for r in node.relations):
        walk.mistakes.is_partial = True
        return walk.attempt(lambda: read_from(node, walk), nothing())
    frames = [search_source(relation, walk) for relation in node.relations]
    whole = all(map(is_known, frames))
    frame = frames[0]
    for other in frames[1:]:
        frame = walk.attempt(lambda a=frame, b=other: joins.join(a, b, "inner", no_condition), nothing())  # type: ignore[misc]
    return search_views(frame if whole else nothing(), node.lateral_views, walk)


def search_views(frame: Frame, views: Sequence[tree.LateralView], walk: Search) -> Frame:
    if is_known(frame):
        return walk.attempt(lambda: with_lateral_views(frame, views, walk), nothing())
    for view in views:
        walk.reads(view.arguments, walk.scope(frame))
    return frame


def no_condition(sides: Frame) -> None:
    return None


def search_source(node: tree.Relation, walk: Search) -> Frame:
    match node:
        case tree.AliasedQuery():
            frame = search_query(node.query, walk)
            closed = replace(frame.qualified(()), plans={})
            return walk.attempt(lambda: named_rows(closed, node, walk), nothing(), node) if is_known(frame) else frame
        case tree.AliasedRelation():
            frame = search_source(node.relation, walk)
            return walk.attempt(lambda: named_rows(frame, node, walk), nothing(), node) if is_known(frame) else frame
        case tree.Join() if node.left is not None and not isinstance(node.right, tree.Lateral) and node.nearest is None:
            return search_join(node, search_source(node.left, walk), search_source(node.right, walk), walk)
        case tree.Table() | tree.InlineTable() | tree.TableFunction():
            return walk.attempt(lambda: read_source(node, walk), nothing())
        case _:
            walk.mistakes.is_partial = True
            return walk.attempt(lambda: read_source(node, walk), nothing())


def named_rows(frame: Frame, node: tree.AliasedQuery | tree.AliasedRelation, walk: Search) -> Frame:
    return aliased(sampled(frame, node.sample, walk), node.alias)


def search_join(node: tree.Join, left: Frame, right: Frame, walk: Search) -> Frame:
    if not (is_known(left) and is_known(right)):
        if node.condition is not None:
            walk.read(node.condition, walk.scope(nothing()))
        return nothing()
    if node.natural or node.using:
        walk.mistakes.is_partial = True
        return walk.attempt(lambda: read_source(node, walk), nothing())
    kind = KINDS[node.kind]

    def condition(sides: Frame) -> Any:
        return join_condition(node.condition, kind, sides, walk)

    return walk.attempt(lambda: joins.join(left, right, kind, condition), nothing(), node)
