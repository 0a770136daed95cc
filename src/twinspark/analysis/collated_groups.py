"""Groups by strings with a collation: Spark sorts the rows by the keys, and shows the first of those that are equal."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.collated_calls import bare, key
from twinspark.analysis.row_places import ascending, sorted_by
from twinspark.functions.settings import Settings
from twinspark.plan.relations import Aggregate, Distinct, Field, Project, Relation
from twinspark.types import has_collation, is_collated


def has_collated_keys(relation: Aggregate) -> bool:
    return any(is_collated(value.type) for value in relation.grouping)


def as_groups(relation: Distinct) -> Aggregate:
    return Aggregate(input=relation.input, grouping=relation.input.columns(), aggregates=(), fields=relation.fields)


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
