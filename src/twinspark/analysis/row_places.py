"""Where the rows of a small relation stand: which task of Spark's has them, and at which place they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.scan_tasks import MOST_BYTES, PLACES, is_small_scan, placed, read_by_tasks
from twinspark.functions.settings import Settings
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
FAR = 1 << 40  # more than any place
LEAVES = (LocalData, Values, Range, OneRow)


def is_small(relation: Relation) -> bool:
    """Every row comes from the query itself, or from small files, and there are few."""
    leaves = [leaf for leaf in leaves_of(relation) if not is_small_scan(leaf)]
    return all(isinstance(leaf, LEAVES) and size_of(leaf) <= MOST_BYTES for leaf in leaves) and (
        sum(map(rows_of, leaves)) <= MOST_ROWS
    )


def leaves_of(relation: Relation) -> list[Relation]:
    return [leaf for each in relation.inputs for leaf in leaves_of(each)] if relation.inputs else [relation]


def has_union(relation: Relation) -> bool:
    """Whose tasks are those of both sides; in which order they are merged is not known."""
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


def tasked(relation: Relation, slices: int, folds: bool = True) -> Relation:
    """Projections and filters over local rows are done before these are sliced, where Spark `folds` them, all else
    after."""
    if folds and is_folded(relation):
        return placed(relation, slices)
    match relation:
        case Range(partitions=own):
            return placed(relation, own or slices)
        case Scan():
            return read_by_tasks(relation, slices)
        case Filter(input=input):
            below = tasked(input, slices, folds)
            return replace(relation, input=below, fields=below.fields)
        case Project(input=input) if was_placed(relation):
            return input
        case Generate(input=input):
            below, width = tasked(input, slices, folds), len(input.fields)
            wide = replace(relation, input=below, fields=(*below.fields, *relation.fields[width:]))
            columns = wide.columns()
            return renumbered(wide, (*columns[:width], *columns[width + 2 :]), columns[width])
        case Project(input=input, expressions=expressions):
            below = tasked(input, slices, folds)
            places = below.columns()[-2:]
            return replace(
                relation, input=below, expressions=(*expressions, *places), fields=(*relation.fields, *PLACES)
            )
        case SetOperation(left=left, right=right):
            sides = [tasked(side, slices, folds) for side in (left, right)]
            return both_tasked(relation, sides[0], sides[1], FAR * united(left))
        case Limit() if not folds:
            return placed(relation, 0)
        case _:
            return placed(relation, slices)


def renumbered(rows: Relation, columns: Sequence[Column], task: Column) -> Project:
    """Those columns of rows that come in order, with the task and a place of each."""
    numbered = placed(rows, 0)
    fields = tuple(rows.fields[column.index] for column in columns)
    expressions = (*columns, task, numbered.columns()[-1])
    return Project(input=numbered, expressions=expressions, fields=(*fields, *PLACES))


def was_placed(relation: Project) -> bool:
    """Only without the places of its input, which it may have back."""
    input = relation.input
    return input.fields[-2:] == PLACES and relation.expressions == input.columns()[:-2]


def united(relation: Relation) -> int:
    """Of how many parts a union consists that have tasks of their own."""
    match relation:
        case SetOperation(left=left, right=right):
            return united(left) + united(right)
        case Project(input=input) | Filter(input=input):
            return united(input)
    return 1


def both_tasked(relation: SetOperation, left: Relation, right: Relation, far: int) -> Relation:
    """The tasks of the right come after those of the left."""
    task, place = right.columns()[-2:]
    later = [build.call("+", [c, build.literal(far, LONG)], Settings(ansi=False)) for c in (task, place)]
    behind = Project(input=right, expressions=(*right.columns()[:-2], *later), fields=right.fields)
    return replace(relation, left=left, right=behind, fields=(*relation.fields, *PLACES))


def is_folded(relation: Relation) -> bool:
    """Local rows, and what Spark's optimizer computes of them itself (ConvertToLocalRelation)."""
    while isinstance(relation, Project | Filter | Limit):
        if not all(map(is_evaluable, own_expressions(relation))):
            return False
        relation = relation.input
    return isinstance(relation, LocalData | Values | OneRow)


def is_evaluable(expression: Expression) -> bool:
    """Numbers of rows among local ones are counted here by a window, and there by the optimizer as it goes."""
    if isinstance(expression, Call) and expression.name in BY_PLACE and len(expression.arguments) > 1:
        return True
    if isinstance(expression, Subquery | PythonCall | WindowCall):
        return False
    return all(map(is_evaluable, children_of(expression)))


BY_PLACE = frozenset({"rand", "randn", "monotonically_increasing_id", "spark_partition_id"})


def keeps_range(keys: Sequence[Expression] | None, relation: Relation) -> bool:
    """Rows of a range stand by their number already: grouped by it they are not shuffled."""
    return has_range(relation) and (keys is None or not all(isinstance(key, Call) for key in keys))


def ascending(child: Expression) -> SortOrder:
    return SortOrder(child=child)


def sorted_by(relation: Relation, ordering: tuple[SortOrder, ...]) -> Sort:
    return Sort(input=relation, ordering=ordering, fields=relation.fields)


def first_columns(relation: Relation, width: int) -> Project:
    return Project(input=relation, expressions=relation.columns()[:width], fields=relation.fields[:width])


def without_places(relation: Relation) -> Project:
    return first_columns(relation, len(relation.fields) - 2)
