"""Walks queries: WITH, set operations, ORDER BY and LIMIT; SELECT itself is next door."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression, Literal, SortOrder
from twinspark.plan.relations import Relation, Shared
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import sort_order
from twinspark.types import IntegerType, is_integral

_uses = itertools.count(1)  # two texts may name a query alike at the same place

Order = Callable[[tuple[tree.SortItem, ...]], Frame]


@dataclass(frozen=True)
class Selected:
    """A query term, and how it is put in order: a SELECT also sorts by what it did not select."""

    frame: Frame
    order: Order | None = None


def read_query(query: tree.Query, walk: Walk) -> Frame:
    if query.ctes is not None:
        walk = with_ctes(query.ctes, walk)
    selected = read_term(query.body, walk, query.organization)
    return organized(selected, query.organization, walk)


# ---- WITH


@dataclass(frozen=True, eq=False)
class Cte:
    """A named query, read once where it stands; each use is a frame of its own over the shared rows."""

    relation: Relation
    name: str

    def frame(self) -> Frame:
        return frame_of(self.relation, (self.name,))


def with_ctes(node: tree.With, walk: Walk) -> Walk:
    if node.recursive:
        raise NotNative("SQL: WITH RECURSIVE")
    for named in node.queries:
        relation = read_query(named.query, walk).plain()
        if named.columns:
            relation = renamed(relation, named.columns)
        shared = Shared(input=relation, fields=relation.fields, key=f"{named.name}@{next(_uses)}")
        walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(shared, named.name)})
    return walk


def renamed(relation: Relation, names: tuple[str, ...]) -> Relation:
    if len(names) != len(relation.fields):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numExpr=len(names), numTarget=len(relation.fields))
    frame = frame_of(relation)
    columns = [make.Named(frame.column(a), name, a.metadata) for a, name in zip(frame.attributes, names, strict=True)]
    return make.project(frame, columns).plain()


# ---- terms


def read_term(term: Any, walk: Walk, organization: tree.Organization | None = None) -> Selected:
    reader = TERMS.get(term.__class__)
    if reader is None:
        raise NotNative(f"SQL: {term.__class__.__name__}")
    return reader(term, walk, organization)


def read_nested(term: tree.Query, walk: Walk, organization: Any) -> Selected:
    return Selected(read_query(term, walk))


def read_set_operation(term: tree.SetOperation, walk: Walk, organization: Any) -> Selected:
    left, right = read_term(term.left, walk).frame, read_term(term.right, walk).frame
    kind = {"UNION": "union", "EXCEPT": "except", "INTERSECT": "intersect"}[term.operator]
    return Selected(make.set_operation(left, right, kind, term.all, walk.settings))


def read_select_term(term: tree.Select, walk: Walk, organization: tree.Organization | None) -> Selected:
    windows = organization.windows if organization is not None else ()
    return SELECT[0](term, walk, windows)


def read_relation_term(term: Any, walk: Walk, organization: Any) -> Selected:
    return Selected(RELATION[0](term, walk))


def read_from_first(term: tree.FromFirst, walk: Walk, organization: Any) -> Selected:
    if len(term.bodies) != 1:
        raise NotNative("SQL: FROM with several SELECTs")
    select, own = term.bodies[0]
    selected = read_select_term(replace(select, source=term.source), walk, own)
    return Selected(organized(selected, own, walk))


# Given by the rooms next door, which need `read_query` themselves.
SELECT: list[Callable[..., Selected]] = []
RELATION: list[Callable[..., Frame]] = []

TERMS: dict[type, Callable[..., Selected]] = {
    tree.Query: read_nested,
    tree.SetOperation: read_set_operation,
    tree.Select: read_select_term,
    tree.FromFirst: read_from_first,
    tree.Table: read_relation_term,
    tree.InlineTable: read_relation_term,
}


# ---- ORDER BY, LIMIT


def organized(selected: Selected, node: tree.Organization | None, walk: Walk) -> Frame:
    frame = selected.frame
    if node is None:
        return frame
    if node.order_by:
        frame = selected.order(node.order_by) if selected.order else sorted_frame(frame, node.order_by, walk)
    items = node.sort_by or tuple(tree.SortItem(e.start, e.stop, e, "", "") for e in node.cluster_by)
    if items:
        frame = sorted_frame(frame, items, walk, is_global=False)
    walk.reads(node.distribute_by, walk.scope(frame))
    if node.limit is not None or node.offset is not None:
        limit = row_count(node.limit, walk, "limit") if node.limit is not None else None
        offset = row_count(node.offset, walk, "offset") if node.offset is not None else 0
        frame = make.limit(frame, limit, offset or 0)
    return frame


def sorted_frame(frame: Frame, items: tuple[tree.SortItem, ...], walk: Walk, is_global: bool = True) -> Frame:
    if is_all(items):
        items = all_items(items[0], frame)
    scope = walk.scope(frame, reveals=True)
    ordering = [by_ordinal(sort_order(item, scope, walk), scope.frame, item) for item in items]
    return make.sort(scope.frame, ordering, is_global)


def is_all(items: tuple[tree.SortItem, ...]) -> bool:
    only = items[0].child if len(items) == 1 else None
    return isinstance(only, tree.Column) and [p.lower() for p in only.parts] == ["all"]


def all_items(item: tree.SortItem, frame: Frame) -> tuple[tree.SortItem, ...]:
    return tuple(
        replace(item, child=tree.Column(item.start, item.stop, (*a.qualifier[-1:], a.name))) for a in frame.attributes
    )


def by_ordinal(order: SortOrder, frame: Frame, item: tree.SortItem) -> SortOrder:
    """`ORDER BY 2`: the second column (spark.sql.orderByOrdinal)."""
    if not is_ordinal(order.child):
        return order
    position = ordinal_value(order.child)
    if not 1 <= position <= len(frame.attributes):
        raise SparkError("ORDER_BY_POS_OUT_OF_RANGE", index=position, size=len(frame.attributes))
    return replace(order, child=frame.column(frame.attributes[position - 1]))


def is_ordinal(expression: Expression) -> bool:
    return isinstance(expression, Literal) and isinstance(expression.type, IntegerType) and expression.value is not None


def ordinal_value(expression: Expression) -> int:
    assert isinstance(expression, Literal)
    return int(expression.value)


def row_count(node: tree.Expression, walk: Walk, name: str) -> int:
    value = walk.read(node, walk.scope(frame_of(NO_ROWS)))
    if not isinstance(value, Literal) or not is_integral(value.type):
        raise NotNative(f"SQL: a {name} that is no whole number")
    if value.value is None or value.value < 0:
        raise NotNative(f"SQL: a {name} below zero")
    return int(value.value)


NO_ROWS = Relation(fields=())


def literal_true() -> Expression:
    return build.literal(True)
