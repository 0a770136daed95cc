"""The row order of joins without broadcast: Spark sorts both sides by the join keys and merges them
(SortMergeJoinExec)."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.analysis.partitions.group_order import hashable
from twinspark.analysis.partitions.row_positions import ascending
from twinspark.plan.expressions import Call, Column, Expression, OuterColumn, SortOrder, Subquery
from twinspark.plan.relations import Join, Relation, own_expressions, relations_in
from twinspark.plan.rewrite import walk
from twinspark.spark_order.joins.join_order import conjuncts, has_query, is_equality

Pairs = list[tuple[Expression, Expression]]
LEFT = ("inner", "left", "semi", "anti")  # join types that stream the left side


def merge_keys(relation: Join) -> Pairs | None:
    """The two sides of each equality; None if the row order is not known."""
    if relation.condition is None or relation.lateral or has_query(relation) or relation.kind not in (*LEFT, "right"):
        return None
    width = len(relation.left.fields)
    equal = [part for part in conjuncts(relation.condition) if is_equality(part, width)]
    pairs = [sides(part, width) for part in equal if isinstance(part, Call) and part.name == "=="]
    keys = [key for pair in pairs for key in pair]
    if not pairs or len(pairs) < len(equal) or not all(hashable(key.type) for key in keys):
        return None
    return pairs


def query_steps(condition: Expression) -> list[tuple[Expression, Expression | None]] | None:
    """The conjuncts of a filter in the order in which Spark evaluates them, each with the key by which rows are sorted
    before: `IN (query)` is planned as a join. A null-aware anti join is broadcast whatever the settings are, so it does
    not sort."""
    found: list[tuple[Expression, Expression | None]] = []
    for part in conjuncts(condition):
        queries = [node for node in walk(part) if isinstance(node, Subquery)]
        test, negated = strip_negation(part)
        if queries and (test is not queries[0] or not is_membership(queries[0])):
            return None
        merged = [query.values[0] for query in queries if not (negated and has_nulls(query))]
        found.append((part, merged[0] if merged else None))
    return sorted(found, key=lambda step: has_subquery(step[0]))


def strip_negation(part: Expression) -> tuple[Expression, bool]:
    """The condition without the coalesce(..., false) and NOT around it, and whether it is negated."""
    if isinstance(part, Call) and part.name == "coalesce":
        return strip_negation(part.arguments[0])
    if isinstance(part, Call) and part.name == "not":
        test, negated = strip_negation(part.arguments[0])
        return test, not negated
    return part, isinstance(part, Subquery) and part.negated


def has_subquery(condition: Expression) -> bool:
    return any(isinstance(node, Subquery) for node in walk(condition))


def is_membership(query: Subquery) -> bool:
    alone = not any(isinstance(node, OuterColumn) for node in deep_expressions(query.relation))
    return query.kind == "in" and len(query.values) == 1 and alone and hashable(query.values[0].type)


def has_nulls(query: Subquery) -> bool:
    return query.values[0].nullable or query.relation.fields[0].nullable


def deep_expressions(relation: Relation) -> Iterator[Expression]:
    for each in relations_in(relation):
        for expression in own_expressions(each):
            yield from walk(expression)


def sides(part: Call, width: int) -> tuple[Expression, Expression]:
    """The two operands of an equality, that of the left relation first."""
    first, second = part.arguments
    is_left = any(isinstance(node, Column) and node.index < width for node in walk(first))
    return (first, second) if is_left else (second, first)


def merge_ordering(kind: str, pairs: Pairs, left: Column, right: Column | None) -> list[SortOrder]:
    """By the keys of the streamed side, then by its row positions, then by those of the other side."""
    keys = [pair[kind == "right"] for pair in pairs]
    positions = [left] if right is None else [right, left] if kind == "right" else [left, right]
    return [ascending(each) for each in (*keys, *positions)]


def cluster_of(relation: Join, pairs: Pairs) -> frozenset[int]:
    """The columns by whose hash the result is partitioned; none if the keys are not plain columns."""
    keys = [left for left, _ in pairs]
    known = relation.kind in LEFT and all(isinstance(key, Column) for key in keys)
    return frozenset(key.index for key in keys if isinstance(key, Column)) if known else frozenset()
