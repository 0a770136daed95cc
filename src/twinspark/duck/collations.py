"""Relations that compare rows of strings with a collation, in the words of those that group and join by its keys."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.plan.relations import Aggregate, Distinct, Relation, SetOperation


def is_concatenation(relation: SetOperation) -> bool:
    return relation.kind == "union" and relation.all


def as_groups(relation: Distinct) -> Relation:
    """Rows that differ are the keys of groups."""
    if relation.keys is not None and set(relation.keys) != set(range(len(relation.fields))):
        raise NotNative("rows that are distinct in some columns, beside strings with a collation")
    return Aggregate(input=relation.input, grouping=relation.input.columns(), aggregates=(), fields=relation.fields)


def in_other_words(relation: SetOperation) -> Relation:
    if relation.kind != "union":
        raise NotNative(f"{relation.kind} of strings with a collation")
    every = SetOperation(left=relation.left, right=relation.right, kind="union", all=True, fields=relation.fields)
    return as_groups(Distinct(input=every, fields=relation.fields))
