"""Collects what a plan contains in one walk, so that passes and checks need not walk again to find nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from twinspark.plan.expressions import AggregateCall, Call, Cast, Column, Expression, Subquery, children_of
from twinspark.plan.relations import Relation, own_expressions


@dataclass(frozen=True)
class Contents:
    """The node classes of a plan and its subqueries; `calls` counts the calls of each function by name, `computed` are
    all calls and casts, `subqueries` the relations of subqueries."""

    kinds: frozenset[type]
    calls: Counter[str]
    computed: tuple[Call | Cast, ...] = ()
    subqueries: tuple[Relation, ...] = ()

    @cached_property
    def classes(self) -> frozenset[type]:
        """The node classes and their base classes."""
        return frozenset(base for each in self.kinds for base in each.__mro__)

    def has(self, *kinds: type) -> bool:
        return not self.classes.isdisjoint(kinds)

    def calls_any(self, names: Iterable[str]) -> bool:
        return not self.calls.keys().isdisjoint(names)

    @cached_property
    def is_deterministic(self) -> bool:
        return all(each.signature.deterministic for each in self.computed if isinstance(each, Call))

    @cached_property
    def has_distinct_aggregates(self) -> bool:
        return any(isinstance(each, AggregateCall) and each.distinct for each in self.computed)


def contents_of(plan: Relation) -> Contents:
    """Visits a relation that is used several times only once: nested WITH queries may repeat it exponentially."""
    kinds: set[type] = set()
    calls: Counter[str] = Counter()
    computed: list[Call | Cast] = []
    subqueries: list[Relation] = []
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
                computed.append(node)
            elif isinstance(node, Cast):
                computed.append(node)
            elif isinstance(node, Subquery):
                relations.append(node.relation)
                subqueries.append(node.relation)
    return Contents(frozenset(kinds), calls, tuple(computed), tuple(subqueries))
