"""Walks GROUP BY: expressions, aliases, ordinals, ALL, ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from twinspark.analysis.aggregates import GroupingSets, has_aggregate
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression, Literal, children_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.queries import is_ordinal, ordinal_value

Sets = list[list[Expression]]


def read_grouping(
    node: tree.Grouping | None, columns: Sequence[Named], scope: Scope, walk: Walk
) -> tuple[list[Expression], GroupingSets | None]:
    if node is None:
        return [], None
    if is_all(node):
        return [key for c in columns for key in all_keys(c.expression)], None
    if node.kind in ("ROLLUP", "CUBE"):
        keys = [key(plain(e), columns, scope, walk) for e in node.expressions]
        return with_positions(rolled(node.kind, [[k] for k in keys]))
    if node.kind == "GROUPING SETS":
        listed = [[key(e, columns, scope, walk) for e in one.expressions] for one in node.sets]
        return with_positions(listed)
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


def all_keys(expression: Expression) -> list[Expression]:
    """GROUP BY ALL: every output without aggregates; of one with, the parts beside them."""
    if not has_aggregate(expression):
        return [expression]
    if any(not isinstance(c, Literal) and not has_aggregate(c) for c in children_of(expression)):
        raise NotNative("SQL: GROUP BY ALL beside an aggregate in one expression")
    return []


def key(node: tree.Expression, columns: Sequence[Named], scope: Scope, walk: Walk) -> Expression:
    """A name below first, then an alias of the list; a whole number is a place in the list."""
    made = walk.read(node, with_aliases(scope, columns))
    if is_ordinal(made) and isinstance(node, tree.NumberLiteral):
        place = ordinal_value(made)
        if not 1 <= place <= len(columns):
            raise SparkError("GROUP_BY_POS_OUT_OF_RANGE", index=place, size=len(columns))
        made = columns[place - 1].expression
        if has_aggregate(made):
            raise SparkError("GROUP_BY_POS_AGGREGATE", index=place, aggExpr=made.text)
    if has_aggregate(made):
        raise SparkError("GROUP_BY_AGGREGATE", sqlExpr=made.text)
    return made


def with_aliases(scope: Scope, columns: Sequence[Named]) -> Scope:
    aliases = {c.name.lower(): c.expression for c in reversed(columns)}
    return Scope(scope.frame, scope.context, scope.variables, scope.outer, aliases=aliases)


def element_sets(node: object, columns: Sequence[Named], scope: Scope, walk: Walk) -> Sets:
    if isinstance(node, tree.GroupingAnalytics):
        if node.kind == "GROUPING SETS":
            return [one for element in node.elements for one in nested_sets(element, columns, scope, walk)]
        parts = [expressions_of(element, columns, scope, walk) for element in node.elements]
        return rolled(node.kind, parts)
    assert isinstance(node, tree.Expression)
    return [[key(node, columns, scope, walk)]]


def nested_sets(element: object, columns: Sequence[Named], scope: Scope, walk: Walk) -> Sets:
    if isinstance(element, tree.GroupingAnalytics):
        return element_sets(element, columns, scope, walk)
    return [expressions_of(element, columns, scope, walk)]


def expressions_of(element: object, columns: Sequence[Named], scope: Scope, walk: Walk) -> list[Expression]:
    if not isinstance(element, tree.GroupingSet):
        raise NotNative("SQL: nested grouping analytics")
    return [key(e, columns, scope, walk) for e in element.expressions]


def rolled(kind: str, parts: Sets) -> Sets:
    if kind == "ROLLUP":
        chosen = [parts[:n] for n in range(len(parts), -1, -1)]
    else:
        chosen = [list(c) for n in range(len(parts), -1, -1) for c in itertools.combinations(parts, n)]
    return [[e for part in choice for e in part] for choice in chosen]


def crossed(factors: Sequence[Sets]) -> Sets:
    return [[e for part in choice for e in part] for choice in itertools.product(*factors)]


def distinct(keys: Sequence[Expression]) -> list[Expression]:
    out: list[Expression] = []
    for one in keys:
        if one not in out:
            out.append(one)
    return out


def with_positions(sets: Sets) -> tuple[list[Expression], GroupingSets]:
    keys = distinct([e for one in sets for e in one])
    return keys, tuple(tuple(sorted({keys.index(e) for e in one})) for one in sets)
