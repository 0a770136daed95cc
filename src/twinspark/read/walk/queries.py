"""Reads queries: WITH, set operations, ORDER BY and LIMIT. SELECT itself is in select.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from twinspark.analysis.plan_limits import check_size
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations import set_operations as sets
from twinspark.analysis.relations.generators import has_generator
from twinspark.analysis.relations.recursion_limits import limit_levels
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope, read_at_levels
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Expression, Literal, SortOrder, Subquery
from twinspark.plan.relations import Relation, SharedRelation
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.cte_conflicts import check_cte_names
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import direction, sort_order
from twinspark.read.walk.recursion import is_recursive, recursion, two_parts
from twinspark.types import IntegerType, is_integral

_uses = itertools.count(1)  # makes the keys of WITH queries unique, since two texts may use the same name

Order = Callable[[tuple[tree.SortItem, ...], bool], Frame]


@dataclass(frozen=True)
class Selected:
    """A query term, and how to sort it: a SELECT can also be sorted by columns that it did not select."""

    frame: Frame
    order: Order | None = None


def read_query(query: tree.Query, walk: Walk) -> Frame:
    if query.ctes is None:
        return organize(read_term(query.body, walk, query.organization), query.organization, walk)
    inner = with_ctes(query.ctes, walk, query)
    made = organize(read_term(query.body, inner, query.organization), query.organization, inner)
    return replace(made, is_closed=True)  # WithCTE has several children: names below it cannot be referenced from above


# ---- WITH


@dataclass(frozen=True, eq=False)
class Cte:
    """A WITH query, read once where it is defined; each use is a frame of its own over the shared rows."""

    relation: Relation
    name: str
    # columns that are passed on twice: their index -> the index of the first
    twins: Mapping[int, int] = field(default_factory=dict)

    def frame(self) -> Frame:
        made = frame_of(self.relation, (self.name,))
        ids = [a.id for a in made.attributes]
        marked = (replace(a, twin=ids[self.twins[i]]) if i in self.twins else a for i, a in enumerate(made.attributes))
        return replace(made, attributes=tuple(marked))


def twins_of(frame: Frame) -> dict[int, int]:
    indexes = {a.id: i for i, a in enumerate(frame.attributes)}
    return {i: indexes[a.twin] for i, a in enumerate(frame.attributes) if a.twin in indexes}


def with_ctes(node: tree.With, walk: Walk, query: tree.Query | None = None) -> Walk:
    """`query` is the query that has the WITH clause; the one of a statement has no outer columns."""
    check_precedence(walk, query)
    for named in node.queries:
        if node.recursive and is_recursive(named):
            relation = read_checked_recursion(named, walk)
            walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(relation, named.name)})
            continue
        frame = read_named_query(named, node, walk)
        relation = frame.plain()
        if named.columns:
            relation = rename_columns(relation, named.columns)
        if any(outer_columns(relation)):  # a correlated query cannot be shared
            check_used(named, query)
            walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(relation, named.name)})
            continue
        check_size(relation)
        shared = SharedRelation(input=relation, fields=relation.fields, key=f"{named.name}@{next(_uses)}")
        walk = replace(walk, ctes={**walk.ctes, named.name.lower(): Cte(shared, named.name, twins_of(frame))})
    return walk


def check_precedence(walk: Walk, query: tree.Query | None) -> None:
    """Inner WITH queries take precedence over outer ones; with EXCEPTION, equal names are errors."""
    policy = walk.context.conf("spark.sql.legacy.ctePrecedencePolicy")
    if policy == "EXCEPTION" and query is not None and not walk.ctes:
        check_cte_names(query)
    elif (policy == "LEGACY" and walk.ctes) or (policy == "EXCEPTION" and query is None):
        raise NotNative(reasons.SETTING_VALUE, f"spark.sql.legacy.ctePrecedencePolicy = {policy}")


def read_named_query(named: tree.NamedQuery, node: tree.With, walk: Walk) -> Frame:
    """With RECURSIVE, Spark also resolves names of later WITH queries."""
    try:
        return read_query(named.query, walk)
    except SparkError as error:
        if node.recursive:
            raise NotNative(
                reasons.ERROR_MESSAGE,
                "an error that may be about a name defined by a later WITH query",
                likely_error=error,
            ) from error
        raise


def check_used(named: tree.NamedQuery, query: tree.Query | None) -> None:
    """An unused WITH query with outer columns falls back: the name of the subquery shows all its outer columns."""
    if query is not None and not any(is_reference(node, named.name) for node in tree_nodes(query)):
        raise NotNative(reasons.OPERATION_KIND, "a WITH query: it is not used and names outer columns")


def is_reference(node: tree.Node, name: str) -> bool:
    if not isinstance(node, tree.Table) or not isinstance(node.name, tree.Name):
        return False
    return [part.lower() for part in node.name.parts] == [name.lower()]


def read_checked_recursion(named: tree.NamedQuery, walk: Walk) -> Relation:
    """Falls back for errors, since Spark first checks where the recursive reference is."""
    try:
        return read_recursion(named, walk)
    except SparkError as error:
        raise NotNative(
            reasons.ERROR_MESSAGE, f"a recursive WITH query fails with {error.condition}", likely_error=error
        ) from error


def read_recursion(named: tree.NamedQuery, walk: Walk) -> Relation:
    body = two_parts(named, walk)
    anchor = read_term(body.left, walk).frame.plain()
    anchor = rename_columns(anchor, named.columns) if named.columns else anchor
    key = f"{named.name}@{next(_uses)}"
    made = recursion(named, anchor, lambda inner: read_term(body.right, inner).frame, key, walk)
    if any(outer_columns(made)):
        raise NotNative(reasons.RECURSIVE_CTE, "it uses outer columns")
    return made


def rename_columns(relation: Relation, names: tuple[str, ...]) -> Relation:
    if len(names) != len(relation.fields):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numExpr=len(names), numTarget=len(relation.fields))
    frame = frame_of(relation)
    columns = [make.Named(frame.column(a), name, a.metadata) for a, name in zip(frame.attributes, names, strict=True)]
    return make.project(frame, columns).plain()


# ---- terms


def read_term(term: Any, walk: Walk, organization: tree.Organization | None = None) -> Selected:
    reader = TERMS.get(term.__class__)
    if reader is None:
        raise NotNative(reasons.SQL_CLAUSE, term.__class__.__name__)
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
        raise walk.with_context(error, term) from error


def read_select_term(term: tree.Select, walk: Walk, organization: tree.Organization | None) -> Selected:
    windows = organization.windows if organization is not None else ()
    return SELECT[0](term, walk, windows)


def read_relation_term(term: Any, walk: Walk, organization: Any) -> Selected:
    return Selected(RELATION[0](term, walk))


def read_from_first(term: tree.FromFirst, walk: Walk, organization: Any) -> Selected:
    if not term.bodies:
        return Selected(FROM[0](term.source, walk))
    if len(term.bodies) != 1:
        raise NotNative(reasons.SQL_CLAUSE, "FROM with several SELECT clauses")
    select, own = term.bodies[0]
    selected = read_select_term(replace(select, source=term.source), walk, own)
    return Selected(organize(selected, own, walk))


# Handlers from modules that need `read_query` themselves register here.
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


def organize(selected: Selected, node: tree.Organization | None, walk: Walk) -> Frame:
    frame = selected.frame
    if node is None:
        return frame
    if node.order_by:
        frame = selected.order(node.order_by, True) if selected.order else sorted_frame(frame, node.order_by, walk)
    keys = node.distribute_by or node.cluster_by
    frame = distribute(frame, keys, walk) if keys else frame
    items = node.sort_by or tuple(tree.SortItem(e.start, e.stop, e, "", "") for e in node.cluster_by)
    if items:
        order = None if keys else selected.order
        frame = order(items, False) if order else sorted_frame(frame, items, walk, is_global=False)
    if node.limit is not None or node.offset is not None:
        limit = row_count(node.limit, walk, "limit") if node.limit is not None else None
        offset = row_count(node.offset, walk, "offset") if node.offset is not None else 0
        if limit is not None:
            frame = replace(frame, relation=limit_levels(frame.relation, limit + (offset or 0), walk.settings))
        frame = make.limit(frame, limit, offset or 0)
    return frame


def distribute(frame: Frame, keys: tuple[tree.Expression, ...], walk: Walk) -> Frame:
    """DISTRIBUTE BY and CLUSTER BY: partitions rows by the hash of the keys, which may be hidden columns."""
    walk.context.shuffles = True
    scope = walk.scope(frame, reveals=True)
    made = [SortOrder(child=read_at_levels(scope, partial(walk.read, key, scope))) for key in keys]
    return make.repartition(scope.frame, "hash", 0, made)


def sorted_frame(frame: Frame, items: tuple[tree.SortItem, ...], walk: Walk, is_global: bool = True) -> Frame:
    if is_all(items) and is_global and not has_name(frame, "all", walk):
        return make.sort(frame, [direction(items[0], column) for column in frame.columns()])
    scope = walk.scope(frame, reveals=True, lenient=True, shown=frame)
    ordering = [frame_order(item, scope, frame, walk) for item in items]
    return make.sort(scope.frame, ordering, is_global)


def has_name(frame: Frame, name: str, walk: Walk) -> bool:
    return bool(make.find_columns(frame, name, walk.settings))


def frame_order(item: tree.SortItem, scope: Scope, frame: Frame, walk: Walk) -> SortOrder:
    order = read_at_levels(scope, lambda: sort_order(item, scope, walk))
    ordinal = position_of(item.child, walk)
    if ordinal is None:
        check_no_subquery(order.child)
        return order
    by_position(ordinal, frame, item, walk)
    return replace(order, child=scope.frame.column(frame.attributes[ordinal - 1]))


def check_no_subquery(expression: Expression) -> None:
    """Falls back for subqueries and generators in ORDER BY, since Spark's message shows its plan."""
    if has_generator(expression):
        raise NotNative(reasons.GENERATOR_POSITION, "ORDER BY")
    if any(isinstance(node, Subquery) for node in nodes_of(expression)):
        raise NotNative(reasons.EXPRESSION_POSITION, "ORDER BY a subquery")


def is_all(items: tuple[tree.SortItem, ...]) -> bool:
    only = items[0].child if len(items) == 1 else None
    return isinstance(only, tree.Column) and [p.lower() for p in only.parts] == ["all"]


def position_of(node: tree.Expression, walk: Walk, key: str = "spark.sql.orderByOrdinal") -> int | None:
    """`ORDER BY 2`: an integer literal that is the ordinal of a column."""
    if not isinstance(node, tree.NumberLiteral) or node.kind != "integer" or not walk.context.flag(key):
        return None
    value = int(node.text)
    return value if -(1 << 31) <= value < 1 << 31 else None


def by_position(ordinal: int, frame: Frame, item: tree.SortItem, walk: Walk) -> None:
    if not 1 <= ordinal <= len(frame.attributes):
        error = SparkError("ORDER_BY_POS_OUT_OF_RANGE", index=ordinal, size=len(frame.attributes))
        raise walk.with_context(error, item.child)


def row_count(node: tree.Expression, walk: Walk, name: str) -> int:
    try:
        value = walk.read(node, walk.scope(frame_of(NO_ROWS)))
    except SparkError as problem:
        raise NotNative(reasons.ERROR_MESSAGE, f"a {name} that may name columns", likely_error=problem) from problem
    if not isinstance(value, Literal) or value.value is None:
        raise NotNative(reasons.EXPRESSION_POSITION, f"a {name} that is not a constant")
    facts: dict[str, Any] = {"name": name, "expr": quote_expression(value.text)}
    if not isinstance(value.type, IntegerType):
        if is_integral(value.type):
            raise NotNative(reasons.EXPRESSION_POSITION, f"a {name} that is not an int")
        error = SparkError("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", dataType=type_text(value.type), **facts)
        raise error if isinstance(node, tree.BooleanLiteral) else walk.with_context(error, node)
    if value.value < 0:
        raise walk.with_context(SparkError("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", v=value.value, **facts), node)
    return int(value.value)


NO_ROWS = Relation(fields=())
