"""Keeps ties in input order in sorts of small tables and of rows from Python functions: Spark's sorts are stable,
DuckDB's are not."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.partitions.row_positions import MOST_BYTES, ascending, with_positions_in_task, without_positions
from twinspark.plan.python_relations import PythonCoGroups, PythonGroups, PythonMap
from twinspark.plan.relations import Filter, Limit, Project, Relation, Scan, ShowString, Sort
from twinspark.spark_order.window_order import windows_in

# the rows that a Python function returns for a group or a batch stay together
IN_ORDER = (PythonGroups, PythonCoGroups, PythonMap)


def with_stable_sort(relation: Relation) -> Relation:
    """Returns the same relation unless its last sort is over the rows of one small table."""
    match relation:
        case Project() | Limit() | ShowString():
            below = with_stable_sort(relation.input)
            return relation if below is relation.input else replace(relation, input=below)
        case Sort(is_global=True) if is_read_in_order(relation.input):
            return sort_by_input_position(relation)
    return relation


def is_read_in_order(relation: Relation) -> bool:
    while isinstance(relation, Filter) or (isinstance(relation, Project) and not windows_in(relation.expressions)):
        relation = relation.input
    if isinstance(relation, Scan):
        return bool(relation.input_files) and relation.size_in_bytes <= MOST_BYTES
    return isinstance(relation, IN_ORDER)


def sort_by_input_position(relation: Sort) -> Relation:
    numbered = with_positions_in_task(relation.input, 0)
    order = (*relation.ordering, ascending(numbered.columns()[-1]))
    return without_positions(replace(relation, input=numbered, ordering=order, fields=numbered.fields))
