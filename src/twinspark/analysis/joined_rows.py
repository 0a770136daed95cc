"""A join whose sides are numbered: the same rows in another order, and without the numbers again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from twinspark.analysis.row_places import renumbered, sorted_by
from twinspark.plan.expressions import Column, Expression, SortOrder
from twinspark.plan.relations import Field, Join, Project, Relation
from twinspark.plan.rewrite import map_children


@dataclass(frozen=True)
class JoinedRows:
    """`left` and `right` are those of the join, each with its task and place as the last two columns."""

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
    def made(self) -> Join:
        condition = None if self.join.condition is None else self.moved(self.join.condition)
        return replace(self.join, left=self.left, right=self.right, condition=condition, fields=self.fields())

    def fields(self) -> tuple[Field, ...]:
        if self.is_half:
            return self.left.fields
        kind = self.join.kind
        return (*nullable(self.left, kind in ("right", "full")), *nullable(self.right, kind in ("left", "full")))

    @property
    def left_place(self) -> Column:
        return self.made.column(self.width + 1)

    @property
    def right_place(self) -> Column | None:
        return None if self.is_half else self.made.columns()[-1]

    def moved(self, expression: Expression) -> Expression:
        """What sees both sides, where they are wider."""
        if isinstance(expression, Column):
            return replace(expression, index=expression.index + (2 if expression.index >= self.width else 0))
        return map_children(expression, self.moved)

    def in_order(self, ordering: Sequence[SortOrder], by_left: bool) -> Project:
        """With the task and place of each row; the tasks are those of one side."""
        rows = sorted_by(self.made, tuple(ordering))
        columns, width = rows.columns(), self.width
        chosen = columns[:width] if self.is_half else (*columns[:width], *columns[width + 2 : -2])
        return renumbered(rows, chosen, columns[width] if by_left else columns[-2])


def nullable(relation: Relation, missing: bool) -> tuple[Field, ...]:
    return tuple(replace(f, nullable=True) if missing else f for f in relation.fields)
