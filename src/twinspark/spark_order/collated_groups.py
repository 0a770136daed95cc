"""Groups by strings with a collation: Spark sorts the rows by collation key and returns the first of the equal
strings."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from twinspark.analysis.collations.calls import collation_key, without_collation
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_positions import ascending, sorted_by
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Aggregate, Distinct, Field, Join, Project, Relation, SetOperation
from twinspark.types import has_collation, is_collated


def has_collated_keys(relation: Aggregate) -> bool:
    return any(is_collated(value.type) for value in relation.grouping)


def as_groups(relation: Distinct) -> Aggregate:
    """SELECT DISTINCT is a group by all columns."""
    if relation.keys is not None and set(relation.keys) != set(range(len(relation.fields))):
        raise NotNative(reasons.COLLATION_GROUPS, "dropDuplicates by some columns")
    return Aggregate(input=relation.input, grouping=relation.input.columns(), aggregates=(), fields=relation.fields)


def rewrite_set_operation(relation: SetOperation) -> Relation:
    """Rewrites as Spark's optimizer does: a semi or anti join, or a UNION ALL, and then a group by all columns
    (ReplaceExceptWithAntiJoin, ReplaceIntersectWithSemiJoin)."""
    if relation.kind == "union":
        rows: Relation = replace(relation, all=True)
    elif relation.all:
        raise NotNative(reasons.COLLATION_GROUPS, f"{relation.kind} ALL")
    else:
        kind = "anti" if relation.kind == "except" else "semi"
        left, right, condition = relation.left, relation.right, equal_rows(relation)
        rows = Join(left=left, right=right, kind=kind, condition=condition, fields=left.fields)
    return as_groups(Distinct(input=rows, fields=relation.fields))


def equal_rows(relation: SetOperation) -> Expression:
    width, settings = len(relation.fields), Settings()
    theirs = [replace(column, index=column.index + width) for column in relation.right.columns()]
    pairs = zip(relation.left.columns(), theirs, strict=True)
    tests = [build.call("<=>", [collation_key(ours), collation_key(other)], settings) for ours, other in pairs]
    return reduce(lambda left, right: build.call("and", [left, right], settings), tests)


def with_first_values(relation: Aggregate, numbered: Relation, settings: Settings) -> Relation:
    """Groups in the order of their keys, each with its first strings; the last column of `numbered` is the row
    position."""
    position = numbered.columns()[-1]
    shown = [value for value in relation.grouping if has_collation(value.type)]
    firsts = tuple(build.call("min_by", [without_collation(value), position], settings) for value in shown)
    keys = tuple(map(collation_key, relation.grouping))
    fields = tuple(Field(f.name, k.type, f.nullable) for f, k in zip(relation.fields, keys, strict=False))
    made = Aggregate(
        input=numbered,
        grouping=keys,
        aggregates=(*relation.aggregates, *firsts),
        fields=(*fields, *relation.fields[len(keys) :], *(Field("", first.type, True) for first in firsts)),
    )
    return restore_columns(relation, sorted_by(made, tuple(map(ascending, made.columns()[: len(keys)]))))


def restore_columns(relation: Aggregate, made: Relation) -> Relation:
    """Puts the first strings in the columns where the collation keys are."""
    columns, values = list(made.columns()), iter(made.columns()[len(relation.fields) :])
    for index, value in enumerate(relation.grouping):
        if has_collation(value.type):
            columns[index] = replace(next(values), type=value.type, nullable=relation.fields[index].nullable)
    return Project(input=made, expressions=tuple(columns[: len(relation.fields)]), fields=relation.fields)
