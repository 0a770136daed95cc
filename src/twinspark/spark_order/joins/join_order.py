"""Which side of a join Spark streams below the row-order limit, and in which order it meets the other side's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow.compute as pc

from twinspark.functions.strings.collations import uncollated_type
from twinspark.plan.column_pruning import ColumnSet
from twinspark.plan.expressions import Call, Column, Expression, Literal, SortOrder, Subquery
from twinspark.plan.relations import (
    Field,
    Filter,
    Join,
    LocalData,
    OneRow,
    Project,
    Relation,
    Repartition,
    Scan,
    Values,
)
from twinspark.plan.rewrite import walk
from twinspark.spark_order.joins.join_columns import Sides
from twinspark.types import DataType, DecimalType

WIDTHS = {  # DataType.defaultSize
    **dict.fromkeys(("tinyint", "boolean", "void"), 1),
    **dict.fromkeys(("smallint",), 2),
    **dict.fromkeys(("int", "float", "date"), 4),
    **dict.fromkeys(("bigint", "double", "timestamp", "timestamp_ntz"), 8),
    "string": 20,
    "binary": 100,
}
ROW_OVERHEAD = 8  # EstimationUtils.getSizePerRow


@dataclass(frozen=True)
class Streamed:
    """`newest_first`: the hash table returns the rows of a key in reverse order of insertion."""

    left: bool
    newest_first: bool

    def ordering(self, left: Column, right: Column | None) -> tuple[SortOrder, ...]:
        """Orders the pairs by the row positions of both sides; a semi or anti join has only the left side's."""
        if right is None:
            return (SortOrder(child=left),)
        first, second = (left, right) if self.left else (right, left)
        return (SortOrder(child=first), SortOrder(child=second, ascending=not self.newest_first))


def streamed_of(relation: Join, required: Sides) -> Streamed | None:
    """None where it is not known: full and lateral joins, and inner joins whose sides have unknown sizes.

    Nor with a subquery in the condition, which refers to the columns of both sides by index."""
    if relation.lateral or relation.kind == "full" or has_query(relation):
        return None
    newest_first = has_equal_sides(relation)
    if relation.kind in ("left", "semi", "anti"):
        return Streamed(True, newest_first)
    if relation.kind == "right":
        return Streamed(False, newest_first)
    width = len(relation.left.fields)
    keys = [key.index for key in equal_columns(relation, width)]
    left = size_of(relation.left, [i for i in keys if i < width], required[0])
    right = size_of(relation.right, [i - width for i in keys if i >= width], required[1])
    if left is None or right is None:
        return None
    return Streamed(right <= left, newest_first)


def has_query(relation: Join) -> bool:
    return relation.condition is not None and any(isinstance(node, Subquery) for node in walk(relation.condition))


def has_equal_sides(relation: Join) -> bool:
    """Whether a conjunct of the condition compares the two sides for equality: then Spark plans a hash join."""
    if relation.condition is None:
        return False
    width = len(relation.left.fields)
    return any(is_equality(part, width) for part in conjuncts(relation.condition))


def equal_columns(relation: Join, width: int) -> list[Column]:
    """Columns that an equality compares: rows with a null in them are filtered before the sizes are compared."""
    parts = conjuncts(relation.condition) if relation.condition is not None else []
    equal = [part for part in parts if is_equality(part, width) and isinstance(part, Call) and part.name == "=="]
    return [node for part in equal for node in walk(part) if isinstance(node, Column)]


def conjuncts(condition: Expression) -> list[Expression]:
    if isinstance(condition, Call) and condition.name == "and":
        return [part for argument in condition.arguments for part in conjuncts(argument)]
    return [condition]


def is_equality(part: Expression, width: int) -> bool:
    if not isinstance(part, Call) or part.name not in ("==", "<=>"):
        return False
    sides = [{c.index < width for c in walk(argument) if isinstance(c, Column)} for argument in part.arguments]
    return len(sides) == 2 and sorted(map(sorted, sides)) == [[False], [True]]


def size_of(relation: Relation, keys: Sequence[int], required: ColumnSet) -> int | None:
    """Statistics.sizeInBytes of a leaf under projections to the required columns; None if Spark would have to
    estimate."""
    if required is None:
        return None
    width = row_width([relation.fields[position] for position in required])
    scanned = scan_below(relation)
    if scanned is not None and width is not None:
        whole = row_width(scanned.fields)
        return None if whole is None else max(scanned.size_in_bytes * width // whole, 1)
    rows = rows_of(relation, keys)
    return None if rows is None or width is None else max(rows * width, 1)


def scan_below(relation: Relation) -> Scan | None:
    """The scan below projections and filters: without statistics a filter does not change the estimated size."""
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return relation if isinstance(relation, Scan) else None


def rows_of(relation: Relation, keys: Sequence[int]) -> int | None:
    """The number of rows whose keys are not null."""
    while isinstance(relation, Project | Repartition):
        below = [relation.columns()[i] if isinstance(relation, Repartition) else relation.expressions[i] for i in keys]
        if not all(isinstance(e, Column) for e in below):
            return None
        relation, keys = relation.input, [e.index for e in below if isinstance(e, Column)]
    match relation:
        case LocalData(table=table) if table.num_columns:
            known = [pc.is_valid(table.column(i)) for i in keys]
            return int(table.num_rows if not known else pc.sum(reduce(pc.and_, known)).as_py() or 0)
        case Values(rows=rows) if all(isinstance(row[i], Literal) for row in rows for i in keys):
            return sum(not any(is_null_literal(row[i]) for i in keys) for row in rows)
        case OneRow():
            return 1
        case _:
            return None


def is_null_literal(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def row_width(fields: Sequence[Field]) -> int | None:
    widths = [width_of(field.type) for field in fields]
    known = [width for width in widths if width is not None]
    return ROW_OVERHEAD + sum(known) if len(known) == len(widths) else None


def width_of(type: DataType) -> int | None:
    if isinstance(type, DecimalType):
        return 8 if type.precision <= 18 else 16
    return WIDTHS.get(uncollated_type(type).simpleString())
