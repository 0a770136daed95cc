"""Gives mapInPandas, mapInArrow and iterator functions one iterator for each of Spark's partitions, where a program can
see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.partitions.partition_counts import partitions_of
from twinspark.analysis.partitions.repartition import tasks_of, with_partitions
from twinspark.analysis.partitions.row_positions import ascending, first_columns, sorted_by
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import PythonCall
from twinspark.plan.python_functions import ITERATORS, PythonFunction
from twinspark.plan.python_relations import PythonAggregateCall, PythonCoGroups, PythonGroups, PythonMap, PythonTable
from twinspark.plan.relations import Range, Relation, Repartition, own_expressions, relations_in
from twinspark.plan.rewrite import walk


def divide_maps(relation: Relation, config: Mapping[str, str], settings: Settings) -> Relation:
    """The same plan, with the partition of each row below every map. Falls back where the program chose the partitions
    (range, repartition, coalesce) and their rows are not known here."""
    below = {f.name: v for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
    divided = {name: divide_maps(each, config, settings) for name, each in below.items()}
    changes: dict[str, Any] = {name: each for name, each in divided.items() if each is not below[name]}
    relation = replace(relation, **changes) if changes else relation
    if isinstance(relation, PythonMap):
        return divide_map(relation, config, settings)
    if has_chosen_partitions(relation) and any(map(has_iterator, own_expressions(relation))):
        raise NotNative(reasons.PARTITIONS, "an iterator function over chosen partitions")
    return relation


def divide_map(relation: PythonMap, config: Mapping[str, str], settings: Settings) -> Relation:
    found = partitions_of(config)
    settings = replace(settings, slices=found.slices if found is not None else 0)
    count = partition_count(relation.input, settings) if settings.slices else None
    if count == 1:
        return relation
    wide = None if count is None else with_partitions(relation.input, settings, alike=False)
    if count is not None and wide is not None:
        rows = sorted_by(wide, tuple(map(ascending, wide.columns()[-2:])))
        return replace(relation, input=first_columns(rows, len(wide.fields) - 1), partitions=count)
    if has_chosen_partitions(relation):
        raise NotNative(reasons.PARTITIONS, "a map over chosen partitions")
    check_task_context([relation.function])
    return relation


def check_task_contexts(relation: Relation) -> None:
    """Falls back for functions other than maps, which run in one task here, if they ask for their task."""
    for each in relations_in(relation):
        check_task_context(functions_of(each))


def check_task_context(functions: Iterable[PythonFunction]) -> None:
    """The names that a function's code uses are in its pickled form."""
    if any(b"TaskContext" in each.command for each in functions):
        raise NotNative(reasons.PARTITIONS, "a Python function that asks for its task context")


def functions_of(relation: Relation) -> Iterator[PythonFunction]:
    if isinstance(relation, PythonGroups | PythonCoGroups | PythonTable):
        yield relation.function
    for node in (node for expression in own_expressions(relation) for node in walk(expression)):
        if isinstance(node, PythonCall | PythonAggregateCall):
            yield node.function


def partition_count(relation: Relation, settings: Settings) -> int | None:
    if not isinstance(relation, Repartition):
        return tasks_of(relation, settings)
    if relation.how != "coalesce":
        return relation.count or None
    below = tasks_of(relation.input, settings)
    return None if below is None else min(relation.count, below)


def has_chosen_partitions(relation: Relation) -> bool:
    """Whether the program chose a number of partitions below; which operators keep them is known to Spark only."""
    return any(
        (isinstance(each, Range) and each.partitions > 1) or (isinstance(each, Repartition) and each.count > 1)
        for each in relations_in(relation)
    )


def has_iterator(expression: Any) -> bool:
    return any(isinstance(node, PythonCall) and node.function.eval_type in ITERATORS for node in walk(expression))
