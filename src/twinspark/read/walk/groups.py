"""Reads GROUP BY: expressions, aliases, ordinals, ALL, ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinspark.analysis.expressions.canonical import position
from twinspark.analysis.relations.aggregates import GroupingSets, has_aggregate
from twinspark.analysis.relations.basics import Named, find_columns
from twinspark.analysis.scope.frames import alike
from twinspark.analysis.scope.names import LATERAL, Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal, WindowCall, children_of
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.queries import position_of
from twinspark.spark_order.grouping_sets import cube_sets
from twinspark.types import quote_if_needed

Sets = list[list[Expression]]


@dataclass(frozen=True)
class SelectList:
    """The SELECT list, whose columns GROUP BY may reference by alias or ordinal."""

    columns: Sequence[Named]
    nodes: Sequence[tree.Expression]

    def find_alias(self, scope: Scope, parts: Sequence[str]) -> Named | None:
        """The first column of that name, also inside expressions (spark.sql.groupByAliases)."""
        same = alike(scope.settings.case_sensitive)
        if len(parts) > 1 or not scope.context.flag("spark.sql.groupByAliases"):
            return None
        return next((Named(c.expression, c.name) for c in self.columns if same(c.name, parts[0])), None)

    def aliased_node(self, node: tree.Expression, scope: Scope) -> tree.Expression:
        """For a column that is referenced by its alias, its syntax tree in the SELECT list."""
        if not isinstance(node, tree.Column) or len(self.nodes) != len(self.columns):
            return node
        found = self.find_alias(scope, node.parts)
        for one, column in zip(self.nodes, self.columns, strict=True):
            if found is not None and column.expression is found.expression:
                return one.child if isinstance(one, tree.Alias) else one
        return node

    def at(self, ordinal: int, node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
        if any(isinstance(one, tree.Star) for one in self.nodes):
            raise SparkError("STAR_GROUP_BY_POS")
        if not 1 <= ordinal <= len(self.columns):
            raise walk.with_context(
                SparkError("GROUP_BY_POS_OUT_OF_RANGE", index=ordinal, size=len(self.columns)), node
            )
        made = self.columns[ordinal - 1].expression
        if has_aggregate(made):
            check_plain(made)
            shown = self.output_text(ordinal - 1, scope, walk)
            raise walk.with_context(SparkError("GROUP_BY_POS_AGGREGATE", index=ordinal, aggExpr=shown), node)
        return made

    def output_text(self, index: int, scope: Scope, walk: Walk) -> str:
        node = self.nodes[index]
        inner = node.child if isinstance(node, tree.Alias) else node
        text = walk.read(inner, replace(scope, qualifies=True)).text
        return f"{text} AS {quote_if_needed(self.columns[index].name)}"


def read_grouping(
    node: tree.Grouping | None, columns: SelectList, scope: Scope, walk: Walk
) -> tuple[list[Expression], GroupingSets | None]:
    if node is None:
        return [], None
    if is_all(node) and not names_all(columns, scope):
        return all_keys(columns, node, walk), None
    if node.kind in ("ROLLUP", "CUBE"):
        keys = [key(plain(e), columns, scope, walk) for e in node.expressions]
        return with_positions(rollup_or_cube_sets(node.kind, [[k] for k in keys]))
    if node.kind == "GROUPING SETS":
        keys = [key(plain(e), columns, scope, walk) for e in node.expressions]
        listed = [[key(e, columns, scope, walk) for e in one.expressions] for one in node.sets]
        return with_positions(listed, keys)
    if not any(isinstance(e, tree.GroupingAnalytics) for e in node.expressions):
        return distinct([key(plain(e), columns, scope, walk) for e in node.expressions]), None
    return with_positions(cross_sets([element_sets(e, columns, scope, walk) for e in node.expressions]))


def plain(node: object) -> tree.Expression:
    if not isinstance(node, tree.Expression):
        raise NotNative(reasons.GROUPING_SETS, "grouping analytics inside WITH ROLLUP or WITH CUBE")
    return node


def is_all(node: tree.Grouping) -> bool:
    only = node.expressions[0] if len(node.expressions) == 1 and not node.kind else None
    return isinstance(only, tree.Column) and [p.lower() for p in only.parts] == ["all"]


def names_all(columns: SelectList, scope: Scope) -> bool:
    """Whether there is a column named `all`, which takes precedence over the keyword."""
    return bool(find_columns(scope.frame, "all", scope.settings)) or columns.find_alias(scope, ["all"]) is not None


def all_keys(columns: SelectList, node: tree.Grouping, walk: Walk) -> list[Expression]:
    """GROUP BY ALL: all output columns without aggregates; no keys are inferred from `i + sum(j)`."""
    keys = [c.expression for c in columns.columns if not has_aggregate(c.expression)]
    if not keys and any(has_column(c.expression) for c in columns.columns):
        raise walk.with_context(SparkError("UNRESOLVED_ALL_IN_GROUP_BY"), node)
    return [check_key(key) for key in distinct(keys)]


def has_column(expression: Expression) -> bool:
    """Whether there is a column outside aggregates."""
    if isinstance(expression, AggregateCall):
        return False
    return isinstance(expression, Column) or any(map(has_column, children_of(expression)))


def check_plain(made: Expression) -> None:
    """Falls back, since Spark's message shows casts that it added."""
    if not isinstance(made, AggregateCall) or not all(isinstance(a, Column | Literal) for a in made.arguments):
        raise NotNative(reasons.GROUP_BY_EXPRESSION, "an aggregate function inside an expression")


def key(node: tree.Expression, columns: SelectList, scope: Scope, walk: Walk) -> Expression:
    """An input column first, then an alias of the SELECT list; an integer is an ordinal."""
    ordinal = position_of(node, walk, "spark.sql.groupByOrdinal")
    if ordinal is not None:
        return check_key(columns.at(ordinal, node, scope, walk))
    below = Scope(scope.frame, scope.context, scope.variables, scope.outer, last=columns.find_alias)
    made = walk.read(node, below)
    if has_aggregate(made):
        check_plain(made)
        node = columns.aliased_node(node, scope)
        shown = walk.read(node, replace(below, qualifies=True)).text
        raise walk.with_context(SparkError("GROUP_BY_AGGREGATE", sqlExpr=shown), node)
    return check_key(made)


def check_key(made: Expression) -> Expression:
    if any(LATERAL in one.text for one in nodes_of(made)):
        raise SparkError("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GROUP_BY")
    if any(isinstance(one, WindowCall) for one in nodes_of(made)):
        raise NotNative(reasons.GROUP_BY_EXPRESSION, "a window function")
    return made


def element_sets(node: object, columns: SelectList, scope: Scope, walk: Walk) -> Sets:
    if isinstance(node, tree.GroupingAnalytics):
        if node.kind == "GROUPING SETS":
            return [one for element in node.elements for one in nested_sets(element, columns, scope, walk)]
        parts = [expressions_of(element, columns, scope, walk) for element in node.elements]
        return rollup_or_cube_sets(node.kind, parts)
    assert isinstance(node, tree.Expression)
    return [[key(node, columns, scope, walk)]]


def nested_sets(element: object, columns: SelectList, scope: Scope, walk: Walk) -> Sets:
    if isinstance(element, tree.GroupingAnalytics):
        return element_sets(element, columns, scope, walk)
    return [expressions_of(element, columns, scope, walk)]


def expressions_of(element: object, columns: SelectList, scope: Scope, walk: Walk) -> list[Expression]:
    if not isinstance(element, tree.GroupingSet):
        raise NotNative(reasons.GROUPING_SETS, "nested grouping analytics")
    return [key(e, columns, scope, walk) for e in element.expressions]


def rollup_or_cube_sets(kind: str, parts: Sets) -> Sets:
    chosen = [parts[:n] for n in range(len(parts), -1, -1)] if kind == "ROLLUP" else cube_sets(parts)
    return [[e for part in choice for e in part] for choice in chosen]


def cross_sets(factors: Sequence[Sets]) -> Sets:
    return [[e for part in choice for e in part] for choice in itertools.product(*factors)]


def distinct(keys: Sequence[Expression]) -> list[Expression]:
    out: list[Expression] = []
    for one in keys:
        if position(one, out) is None:
            out.append(one)
    return out


def with_positions(sets: Sets, named: Sequence[Expression] = ()) -> tuple[list[Expression], GroupingSets]:
    """The distinct keys, and the indexes of each set's keys."""
    keys = distinct([*named, *(e for one in sets for e in one)])
    if not keys and len(sets) > 1:
        raise NotNative(reasons.GROUPING_SETS, "no grouping columns")
    return keys, tuple(tuple(sorted(key_indexes(one, keys))) for one in sets)


def key_indexes(one: Sequence[Expression], keys: Sequence[Expression]) -> set[int]:
    found = {position(e, keys) for e in one}
    return {index for index in found if index is not None}
