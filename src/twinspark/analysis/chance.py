"""What depends on a row's partition and its place there: random numbers of a seed, ids, the partition's number.

Spark decides how rows are split, except where a query says so: a range with its number of partitions, and one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twinspark.analysis.build import cast, literal
from twinspark.analysis.row_numbers import ranked
from twinspark.analysis.row_places import is_folded
from twinspark.functions.places import placed
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Cast, Column, Expression, Literal
from twinspark.plan.relations import OneRow, Project, Range, Relation
from twinspark.plan.rewrite import map_children
from twinspark.types import LONG

SEEDED = frozenset({"rand", "randn"})
SEEDED_LAST = frozenset({"randstr", "shuffle"})  # their seed stands behind other arguments
UNSEEDED = frozenset({"monotonically_increasing_id", "spark_partition_id"})


ONLY_ROW: tuple[Expression, ...] = tuple(literal(value, LONG) for value in (0, 0, 1, 1, 1))


def with_places(expression: Expression, relation: Relation, folds: Callable[[], bool]) -> Expression:
    """Such calls, told where each row stands; the same expression where nobody knows.

    `folds`: the projection is one that Spark's optimizer computes itself when its rows are local."""

    def rule(node: Expression) -> Expression:
        if not isinstance(node, Call) or node.name not in SEEDED | UNSEEDED | SEEDED_LAST:
            return map_children(node, rule)
        if node.name in SEEDED and not node.arguments:
            return node
        seed = seed_of(node.arguments[-1 if node.name in SEEDED_LAST else 0]) if node.arguments else 0
        others = node.arguments[:-1] if node.name in SEEDED_LAST else ()
        standing = standing_in(relation, node.settings.slices)
        if node.name == "shuffle" and not draws_alike(node.arguments[0]):
            standing = ONLY_ROW if is_one_row(relation) else None
        elif node.name == "shuffle" and is_one_row(relation):
            standing = ONLY_ROW
        if standing is None and node.name != "shuffle" and is_folded(relation) and folds():
            standing = in_one_partition(node.settings)
        if seed is None or standing is None:
            return node
        return replace(node, signature=placed(node.signature), arguments=(literal(seed, LONG), *standing, *others))

    return rule(expression)


def draws_alike(array: Expression) -> bool:
    """Whether each row's array is as long, so that it takes as many numbers to shuffle."""
    return isinstance(array, Call) and array.name == "array"


def is_one_row(relation: Relation) -> bool:
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, OneRow)


def seed_of(argument: Expression) -> int | None:
    while isinstance(argument, Cast):
        argument = argument.child
    value = argument.value if isinstance(argument, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def standing_in(relation: Relation, slices: int) -> tuple[Expression, ...] | None:
    """A number of the row, the first of the numbers, their step, how many there are, and in how many partitions."""
    if isinstance(relation, OneRow):
        return ONLY_ROW
    index, source = numbered(relation, slices)
    return None if index is None or source is None else standing_of(index, source, slices)


def in_one_partition(settings: Settings) -> tuple[Expression, ...]:
    """Rows that the optimizer went through, one after another."""
    number = ranked("row_number", (), (), settings)
    first, step, rows, partitions = (literal(value, LONG) for value in (1, 1, 1 << 40, 1))
    return (cast(number, LONG, settings), first, step, rows, partitions)


def standing_of(index: int, source: Range, slices: int = 0) -> tuple[Expression, ...]:
    number = Column(type=LONG, nullable=False, text="id", index=index)
    facts = (source.start, source.step, length_of(source), source.partitions or slices)
    return (number, *(literal(fact, LONG) for fact in facts))


def length_of(source: Range) -> int:
    return max(len(range(source.start, source.end, source.step)), 1)


def numbered(relation: Relation, slices: int = 0) -> tuple[int | None, Range | None]:
    """The column that still holds the numbers of a range whose partitions are known, and the range.

    `slices`: how many partitions a range has that does not say it; 0 where that is not known."""
    if isinstance(relation, Range) and (relation.partitions or slices) > 0:
        return 0, relation
    if not isinstance(relation, Project):
        return None, None
    index, source = numbered(relation.input, slices)
    passed = (i for i, e in enumerate(relation.expressions) if isinstance(e, Column) and e.index == index)
    return next(passed, None), source
