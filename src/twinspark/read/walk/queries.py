"""Walks queries: WITH, set operations, ORDER BY and LIMIT; SELECT itself is next door."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis import relations as make
from twinspark.analysis import set_operations as sets
from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.outer import outer_columns
from twinspark.analysis.recursion_limits import limited
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted, type_text
from twinspark.plan.expressions import Expression, Literal, SortOrder, Subquery
from twinspark.plan.relations import Relation, Shared
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import direction, sort_order
from twinspark.read.walk.recursion import is_recursive, recursion, two_parts
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
    twins: Mapping[int, int] = field(default_factory=dict)  # columns passed on twice: place -> place of the first

    def frame(self) -> Frame:
        made = frame_of(self.relation, (self.name,))
        ids = [a.id for a in made.attributes]
        marked = (replace(a, twin=ids[self.twins[i]]) if i in self.twins else a for i, a in enumerate(made.attributes))
        return replace(made, attributes=tuple(marked))


def twins_of(frame: Frame) -> dict[int, int]:
    places = {a.id: i for i, a in enumerate(frame.attributes)}
    return {i: places[a.twin] for i, a in enumerate(frame.attributes) if a.twin in places}


def with_ctes(node: tree.With, walk: Walk) -> Walk:
    policy = walk.context.config.get("spark.sql.legacy.ctePrecedencePolicy", "CORRECTED")
    if walk.ctes and policy.upper() != "CORRECTED":
        raise NotNative(f"spark.sql.legacy.ctePrecedencePolicy = {policy}")
    for named in node.queries:
        if node.recursive and is_recursive(named):
            relation = checked_recursion(named, walk)
            walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(relation, named.name)})
            continue
        frame = checked_query(named, node, walk)
        relation = frame.plain()
        if named.columns:
            relation = renamed(relation, named.columns)
        if any(outer_columns(relation)):  # it cannot stand in front of the statement
            check_used(named, walk)
            walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(relation, named.name)})
            continue
        shared = Shared(input=relation, fields=relation.fields, key=f"{named.name}@{next(_uses)}")
        walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(shared, named.name, twins_of(frame))})
    return walk


def checked_query(named: tree.NamedQuery, node: tree.With, walk: Walk) -> Frame:
    """Beside RECURSIVE Spark also knows the names that come later."""
    try:
        return read_query(named.query, walk)
    except SparkError as error:
        if node.recursive:
            raise NotNative("SQL: an error that may be about a name given later", nearest=error) from error
        raise


def check_used(named: tree.NamedQuery, walk: Walk) -> None:
    """The name of a subquery shows the columns of the query around, even those that nobody reads."""
    if len(re.findall(rf"\b{re.escape(named.name)}\b", walk.text, re.IGNORECASE)) < 2:
        raise NotNative("SQL: a WITH that is not used and names columns of the query around")


def checked_recursion(named: tree.NamedQuery, walk: Walk) -> Relation:
    """Spark complains of where the name stands before it looks at anything else."""
    try:
        return read_recursion(named, walk)
    except SparkError as error:
        raise NotNative(f"SQL: a recursive query with an error: {error.condition}", nearest=error) from error


def read_recursion(named: tree.NamedQuery, walk: Walk) -> Relation:
    body = two_parts(named)
    anchor = read_term(body.left, walk).frame.plain()
    anchor = renamed(anchor, named.columns) if named.columns else anchor
    key = f"{named.name}@{next(_uses)}"
    made = recursion(named, anchor, lambda inner: read_term(body.right, inner).frame, key, walk)
    if any(outer_columns(made)):
        raise NotNative("SQL: a recursive query that uses columns of the query around")
    return made


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
    return Selected(set_operation(left, right, term, walk))


def set_operation(left: Frame, right: Frame, term: tree.SetOperation | tree.PipeSetOperation, walk: Walk) -> Frame:
    kind = {"UNION": "union", "EXCEPT": "except", "INTERSECT": "intersect"}[term.operator]
    try:
        return sets.set_operation(left, right, kind, term.all, walk.settings, walk.context_of(term))
    except SparkError as error:
        if "operator" in error.parameters and term.all and kind != "union":
            parameters: dict[str, Any] = {**error.parameters, "operator": f"{term.operator} ALL"}
            error = SparkError(error.condition, **parameters)
        raise walk.located(error, term) from error


def read_select_term(term: tree.Select, walk: Walk, organization: tree.Organization | None) -> Selected:
    windows = organization.windows if organization is not None else ()
    return SELECT[0](term, walk, windows)


def read_relation_term(term: Any, walk: Walk, organization: Any) -> Selected:
    return Selected(RELATION[0](term, walk))


def read_from_first(term: tree.FromFirst, walk: Walk, organization: Any) -> Selected:
    if not term.bodies:
        return Selected(FROM[0](term.source, walk))
    if len(term.bodies) != 1:
        raise NotNative("SQL: FROM with several SELECTs")
    select, own = term.bodies[0]
    selected = read_select_term(replace(select, source=term.source), walk, own)
    return Selected(organized(selected, own, walk))


# Given by the rooms next door, which need `read_query` themselves.
SELECT: list[Callable[..., Selected]] = []
RELATION: list[Callable[..., Frame]] = []
FROM: list[Callable[..., Frame]] = []

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
    frame = make.spread(frame) if node.distribute_by else frame
    if node.limit is not None or node.offset is not None:
        limit = row_count(node.limit, walk, "limit") if node.limit is not None else None
        offset = row_count(node.offset, walk, "offset") if node.offset is not None else 0
        if limit is not None:
            frame = replace(frame, relation=limited(frame.relation, limit + (offset or 0), walk.settings))
        frame = make.limit(frame, limit, offset or 0)
    return frame


def sorted_frame(frame: Frame, items: tuple[tree.SortItem, ...], walk: Walk, is_global: bool = True) -> Frame:
    if is_all(items) and is_global and not has_name(frame, "all", walk):
        return make.sort(frame, [direction(items[0], column) for column in frame.columns()])
    scope = walk.scope(frame, reveals=True, lenient=True, shown=frame)
    ordering = [frame_order(item, scope, frame, walk) for item in items]
    return make.sort(scope.frame, ordering, is_global)


def has_name(frame: Frame, name: str, walk: Walk) -> bool:
    return bool(make.find_columns(frame, name, walk.settings))


def frame_order(item: tree.SortItem, scope: Scope, frame: Frame, walk: Walk) -> SortOrder:
    order = sort_order(item, scope, walk)
    place = position_of(item.child, walk)
    if place is None:
        check_no_subquery(order.child)
        return order
    by_position(place, frame, item, walk)
    return replace(order, child=scope.frame.column(frame.attributes[place - 1]))


def check_no_subquery(expression: Expression) -> None:
    """Spark refuses them in an order, and generators too, in words that show its plan."""
    if has_generator(expression):
        raise NotNative("SQL: a generator in ORDER BY")
    if any(isinstance(node, Subquery) for node in nodes_of(expression)):
        raise NotNative("SQL: a subquery in ORDER BY")


def is_all(items: tuple[tree.SortItem, ...]) -> bool:
    only = items[0].child if len(items) == 1 else None
    return isinstance(only, tree.Column) and [p.lower() for p in only.parts] == ["all"]


def position_of(node: tree.Expression, walk: Walk, key: str = "spark.sql.orderByOrdinal") -> int | None:
    """`ORDER BY 2`: a whole number that stands for a column of the list."""
    if not isinstance(node, tree.NumberLiteral) or node.kind != "integer" or not walk.context.flag(key):
        return None
    value = int(node.text)
    return value if -(1 << 31) <= value < 1 << 31 else None


def by_position(place: int, frame: Frame, item: tree.SortItem, walk: Walk) -> None:
    if not 1 <= place <= len(frame.attributes):
        error = SparkError("ORDER_BY_POS_OUT_OF_RANGE", index=place, size=len(frame.attributes))
        raise walk.located(error, item.child)


def row_count(node: tree.Expression, walk: Walk, name: str) -> int:
    try:
        value = walk.read(node, walk.scope(frame_of(NO_ROWS)))
    except SparkError as problem:
        raise NotNative(f"SQL: a {name} that may name columns", nearest=problem) from problem
    if not isinstance(value, Literal) or value.value is None:
        raise NotNative(f"SQL: a {name} that is no constant")
    facts: dict[str, Any] = {"name": name, "expr": quoted(value.text)}
    if not isinstance(value.type, IntegerType):
        if is_integral(value.type):
            raise NotNative(f"SQL: a {name} of another type than int")
        error = SparkError("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", dataType=type_text(value.type), **facts)
        raise error if isinstance(node, tree.BooleanLiteral) else walk.located(error, node)
    if value.value < 0:
        raise walk.located(SparkError("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", v=value.value, **facts), node)
    return int(value.value)


NO_ROWS = Relation(fields=())
