"""Walks GROUP BY: expressions, aliases, ordinals, ALL, ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinspark.analysis.aggregates import GroupingSets, has_aggregate
from twinspark.analysis.canonical import position
from twinspark.analysis.names import LATERAL, Scope
from twinspark.analysis.relations import Named, find_columns
from twinspark.analysis.scope import alike
from twinspark.analysis.set_order import cubed
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal, WindowCall, children_of
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.queries import position_of
from twinspark.types import quote_if_needed

Sets = list[list[Expression]]


@dataclass(frozen=True)
class List:
    """The SELECT list, as GROUP BY may name or count its columns."""

    columns: Sequence[Named]
    nodes: Sequence[tree.Expression]

    def named(self, scope: Scope, parts: Sequence[str]) -> Named | None:
        """The first column of that name; inside an expression too (spark.sql.groupByAliases)."""
        same = alike(scope.settings.case_sensitive)
        if len(parts) > 1 or not scope.context.flag("spark.sql.groupByAliases"):
            return None
        return next((Named(c.expression, c.name) for c in self.columns if same(c.name, parts[0])), None)

    def meant_by(self, node: tree.Expression, scope: Scope) -> tree.Expression:
        """Of a column of the list named by its alias, what was written there."""
        if not isinstance(node, tree.Column) or len(self.nodes) != len(self.columns):
            return node
        found = self.named(scope, node.parts)
        for one, column in zip(self.nodes, self.columns, strict=True):
            if found is not None and column.expression is found.expression:
                return one.child if isinstance(one, tree.Alias) else one
        return node

    def at(self, place: int, node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
        if any(isinstance(one, tree.Star) for one in self.nodes):
            raise SparkError("STAR_GROUP_BY_POS")
        if not 1 <= place <= len(self.columns):
            raise walk.located(SparkError("GROUP_BY_POS_OUT_OF_RANGE", index=place, size=len(self.columns)), node)
        made = self.columns[place - 1].expression
        if has_aggregate(made):
            check_plain(made)
            shown = self.shown(place - 1, scope, walk)
            raise walk.located(SparkError("GROUP_BY_POS_AGGREGATE", index=place, aggExpr=shown), node)
        return made

    def shown(self, index: int, scope: Scope, walk: Walk) -> str:
        node = self.nodes[index]
        inner = node.child if isinstance(node, tree.Alias) else node
        text = walk.read(inner, replace(scope, qualifies=True)).text
        return f"{text} AS {quote_if_needed(self.columns[index].name)}"


def read_grouping(
    node: tree.Grouping | None, columns: List, scope: Scope, walk: Walk
) -> tuple[list[Expression], GroupingSets | None]:
    if node is None:
        return [], None
    if is_all(node) and not names_all(columns, scope):
        return all_keys(columns, node, walk), None
    if node.kind in ("ROLLUP", "CUBE"):
        keys = [key(plain(e), columns, scope, walk) for e in node.expressions]
        return with_positions(rolled(node.kind, [[k] for k in keys]))
    if node.kind == "GROUPING SETS":
        keys = [key(plain(e), columns, scope, walk) for e in node.expressions]
        listed = [[key(e, columns, scope, walk) for e in one.expressions] for one in node.sets]
        return with_positions(listed, keys)
    if not any(isinstance(e, tree.GroupingAnalytics) for e in node.expressions):
        return distinct([key(plain(e), columns, scope, walk) for e in node.expressions]), None
    return with_positions(crossed([element_sets(e, columns, scope, walk) for e in node.expressions]))


def plain(node: object) -> tree.Expression:
    if not isinstance(node, tree.Expression):
        raise NotNative("SQL: grouping analytics inside WITH ROLLUP or CUBE")
    return node


def is_all(node: tree.Grouping) -> bool:
    only = node.expressions[0] if len(node.expressions) == 1 and not node.kind else None
    return isinstance(only, tree.Column) and [p.lower() for p in only.parts] == ["all"]


def names_all(columns: List, scope: Scope) -> bool:
    """A column called `all` is meant before the keyword."""
    return bool(find_columns(scope.frame, "all", scope.settings)) or columns.named(scope, ["all"]) is not None


def all_keys(columns: List, node: tree.Grouping, walk: Walk) -> list[Expression]:
    """GROUP BY ALL: every output without aggregates; nothing is inferred of `i + sum(j)`."""
    keys = [c.expression for c in columns.columns if not has_aggregate(c.expression)]
    if not keys and any(has_column(c.expression) for c in columns.columns):
        raise walk.located(SparkError("UNRESOLVED_ALL_IN_GROUP_BY"), node)
    return [checked(key) for key in distinct(keys)]


def has_column(expression: Expression) -> bool:
    """A column outside of aggregates."""
    if isinstance(expression, AggregateCall):
        return False
    return isinstance(expression, Column) or any(map(has_column, children_of(expression)))


def check_plain(made: Expression) -> None:
    """Spark shows casts that it added here, and nowhere else."""
    if not isinstance(made, AggregateCall) or not all(isinstance(a, Column | Literal) for a in made.arguments):
        raise NotNative("SQL: GROUP BY an aggregate that is part of an expression")


def key(node: tree.Expression, columns: List, scope: Scope, walk: Walk) -> Expression:
    """A name below first, then an alias of the list; a whole number is a place in the list."""
    place = position_of(node, walk, "spark.sql.groupByOrdinal")
    if place is not None:
        return checked(columns.at(place, node, scope, walk))
    below = Scope(scope.frame, scope.context, scope.variables, scope.outer, last=columns.named)
    made = walk.read(node, below)
    if has_aggregate(made):
        check_plain(made)
        node = columns.meant_by(node, scope)
        shown = walk.read(node, replace(below, qualifies=True)).text
        raise walk.located(SparkError("GROUP_BY_AGGREGATE", sqlExpr=shown), node)
    return checked(made)


def checked(made: Expression) -> Expression:
    if any(LATERAL in one.text for one in nodes_of(made)):
        raise SparkError("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GROUP_BY")
    if any(isinstance(one, WindowCall) for one in nodes_of(made)):
        raise NotNative("SQL: a window function in GROUP BY")
    return made


def element_sets(node: object, columns: List, scope: Scope, walk: Walk) -> Sets:
    if isinstance(node, tree.GroupingAnalytics):
        if node.kind == "GROUPING SETS":
            return [one for element in node.elements for one in nested_sets(element, columns, scope, walk)]
        parts = [expressions_of(element, columns, scope, walk) for element in node.elements]
        return rolled(node.kind, parts)
    assert isinstance(node, tree.Expression)
    return [[key(node, columns, scope, walk)]]


def nested_sets(element: object, columns: List, scope: Scope, walk: Walk) -> Sets:
    if isinstance(element, tree.GroupingAnalytics):
        return element_sets(element, columns, scope, walk)
    return [expressions_of(element, columns, scope, walk)]


def expressions_of(element: object, columns: List, scope: Scope, walk: Walk) -> list[Expression]:
    if not isinstance(element, tree.GroupingSet):
        raise NotNative("SQL: nested grouping analytics")
    return [key(e, columns, scope, walk) for e in element.expressions]


def rolled(kind: str, parts: Sets) -> Sets:
    chosen = [parts[:n] for n in range(len(parts), -1, -1)] if kind == "ROLLUP" else cubed(parts)
    return [[e for part in choice for e in part] for choice in chosen]


def crossed(factors: Sequence[Sets]) -> Sets:
    return [[e for part in choice for e in part] for choice in itertools.product(*factors)]


def distinct(keys: Sequence[Expression]) -> list[Expression]:
    out: list[Expression] = []
    for one in keys:
        if position(one, out) is None:
            out.append(one)
    return out


def with_positions(sets: Sets, named: Sequence[Expression] = ()) -> tuple[list[Expression], GroupingSets]:
    """The keys, each once, and which of them every set has."""
    keys = distinct([*named, *(e for one in sets for e in one)])
    if not keys and len(sets) > 1:
        raise NotNative("SQL: grouping sets without any key")
    return keys, tuple(tuple(sorted(places(one, keys))) for one in sets)


def places(one: Sequence[Expression], keys: Sequence[Expression]) -> set[int]:
    found = {position(e, keys) for e in one}
    return {place for place in found if place is not None}
