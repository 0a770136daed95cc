"""Computes the task and the position of each row of a small relation as Spark would slice it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.scan_tasks import (
    MOST_BYTES,
    POSITION_FIELDS,
    is_small_scan,
    read_by_tasks,
    with_positions_in_task,
)
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import (
    Call,
    Column,
    Expression,
    PythonCall,
    SortOrder,
    Subquery,
    WindowCall,
    children_of,
)
from twinspark.plan.relations import (
    Filter,
    Generate,
    Limit,
    LocalData,
    OneRow,
    Project,
    Range,
    Relation,
    Scan,
    SetOperation,
    Sort,
    Values,
    own_expressions,
)
from twinspark.types import LONG

MOST_ROWS = 10_000
FAR = 1 << 40  # more than any position
LEAVES = (LocalData, Values, Range, OneRow)


def is_small(relation: Relation) -> bool:
    """Whether all rows come from local data or small files, and are below the row-order limit."""
    leaves = [leaf for leaf in leaves_of(relation) if not is_small_scan(leaf)]
    return all(isinstance(leaf, LEAVES) and size_of(leaf) <= MOST_BYTES for leaf in leaves) and (
        sum(map(rows_of, leaves)) <= MOST_ROWS
    )


def leaves_of(relation: Relation) -> list[Relation]:
    return [leaf for each in relation.inputs for leaf in leaves_of(each)] if relation.inputs else [relation]


def has_union(relation: Relation) -> bool:
    """A union has the tasks of both sides; the order in which they finish is not known."""
    return isinstance(relation, SetOperation) or any(map(has_union, relation.inputs))


def has_range(relation: Relation) -> bool:
    return any(isinstance(leaf, Range) for leaf in leaves_of(relation))


def rows_of(leaf: Relation) -> int:
    match leaf:
        case LocalData(table=table):
            return int(table.num_rows)
        case Values(rows=rows):
            return len(rows)
        case Range(start=start, end=end, step=step):
            return len(range(start, end, step))
        case _:
            return 1


def size_of(leaf: Relation) -> int:
    return int(leaf.table.nbytes) if isinstance(leaf, LocalData) else 0


def with_tasks(relation: Relation, slices: int, folds: bool = True) -> Relation:
    """Adds the task and position of each row. Projections and filters over local rows happen before slicing if Spark
    `folds` them, everything else after."""
    if folds and is_folded(relation):
        return with_positions_in_task(relation, slices)
    match relation:
        case Range(partitions=own):
            return with_positions_in_task(relation, own or slices)
        case Scan():
            return read_by_tasks(relation, slices)
        case Filter(input=input):
            below = with_tasks(input, slices, folds)
            return replace(relation, input=below, fields=below.fields)
        case Project(input=input) if has_positions(relation):
            return input
        case Generate(input=input):
            below, width = with_tasks(input, slices, folds), len(input.fields)
            wide = replace(relation, input=below, fields=(*below.fields, *relation.fields[width:]))
            columns = wide.columns()
            return with_new_positions(wide, (*columns[:width], *columns[width + 2 :]), columns[width])
        case Project(input=input, expressions=expressions):
            below = with_tasks(input, slices, folds)
            positions = below.columns()[-2:]
            return replace(
                relation,
                input=below,
                expressions=(*expressions, *positions),
                fields=(*relation.fields, *POSITION_FIELDS),
            )
        case SetOperation(left=left, right=right):
            sides = [with_tasks(side, slices, folds) for side in (left, right)]
            return union_with_tasks(relation, sides[0], sides[1], FAR * count_unions(left))
        case Limit() if not folds:
            return with_positions_in_task(relation, 0)
        case _:
            return with_positions_in_task(relation, slices)


def with_new_positions(rows: Relation, columns: Sequence[Column], task: Column) -> Project:
    """These columns of ordered rows, with their task and a new position."""
    numbered = with_positions_in_task(rows, 0)
    fields = tuple(rows.fields[column.index] for column in columns)
    expressions = (*columns, task, numbered.columns()[-1])
    return Project(input=numbered, expressions=expressions, fields=(*fields, *POSITION_FIELDS))


def has_positions(relation: Project) -> bool:
    """Whether a projection drops only the position columns of its input, so that they can be added again."""
    input = relation.input
    return input.fields[-2:] == POSITION_FIELDS and relation.expressions == input.columns()[:-2]


def count_unions(relation: Relation) -> int:
    """The number of inputs of nested unions, each of which has its own tasks."""
    match relation:
        case SetOperation(left=left, right=right):
            return count_unions(left) + count_unions(right)
        case Project(input=input) | Filter(input=input):
            return count_unions(input)
    return 1


def union_with_tasks(relation: SetOperation, left: Relation, right: Relation, far: int) -> Relation:
    """The right side's tasks follow those of the left."""
    task, position = right.columns()[-2:]
    later = [build.call("+", [c, build.literal(far, LONG)], Settings(ansi=False)) for c in (task, position)]
    right_side = Project(input=right, expressions=(*right.columns()[:-2], *later), fields=right.fields)
    return replace(relation, left=left, right=right_side, fields=(*relation.fields, *POSITION_FIELDS))


def is_folded(relation: Relation) -> bool:
    """Local rows, and expressions over them that Spark's optimizer evaluates itself (ConvertToLocalRelation)."""
    while isinstance(relation, Project | Filter | Limit):
        if not all(map(is_evaluable, own_expressions(relation))):
            return False
        relation = relation.input
    return isinstance(relation, LocalData | Values | OneRow)


def is_evaluable(expression: Expression) -> bool:
    """Whether Spark's optimizer can evaluate the expression; row numbers over local rows are counted there, here by a
    window."""
    if isinstance(expression, Call) and expression.name in POSITION_FUNCTIONS and len(expression.arguments) > 1:
        return True
    if isinstance(expression, Subquery | PythonCall | WindowCall):
        return False
    return all(map(is_evaluable, children_of(expression)))


POSITION_FUNCTIONS = frozenset({"rand", "randn", "monotonically_increasing_id", "spark_partition_id"})


def keeps_range(keys: Sequence[Expression] | None, relation: Relation) -> bool:
    """Rows of a range are partitioned by their id: grouped by it they are not shuffled."""
    return has_range(relation) and (keys is None or not all(isinstance(key, Call) for key in keys))


def ascending(child: Expression) -> SortOrder:
    return SortOrder(child=child)


def sorted_by(relation: Relation, ordering: tuple[SortOrder, ...]) -> Sort:
    return Sort(input=relation, ordering=ordering, fields=relation.fields)


def first_columns(relation: Relation, width: int) -> Project:
    return Project(input=relation, expressions=relation.columns()[:width], fields=relation.fields[:width])


def without_positions(relation: Relation) -> Project:
    return first_columns(relation, len(relation.fields) - 2)
