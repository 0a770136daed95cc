"""Functions that depend on a row's partition and position: rand with a seed, monotonically_increasing_id,
spark_partition_id.

How Spark splits rows is known for a range with a given number of partitions, and for one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twinspark.analysis.expressions.build import cast, literal
from twinspark.analysis.partitions.evaluation_counts import calls_skipped_or_repeated
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.analysis.partitions.row_positions import is_folded
from twinspark.functions.notation.settings import Settings
from twinspark.functions.session_info.partition_values import by_row_number
from twinspark.plan.expressions import Call, Cast, Column, Expression, Literal
from twinspark.plan.relations import OneRow, Project, Range, Relation
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import LONG

SEEDED = frozenset({"rand", "randn"})
SEEDED_LAST = frozenset({"randstr", "shuffle"})  # functions whose seed is the last argument
UNSEEDED = frozenset({"monotonically_increasing_id", "spark_partition_id"})


ONLY_ROW: tuple[Expression, ...] = tuple(literal(value, LONG) for value in (0, 0, 1, 1, 1))


def with_row_positions(expression: Expression, relation: Relation, folds: Callable[[], bool]) -> Expression:
    """Passes the row's position to such calls; returns the same expression if it is not known.

    `folds`: whether Spark's optimizer evaluates the projection itself when its rows are local."""

    irregular: list[Expression] = []

    def rule(node: Expression) -> Expression:
        if not isinstance(node, Call) or node.name not in SEEDED | UNSEEDED | SEEDED_LAST:
            return map_children(node, rule)
        if (node.name in SEEDED and not node.arguments) or any(
            node is each for each in irregular if counts_evaluations(each)
        ):
            return node
        seed = seed_of(node.arguments[-1 if node.name in SEEDED_LAST else 0]) if node.arguments else 0
        others = node.arguments[:-1] if node.name in SEEDED_LAST else ()
        standing = position_in(relation, node.settings.slices)
        if node.name == "shuffle" and not draws_alike(node.arguments[0]):
            standing = ONLY_ROW if is_one_row(relation) else None
        elif node.name == "shuffle" and is_one_row(relation):
            standing = ONLY_ROW
        if standing is None and node.name != "shuffle" and is_folded(relation) and folds():
            standing = in_one_partition(node.settings)
        if seed is None or standing is None:
            return node
        return replace(
            node, signature=by_row_number(node.signature), arguments=(literal(seed, LONG), *standing, *others)
        )

    if any(map(counts_evaluations, walk(expression))):
        irregular += filter(counts_evaluations, calls_skipped_or_repeated(expression, is_one_row(relation)))
    return rule(expression)


def counts_evaluations(node: Expression) -> bool:
    """Whether each evaluation takes the next number of a sequence."""
    return isinstance(node, Call) and node.name in SEEDED | UNSEEDED | SEEDED_LAST and node.name != "spark_partition_id"


def draws_alike(array: Expression) -> bool:
    """Whether all rows' arrays have the same length, so that each shuffle draws as many random numbers."""
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


def position_in(relation: Relation, slices: int) -> tuple[Expression, ...] | None:
    """The row's id, the first id of the range, its step, its length, and its number of partitions."""
    if isinstance(relation, OneRow):
        return ONLY_ROW
    index, source = range_id_column(relation, slices)
    return None if index is None or source is None else position_arguments(index, source, slices)


def in_one_partition(settings: Settings) -> tuple[Expression, ...]:
    """The position of rows that the optimizer evaluates one after another."""
    number = ranking_call("row_number", (), (), settings)
    first, step, rows, partitions = (literal(value, LONG) for value in (1, 1, 1 << 40, 1))
    return (cast(number, LONG, settings), first, step, rows, partitions)


def position_arguments(index: int, source: Range, slices: int = 0) -> tuple[Expression, ...]:
    number = Column(type=LONG, nullable=False, text="id", index=index)
    facts = (source.start, source.step, length_of(source), source.partitions or slices)
    return (number, *(literal(fact, LONG) for fact in facts))


def length_of(source: Range) -> int:
    return max(len(range(source.start, source.end, source.step)), 1)


def range_id_column(relation: Relation, slices: int = 0) -> tuple[int | None, Range | None]:
    """The column that still holds the id of a range whose partitions are known, and the range.

    `slices`: the number of partitions of a range that does not specify it; 0 if that is not known."""
    if isinstance(relation, Range) and (relation.partitions or slices) > 0:
        return 0, relation
    if not isinstance(relation, Project):
        return None, None
    index, source = range_id_column(relation.input, slices)
    passed = (i for i, e in enumerate(relation.expressions) if isinstance(e, Column) and e.index == index)
    return next(passed, None), source
