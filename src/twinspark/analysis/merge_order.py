"""Joins where nothing is broadcast: both sides are sorted by the keys of the join, and merged (SortMergeJoinExec)."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.analysis.group_order import hashable
from twinspark.analysis.join_order import conjuncts, has_query, is_equality
from twinspark.analysis.row_places import ascending
from twinspark.plan.expressions import Call, Column, Expression, OuterColumn, SortOrder, Subquery
from twinspark.plan.relations import Join, Relation, own_expressions, relations_in
from twinspark.plan.rewrite import walk

Pairs = list[tuple[Expression, Expression]]
LEFT = ("inner", "left", "semi", "anti")  # kinds of joins that follow the rows of the left side


def merge_keys(relation: Join) -> Pairs | None:
    """The two sides of each equality; None where the order is not known."""
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
    """The parts of a condition as they are asked, each with the key by which rows are sorted anew before: an `IN` is a
    join. One that may meet a null is not merged (null-aware anti joins are broadcast whatever the settings are)."""
    found: list[tuple[Expression, Expression | None]] = []
    for part in conjuncts(condition):
        queries = [node for node in walk(part) if isinstance(node, Subquery)]
        asked, negated = asked_of(part)
        if queries and (asked is not queries[0] or not is_membership(queries[0])):
            return None
        merged = [query.values[0] for query in queries if not (negated and has_nulls(query))]
        found.append((part, merged[0] if merged else None))
    return sorted(found, key=lambda step: has_subquery(step[0]))


def asked_of(part: Expression) -> tuple[Expression, bool]:
    """What a condition asks, without what makes it false where it is null, and whether the opposite is wanted."""
    if isinstance(part, Call) and part.name == "coalesce":
        return asked_of(part.arguments[0])
    if isinstance(part, Call) and part.name == "not":
        asked, negated = asked_of(part.arguments[0])
        return asked, not negated
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
    """That of the left relation first."""
    first, second = part.arguments
    is_left = any(isinstance(node, Column) and node.index < width for node in walk(first))
    return (first, second) if is_left else (second, first)


def merged(kind: str, pairs: Pairs, left: Column, right: Column | None) -> list[SortOrder]:
    """By the keys of the side that is followed, then by where its rows stood, then by where those of the other did."""
    keys = [pair[kind == "right"] for pair in pairs]
    places = [left] if right is None else [right, left] if kind == "right" else [left, right]
    return [ascending(each) for each in (*keys, *places)]


def cluster_of(relation: Join, pairs: Pairs) -> frozenset[int]:
    """The columns by whose hash the result is shuffled; none where they are not columns of it."""
    keys = [left for left, _ in pairs]
    known = relation.kind in LEFT and all(isinstance(key, Column) for key in keys)
    return frozenset(key.index for key in keys if isinstance(key, Column)) if known else frozenset()
