"""Collects the classes of the relations and expressions of a plan, and the functions it calls, in one walk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from twinspark.plan.expressions import Call, Column, Expression, Subquery, children_of
from twinspark.plan.relations import Relation, own_expressions


@dataclass(frozen=True)
class Contents:
    """The node classes of a plan and its subqueries; `calls` counts the calls of each function by name."""

    kinds: frozenset[type]
    calls: Counter[str]

    def has(self, *kinds: type) -> bool:
        return any(issubclass(each, kinds) for each in self.kinds)


def contents_of(plan: Relation) -> Contents:
    """Visits a relation that is used several times only once: nested WITH queries may repeat it exponentially."""
    kinds: set[type] = set()
    calls: Counter[str] = Counter()
    seen: set[int] = set()
    relations, expressions = [plan], list[Expression]()
    while relations:
        relation = relations.pop()
        if id(relation) in seen:
            continue
        seen.add(id(relation))
        kinds.add(relation.__class__)
        relations.extend(relation.inputs)
        expressions.extend(each for each in own_expressions(relation) if each.__class__ is not Column)
        while expressions:
            node = expressions.pop()
            kinds.add(node.__class__)
            expressions.extend(children_of(node))
            if isinstance(node, Call):
                calls[node.name] += 1
            elif isinstance(node, Subquery):
                relations.append(node.relation)
    return Contents(frozenset(kinds), calls)
