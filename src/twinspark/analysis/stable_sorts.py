"""Sorts of small tables and of what Python functions gave: equal rows stay as they came, as in Spark, whose sorts are
stable; DuckDB's are not."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.row_places import MOST_BYTES, ascending, placed, without_places
from twinspark.analysis.window_order import windows_in
from twinspark.plan.pythons import PythonCoGroups, PythonGroups, PythonMap
from twinspark.plan.relations import Filter, Limit, Project, Relation, Scan, ShowString, Sort

IN_ORDER = (PythonGroups, PythonCoGroups, PythonMap)  # what a function gave for a group, or at once, stays together


def with_stable_sort(relation: Relation) -> Relation:
    """The same relation where its last sort is of anything else than the rows of one small table."""
    match relation:
        case Project() | Limit() | ShowString():
            return replace(relation, input=with_stable_sort(relation.input))
        case Sort(is_global=True) if is_read_in_order(relation.input):
            return sorted_in_place(relation)
    return relation


def is_read_in_order(relation: Relation) -> bool:
    while isinstance(relation, Filter) or (isinstance(relation, Project) and not windows_in(relation.expressions)):
        relation = relation.input
    if isinstance(relation, Scan):
        return bool(relation.input_files) and relation.size_in_bytes <= MOST_BYTES
    return isinstance(relation, IN_ORDER)


def sorted_in_place(relation: Sort) -> Relation:
    numbered = placed(relation.input, 0)
    order = (*relation.ordering, ascending(numbered.columns()[-1]))
    return without_places(replace(relation, input=numbered, ordering=order, fields=numbered.fields))
