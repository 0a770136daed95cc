"""Computes what windows sort and part by in a projection of its own, where DuckDB would refuse it inside OVER."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from twinspark.plan.expressions import Column, Expression, SortOrder, WindowCall
from twinspark.plan.relations import Field, Project
from twinspark.plan.rewrite import map_children, walk

Write = Callable[[Expression], str]


def may_raise(relation: Project, write: Write) -> bool:
    """DuckDB takes whatever may raise an error as volatile."""
    return any("error(" in write(key) for key in window_keys(relation.expressions))


def below(relation: Project, write: Write) -> Project:
    """The same projection over one that has the keys as columns, if any key may raise an error."""
    keys = [key for key in distinct(window_keys(relation.expressions)) if "error(" in write(key)]
    if not keys:
        return relation
    width = len(relation.input.fields)
    inner = Project(
        input=relation.input,
        expressions=(*relation.input.columns(), *keys),
        fields=(*relation.input.fields, *(Field(k.text, k.type, k.nullable) for k in keys)),
    )
    places = [Column(type=k.type, nullable=k.nullable, text=k.text, index=width + i) for i, k in enumerate(keys)]

    def rule(node: Expression) -> Expression:
        if not isinstance(node, WindowCall):
            return map_children(node, rule)
        partition = tuple(moved(key, keys, places) for key in node.partition)
        ordering = tuple(replace(o, child=moved(o.child, keys, places)) for o in node.ordering)
        return replace(node, partition=partition, ordering=ordering)

    return replace(relation, input=inner, expressions=tuple(map(rule, relation.expressions)))


def window_keys(expressions: Sequence[Expression]) -> list[Expression]:
    windows = [node for e in expressions for node in walk(e) if isinstance(node, WindowCall)]
    return [key for w in windows for key in (*w.partition, *(children(w.ordering)))]


def children(ordering: Sequence[SortOrder]) -> list[Expression]:
    return [order.child for order in ordering]


def distinct(keys: Sequence[Expression]) -> list[Expression]:
    out: list[Expression] = []
    for key in keys:
        if key not in out and not isinstance(key, Column):
            out.append(key)
    return out


def moved(key: Expression, keys: Sequence[Expression], places: Sequence[Column]) -> Expression:
    return places[list(keys).index(key)] if key in keys else key
