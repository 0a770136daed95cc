"""Walks one SELECT: FROM, WHERE, GROUP BY, the list, HAVING, DISTINCT, and the order it can be put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import GroupingSets, aggregate, has_aggregate
from twinspark.analysis.generators import generate, has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame, frame_of, unresolved
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression, SortOrder
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.walk.conditions import where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import sort_order
from twinspark.read.walk.groups import read_grouping
from twinspark.read.walk.queries import SELECT, Selected, by_ordinal, is_all, is_ordinal, ordinal_value, sorted_frame
from twinspark.read.walk.sources import read_from, with_lateral_views


def read_select(node: tree.Select, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    if not isinstance(node.projections, tuple):
        raise NotNative("SQL: TRANSFORM")
    frame = read_from(node.source, walk) if node.source is not None else frame_of(OneRow())
    frame = with_lateral_views(frame, node.lateral_views, walk)
    if node.where is not None:
        frame = where(frame, node.where, walk)
    scope = walk.scope(frame, windows=named_windows((*node.windows, *windows)))
    columns = walk.columns(node.projections, scope)
    if node.qualify is not None:
        raise NotNative("SQL: QUALIFY")
    if node.grouping is not None or node.having is not None or any(has_aggregate(c.expression) for c in columns):
        return aggregated(node, frame, scope, columns, walk)
    return projected(node, frame, columns, walk)


SELECT.append(read_select)


def named_windows(nodes: Sequence[tree.NamedWindow]) -> dict[str, object]:
    found = {node.name.lower(): node.window for node in nodes}
    return {
        name: found.get(window.name.lower(), window) if isinstance(window, tree.WindowReference) else window
        for name, window in found.items()
    }


def projected(node: tree.Select, frame: Frame, columns: list[Named], walk: Walk) -> Selected:
    if any(has_generator(c.expression) for c in columns):
        made = generate(frame, columns, walk.settings)
    else:
        made = make.project(frame, columns)
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made))
    return Selected(made, lambda items: sorted_frame(made, items, walk))


# ---- aggregations


@dataclass(frozen=True)
class Aggregation:
    """A grouped SELECT before it is closed: HAVING and ORDER BY may still ask for more aggregates."""

    walk: Walk
    frame: Frame
    scope: Scope
    grouping: tuple[Expression, ...]
    sets: GroupingSets | None
    columns: tuple[Named, ...]
    having: Expression | None = None

    def read(self, node: tree.Expression) -> Expression:
        """A name means an output column first, then a column below; inside an aggregate only the latter."""
        scope = replace_aliases(self.scope, self.columns)
        return self.walk.read(node, scope)

    def closed(self, order: Sequence[SortOrder] = ()) -> Frame:
        """Everything as one aggregation with hidden columns for HAVING and ORDER BY, which are dropped at last."""
        hidden = [Named(o.child, f"order{i}") for i, o in enumerate(order)]
        condition = [Named(self.having, "having")] if self.having is not None else []
        frame = aggregate(self.frame, self.grouping, [*self.columns, *hidden, *condition], self.sets)
        shown, extra = frame.attributes[: len(self.columns)], frame.attributes[len(self.columns) :]
        visible = replace(frame, attributes=shown)
        if condition:
            visible = make.filter(visible, frame.column(extra[-1]), self.walk.settings)
        if order:
            keys = [replace(o, child=frame.column(a)) for o, a in zip(order, extra, strict=False)]
            visible = make.sort(visible, keys)
        return visible


def replace_aliases(scope: Scope, columns: Sequence[Named]) -> Scope:
    aliases = {c.name.lower(): c.expression for c in reversed(columns)}
    return replace(scope, aliases={**scope.aliases, **aliases})


def aggregated(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    grouping, sets = read_grouping(node.grouping, columns, scope, walk)
    if any(has_generator(c.expression) for c in columns):
        raise NotNative("SQL: a generator in a grouped SELECT")
    made = Aggregation(walk, frame, scope, tuple(grouping), sets, tuple(columns))
    if node.having is not None:
        made = replace(made, having=made.read(node.having))
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made.closed()))
    return Selected(made.closed(), lambda items: ordered(made, items))


def ordered(made: Aggregation, items: tuple[tree.SortItem, ...]) -> Frame:
    if is_all(items):
        return sorted_frame(made.closed(), items, made.walk)
    order = [aggregate_order(made, item) for item in items]
    if made.having is not None and any(adds_aggregate(made, o.child) for o in order):
        raise NotNative("SQL: ORDER BY an aggregate that is not selected, after HAVING")
    return made.closed(order)


def adds_aggregate(made: Aggregation, expression: Expression) -> bool:
    return has_aggregate(expression) and all(expression != c.expression for c in made.columns)


def aggregate_order(made: Aggregation, item: tree.SortItem) -> SortOrder:
    """By an output's name or place, or by any expression over the groups."""
    scope = output_first(made)
    try:
        order = sort_order(item, scope, made.walk)
    except SparkError as error:
        raise with_outputs(error, item.child, made) from error
    if is_ordinal(order.child):
        by_ordinal(order, made.closed(), item)
        return replace(order, child=made.columns[ordinal_value(order.child) - 1].expression)
    return order


def with_outputs(error: SparkError, node: tree.Expression, made: Aggregation) -> SparkError:
    """What can be sorted by is what was selected: Spark suggests those names."""
    if not error.condition.startswith("UNRESOLVED_COLUMN") or not isinstance(node, tree.Column):
        return error
    return made.walk.located(unresolved(made.closed(), node.parts), node)


def output_first(made: Aggregation) -> Scope:
    scope = replace_aliases(made.scope, made.columns)
    return replace(scope, prefers=dict(scope.aliases))
