"""Replaces references to WITH queries by the queries, as Spark's InlineCTE does: the row order is computed through
them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.expressions.determinism import is_deterministic
from twinspark.plan.relations import Relation, SharedRelation, expressions_in, relations_in

MOST_NODES = 400  # of the plan after inlining: WITH queries that use each other twice grow exponentially


def inline_ctes(relation: Relation) -> Relation:
    """Queries with random values are not inlined: all their references must read the same rows."""
    if not any(isinstance(each, SharedRelation) for each in relations_in(relation)):
        return relation
    return Inlining().of(relation) if node_count(relation, {}) <= MOST_NODES else relation


class Inlining:
    """A relation that is referenced several times is rewritten once."""

    def __init__(self) -> None:
        self._known: dict[int, Relation] = {}

    def of(self, relation: Relation) -> Relation:
        if id(relation) not in self._known:
            self._known[id(relation)] = self._inline(relation)
        return self._known[id(relation)]

    def _inline(self, relation: Relation) -> Relation:
        if isinstance(relation, SharedRelation):
            return self.of(relation.input) if all(map(is_deterministic, expressions_in(relation.input))) else relation
        inputs = {f.name: v for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
        changes: dict[str, Any] = {name: self.of(each) for name, each in inputs.items()}
        changed = any(each is not inputs[name] for name, each in changes.items())
        return replace(relation, **changes) if changed else relation


def node_count(relation: Relation, known: dict[int, int]) -> int:
    if id(relation) not in known:
        known[id(relation)] = 1 + sum(node_count(each, known) for each in relation.inputs)
    return known[id(relation)]
