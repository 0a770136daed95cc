"""Moves computed PARTITION BY and ORDER BY keys of windows to a projection below, so that OVER has only names.

DuckDB treats functions that may raise an error as volatile and rejects them inside OVER; most of Spark's may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.functions.notation.sql_text import ColumnName
from twinspark.plan.expressions import Column, Expression, Literal, SortOrder, WindowCall
from twinspark.plan.relations import Field, Project
from twinspark.plan.rewrite import map_children, walk


def are_names(relation: Project, columns: Sequence[str]) -> bool:
    """Whether keys that are columns of the input are plain names; `columns` are the SQL texts of the input's
    columns."""
    used = (key for key in window_keys(relation.expressions) if isinstance(key, Column))
    return all(isinstance(columns[key.index], ColumnName) for key in used)


def below(relation: Project) -> Project:
    """The projection over one with the computed keys as columns; unchanged if there are none."""
    keys = distinct(window_keys(relation.expressions))
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
        partition = tuple(replace_key(key, keys, places) for key in node.partition)
        ordering = tuple(replace(o, child=replace_key(o.child, keys, places)) for o in node.ordering)
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
        if key not in out and not isinstance(key, Column | Literal):
            out.append(key)
    return out


def replace_key(key: Expression, keys: Sequence[Expression], places: Sequence[Column]) -> Expression:
    return places[list(keys).index(key)] if key in keys else key
