"""A join of two sides whose rows have positions: sorts the result by them and drops the position columns again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from twinspark.analysis.partitions.row_positions import sorted_by, with_new_positions
from twinspark.plan.expressions import Column, Expression, SortOrder
from twinspark.plan.relations import Field, Join, Project, Relation
from twinspark.plan.rewrite import map_children


@dataclass(frozen=True)
class JoinedRows:
    """`left` and `right` are the join's inputs with the task and position of each row as their last two columns."""

    join: Join
    left: Relation
    right: Relation

    @property
    def is_half(self) -> bool:
        return self.join.kind in ("semi", "anti")

    @property
    def width(self) -> int:
        return len(self.join.left.fields)

    @cached_property
    def numbered_join(self) -> Join:
        condition = None if self.join.condition is None else self.shift_columns(self.join.condition)
        return replace(self.join, left=self.left, right=self.right, condition=condition, fields=self.fields())

    def fields(self) -> tuple[Field, ...]:
        if self.is_half:
            return self.left.fields
        kind = self.join.kind
        return (*nullable(self.left, kind in ("right", "full")), *nullable(self.right, kind in ("left", "full")))

    @property
    def left_position(self) -> Column:
        return self.numbered_join.column(self.width + 1)

    @property
    def right_position(self) -> Column | None:
        return None if self.is_half else self.numbered_join.columns()[-1]

    def shift_columns(self, expression: Expression) -> Expression:
        """Shifts column indexes of the right side by the two position columns of the left side."""
        if isinstance(expression, Column):
            return replace(expression, index=expression.index + (2 if expression.index >= self.width else 0))
        return map_children(expression, self.shift_columns)

    def in_order(self, ordering: Sequence[SortOrder], by_left: bool) -> Project:
        """Sorts the rows and gives each a new position; its task is that of the left or the right row."""
        rows = sorted_by(self.numbered_join, tuple(ordering))
        columns, width = rows.columns(), self.width
        chosen = columns[:width] if self.is_half else (*columns[:width], *columns[width + 2 : -2])
        return with_new_positions(rows, chosen, columns[width] if by_left else columns[-2])


def nullable(relation: Relation, missing: bool) -> tuple[Field, ...]:
    return tuple(replace(f, nullable=True) if missing else f for f in relation.fields)
