"""Groups of strings with a collation: Spark sorts the rows by the keys, and shows the first of those that are equal."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from twinspark.analysis import build
from twinspark.analysis.collated_calls import bare, key
from twinspark.analysis.row_places import ascending, sorted_by
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Aggregate, Distinct, Field, Join, Project, Relation, SetOperation
from twinspark.types import has_collation, is_collated


def has_collated_keys(relation: Aggregate) -> bool:
    return any(is_collated(value.type) for value in relation.grouping)


def as_groups(relation: Distinct) -> Aggregate:
    """Rows that differ are the keys of groups."""
    if relation.keys is not None and set(relation.keys) != set(range(len(relation.fields))):
        raise NotNative("rows that are distinct in some columns, beside strings with a collation")
    return Aggregate(input=relation.input, grouping=relation.input.columns(), aggregates=(), fields=relation.fields)


def in_other_words(relation: SetOperation) -> Relation:
    """As Spark's optimizer says them: a half join of both sides, or all rows of both, and then their groups
    (ReplaceExceptWithAntiJoin, ReplaceIntersectWithSemiJoin)."""
    if relation.kind == "union":
        rows: Relation = replace(relation, all=True)
    elif relation.all:
        raise NotNative(f"{relation.kind} of all rows of strings with a collation")
    else:
        kind = "anti" if relation.kind == "except" else "semi"
        left, right, condition = relation.left, relation.right, equal_rows(relation)
        rows = Join(left=left, right=right, kind=kind, condition=condition, fields=left.fields)
    return as_groups(Distinct(input=rows, fields=relation.fields))


def equal_rows(relation: SetOperation) -> Expression:
    width, settings = len(relation.fields), Settings()
    theirs = [replace(column, index=column.index + width) for column in relation.right.columns()]
    pairs = zip(relation.left.columns(), theirs, strict=True)
    tests = [build.call("<=>", [key(ours), key(other)], settings) for ours, other in pairs]
    return reduce(lambda left, right: build.call("and", [left, right], settings), tests)


def with_first_values(relation: Aggregate, numbered: Relation, settings: Settings) -> Relation:
    """The groups in the order of their keys; the last column of `numbered` is the rows' place."""
    place = numbered.columns()[-1]
    shown = [value for value in relation.grouping if has_collation(value.type)]
    firsts = tuple(build.call("min_by", [bare(value), place], settings) for value in shown)
    keys = tuple(map(key, relation.grouping))
    fields = tuple(Field(f.name, k.type, f.nullable) for f, k in zip(relation.fields, keys, strict=False))
    made = Aggregate(
        input=numbered,
        grouping=keys,
        aggregates=(*relation.aggregates, *firsts),
        fields=(*fields, *relation.fields[len(keys) :], *(Field("", first.type, True) for first in firsts)),
    )
    return as_before(relation, sorted_by(made, tuple(map(ascending, made.columns()[: len(keys)]))))


def as_before(relation: Aggregate, made: Relation) -> Relation:
    """The columns of the groups, the values where the keys are."""
    columns, values = list(made.columns()), iter(made.columns()[len(relation.fields) :])
    for index, value in enumerate(relation.grouping):
        if has_collation(value.type):
            columns[index] = replace(next(values), type=value.type, nullable=relation.fields[index].nullable)
    return Project(input=made, expressions=tuple(columns[: len(relation.fields)]), fields=relation.fields)
