"""Finds the columns of each relation that a query requires, as Spark's ColumnPruning does, and prunes the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Column, Expression, Subquery
from twinspark.plan.python_relations import PythonMap
from twinspark.plan.relations import (
    Aggregate,
    CachedRelation,
    Distinct,
    FileRecords,
    Filter,
    Generate,
    Join,
    Limit,
    Project,
    Relation,
    Repartition,
    RowPositions,
    SetOperation,
    ShowString,
    Sort,
    Tail,
    TieOrder,
    Unary,
    Window,
    own_expressions,
    relations_in,
)
from twinspark.plan.rewrite import walk

ColumnSet = frozenset[int] | None  # indexes of the required columns; None if only Spark knows, perhaps all
ReplaceUnused = Callable[[Expression], Expression]
SAME_ROWS = Filter | Sort | Limit | Tail | Repartition | Generate | RowPositions | TieOrder


def all_columns(relation: Relation) -> frozenset[int]:
    return frozenset(range(len(relation.fields)))


def prune_file_records(plan: Relation) -> Relation:
    """The plan with its FileRecords replaced by scans of the columns that the query requires."""
    if not any(isinstance(each, FileRecords) for each in relations_in(plan)):
        return plan
    if isinstance(plan, ShowString):
        return replace(plan, input=prune_file_records(plan.input))
    return prune_columns(plan, all_columns(plan))


def prune_columns(
    relation: Relation, required: ColumnSet, replace_unused: ReplaceUnused = lambda each: each
) -> Relation:
    """The relation with the same columns, pruned below; `replace_unused` rewrites expressions that are not required."""
    if isinstance(relation, FileRecords):
        return prune_records(relation, required)
    if isinstance(relation, Project):
        return prune_project(relation, required, replace_unused)
    if isinstance(relation, Join):
        return prune_join(relation, union(required, referenced_columns(own_expressions(relation))), replace_unused)
    if isinstance(relation, SetOperation):
        same = required if relation.kind == "union" and relation.all else all_columns(relation)
        left, right = (prune_columns(each, same, replace_unused) for each in relation.inputs)
        return replace(relation, left=left, right=right)
    if isinstance(relation, Unary):
        below = required_input_columns(relation, required)
        return replace(relation, input=prune_columns(relation.input, below, replace_unused))
    return relation


def required_input_columns(relation: Unary, required: ColumnSet) -> ColumnSet:
    """The columns of its input that a relation needs in order to compute its required columns."""
    if isinstance(relation, Aggregate):
        aggregates = required_expressions(relation.aggregates, required, len(relation.grouping))
        return referenced_columns((*relation.grouping, *aggregates))
    if isinstance(relation, Window):
        needed = referenced_columns(required_expressions(relation.windows, required, len(relation.input.fields)))
        return union(columns_of_input(relation, required), needed)
    if isinstance(relation, SAME_ROWS):
        return union(columns_of_input(relation, required), referenced_columns(own_expressions(relation)))
    if isinstance(relation, Distinct) and relation.keys is not None:
        return union(required, frozenset(relation.keys))
    if isinstance(relation, CachedRelation | Distinct | PythonMap):
        return all_columns(relation.input)
    return None


def columns_of_input(relation: Unary, required: ColumnSet) -> ColumnSet:
    return None if required is None else required & all_columns(relation.input)


def required_expressions(expressions: Iterable[Expression], required: ColumnSet, before: int) -> list[Expression]:
    """The required ones of these expressions, which are the output columns after the first `before` columns."""
    return [each for index, each in enumerate(expressions, before) if required is None or index in required]


def prune_project(relation: Project, required: ColumnSet, replace_unused: ReplaceUnused) -> Relation:
    def is_required(index: int) -> bool:
        return required is None or index in required

    made = tuple(
        each if is_required(index) else replace_unused(each) for index, each in enumerate(relation.expressions)
    )
    needed = referenced_columns(each for index, each in enumerate(made) if is_required(index))
    return replace(relation, expressions=made, input=prune_columns(relation.input, needed, replace_unused))


def prune_join(relation: Join, required: ColumnSet, replace_unused: ReplaceUnused) -> Relation:
    width = len(relation.left.fields)
    left: ColumnSet = None
    right: ColumnSet = None
    if required is not None and not relation.lateral:
        left = frozenset(index for index in required if index < width)
        right = frozenset(index - width for index in required if index >= width)
    return replace(
        relation,
        left=prune_columns(relation.left, left, replace_unused),
        right=prune_columns(relation.right, right, replace_unused),
    )


def prune_records(relation: FileRecords, required: ColumnSet) -> Relation:
    if required is None:
        raise NotNative(reasons.FILE_MALFORMED_RECORDS, "only Spark knows which columns it reads")
    return relation.pruned(required)


def referenced_columns(expressions: Iterable[Expression]) -> ColumnSet:
    nodes = [node for each in expressions for node in walk(each)]
    if any(isinstance(node, Subquery) for node in nodes):
        return None
    return frozenset(node.index for node in nodes if isinstance(node, Column))


def union(first: ColumnSet, second: ColumnSet) -> ColumnSet:
    return None if first is None or second is None else first | second
