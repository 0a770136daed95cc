"""In which partition a row is: of small data that came with the query, and of what the query spreads anew itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.chance import SEEDED, UNSEEDED, seed_of
from twinspark.analysis.group_order import hashable
from twinspark.analysis.java_random import first_int
from twinspark.analysis.row_numbers import ranked
from twinspark.analysis.row_places import (
    LEAVES,
    MOST_ROWS,
    ascending,
    is_folded,
    is_small,
    placed,
    rows_of,
    sorted_by,
    tasked,
)
from twinspark.functions.guards import requiring
from twinspark.functions.places import in_partition
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Case, Column, Expression, Literal, WindowCall
from twinspark.plan.relations import (
    Field,
    Filter,
    Limit,
    Numbered,
    Project,
    Range,
    Relation,
    Sort,
    Spread,
    own_expressions,
)
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import INT, LONG

MOST_PARTITIONS = 200
SAMPLED = 100  # rows for each partition of a range: spark.sql.execution.rangeExchange.sampleSizePerPartition
PARTITION = (Field("partition", LONG, False), Field("row", LONG, False))


def asks_partition(expression: Expression) -> bool:
    return any(is_asking(node) for node in walk(expression))


def is_asking(node: Expression) -> bool:
    """One that is not told yet."""
    if not isinstance(node, Call) or (node.name not in UNSEEDED and node.name not in SEEDED):
        return False
    return len(node.arguments) == (1 if node.name in SEEDED else 0)


def with_partition_columns(
    relation: Relation, expressions: Sequence[Expression]
) -> tuple[Relation, list[Expression]] | None:
    """The relation with two columns more, and the expressions that know them; None where partitions are not known."""
    calls = [node for e in expressions for node in walk(e) if is_asking(node)]
    settings = calls[0].settings if isinstance(calls[0], Call) else Settings()
    if settings.slices == 0 or not all(map(has_seed, calls)):
        return None
    alike = not any(isinstance(node, Column) for e in expressions for node in walk(e))
    wide = partitioned(relation, settings, alike)
    if wide is None:
        return None
    places = wide.columns()[-2:]
    return sorted_by(wide, tuple(map(ascending, places))), [told(e, *places) for e in expressions]


def has_seed(call: Expression) -> bool:
    return not isinstance(call, Call) or not call.arguments or seed_of(call.arguments[0]) is not None


def told(expression: Expression, partition: Column, row: Column) -> Expression:
    def rule(node: Expression) -> Expression:
        if not is_asking(node):
            return map_children(node, rule)
        assert isinstance(node, Call)
        seed = seed_of(node.arguments[0]) if node.arguments else 0
        arguments = (build.literal(seed, LONG), partition, row)
        return replace(node, signature=in_partition(node.signature), arguments=arguments)

    return rule(expression)


def partitioned(relation: Relation, settings: Settings, alike: bool) -> Relation | None:
    """With the partition of each row, and its place there. `alike`: nobody can tell one row from another."""
    if isinstance(relation, Spread):
        return spread_rows(relation, settings, alike)
    if isinstance(relation, Limit):
        return limited_rows(relation, settings)
    if is_told(relation):
        again = (*relation.columns(), *relation.columns()[-2:])
        return Project(input=relation, expressions=again, fields=(*relation.fields, *PARTITION))
    if isinstance(relation, Project) and over_known(relation):
        below = partitioned(relation.input, settings, alike)
        if below is None or any(asks_partition(e) for e in relation.expressions):
            return None
        columns = (*relation.expressions, *below.columns()[-2:])
        return replace(relation, input=below, expressions=columns, fields=(*relation.fields, *PARTITION))
    return sliced_rows(relation, settings)


def over_known(relation: Relation) -> bool:
    if isinstance(relation, Project):
        return over_known(relation.input)
    return isinstance(relation, Spread | Limit) or is_told(relation)


def is_told(relation: Relation) -> bool:
    """Put in the order of its partitions, by `with_partition_columns`."""
    return isinstance(relation, Sort) and relation.fields[-2:] == PARTITION


def limited_rows(relation: Limit, settings: Settings) -> Relation | None:
    """A limit leaves one partition, unless there are no more rows; local ones it takes before there are any."""
    most = most_rows(relation.input)
    if most is None or not isinstance(relation.limit, int | None):
        return None
    if relation.limit is not None and most <= relation.limit and not relation.offset:
        return partitioned(relation.input, settings, alike=False)
    if not is_small(relation) or is_folded(relation.input) or not comes_in_order(relation.input):
        return None
    rows = placed(relation, 0)
    task, place = rows.columns()[-2:]
    return numbered(rows, task, (place,), settings)


def comes_in_order(relation: Relation) -> bool:
    """Its rows stand as they came, or were put in the order of their partitions."""
    if is_told(relation):
        return True
    if isinstance(relation, Project | Filter):
        return all(map(stays_in_place, own_expressions(relation))) and comes_in_order(relation.input)
    return isinstance(relation, LEAVES)


def sliced_rows(relation: Relation, settings: Settings) -> Relation | None:
    """As the rows came: local ones, and those of ranges."""
    if not is_small(relation) or not keeps_slices(relation):
        return None
    rows = tasked(relation, settings.slices)
    task, place = rows.columns()[-2:]
    return numbered(rows, task, (place,), settings)


def keeps_slices(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        if not all(stays_in_place(e) for e in own_expressions(relation)):
            return is_folded(relation)
        relation = relation.input
    return isinstance(relation, LEAVES)


def stays_in_place(expression: Expression) -> bool:
    """No window but that which numbers all rows as they come (zipWithIndex) moves none of them."""
    nodes = list(walk(expression))
    windows = [node for node in nodes if isinstance(node, WindowCall)]
    if windows and any(isinstance(node, Call) and node.name in SEEDED | UNSEEDED for node in nodes):
        return False  # local rows that Spark's optimizer has numbered itself
    return all(w.function.name == "row_number" and not w.ordering and not w.partition for w in windows)


def numbered(rows: Relation, partition: Expression, order: Sequence[Column], settings: Settings) -> Relation:
    """The last two columns become the partition, and the place of the row in it, from zero."""
    wide = Project(
        input=rows,
        expressions=(*rows.columns(), build.cast(partition, LONG, settings)),
        fields=(*rows.fields, PARTITION[0]),
    )
    number = ranked("row_number", (wide.columns()[-1],), tuple(map(ascending, order)), settings)
    row = build.call("-", [build.cast(number, LONG, settings), build.literal(1, LONG)], settings)
    width = len(rows.fields) - 2
    columns = (*wide.columns()[:width], wide.columns()[-1], row)
    return Project(input=wide, expressions=columns, fields=(*rows.fields[:width], *PARTITION))


# ---- rows that a query spreads anew


def spread_rows(relation: Spread, settings: Settings, alike: bool) -> Relation | None:
    below = sliced_rows(relation.input, settings)
    if below is None or not 0 < relation.count <= MOST_PARTITIONS:
        return None
    if any(isinstance(key.child, Literal) for key in relation.keys):
        return None  # by a constant they all go to one partition
    partition = partition_of(relation, below, settings, alike)
    return None if partition is None else numbered(below, partition, below.columns()[-2:], settings)


def partition_of(relation: Spread, below: Relation, settings: Settings, alike: bool) -> Expression | None:
    keys, count = [key.child for key in relation.keys], relation.count
    if relation.how == "id":
        return modulo(build.call("coalesce", [keys[0], build.literal(0)], settings), count, settings)
    if relation.how == "hash" and all(hashable(key.type) for key in keys):
        return modulo(build.call("hash", keys, settings), count, settings)
    if relation.how == "rounds" and alike:
        return in_rounds(relation, below, settings)
    if relation.how == "coalesce":
        return coalesced(relation, below, settings)
    if relation.how == "range":
        return by_range(relation, settings)
    return None


def modulo(value: Expression, count: int, settings: Settings) -> Expression:
    return build.call("pmod", [value, build.literal(count)], settings)


def in_rounds(relation: Spread, below: Relation, settings: Settings) -> Expression | None:
    """Each task starts at a partition of its own, by chance, and goes round."""
    count, tasks = relation.count, tasks_of(relation.input, settings)
    if tasks is None or tasks > MOST_PARTITIONS:
        return None
    task, row = below.columns()[-2:]
    starts = [build.literal(first_int(t, count) + 1, LONG) for t in range(tasks)]
    known = [build.call("==", [task, build.literal(t, LONG)], settings) for t in range(tasks)]
    branches = tuple(zip(known, starts, strict=True))
    start = Case(type=LONG, nullable=False, branches=branches, otherwise=build.literal(0, LONG))
    return modulo(build.call("+", [start, row], settings), count, settings)


def coalesced(relation: Spread, below: Relation, settings: Settings) -> Expression | None:
    """Neighbouring partitions become one."""
    tasks = tasks_of(relation.input, settings)
    if relation.count == 1 or tasks is None:
        return build.literal(0, LONG) if relation.count == 1 else None
    count = min(relation.count, tasks)
    task = below.columns()[-2]
    one, parts, all_tasks, less = (build.literal(value, LONG) for value in (1, count, tasks, tasks - 1))
    above = build.call("*", [build.call("+", [task, one], settings), parts], settings)
    share = build.call("div", [build.call("+", [above, less], settings), all_tasks], settings)
    return build.call("-", [share, one], settings)


def tasks_of(relation: Relation, settings: Settings) -> int | None:
    rows = known_rows(relation)
    while isinstance(relation, Project | Filter):
        relation = relation.input
    if isinstance(relation, Range):
        return relation.partitions or settings.slices
    return None if rows is None else min(max(rows, 1), settings.slices)


def most_rows(relation: Relation) -> int | None:
    while isinstance(relation, Project | Filter | Sort | Numbered):
        relation = relation.input
    return None if relation.inputs else rows_of(relation)


def known_rows(relation: Relation) -> int | None:
    while isinstance(relation, Project):
        relation = relation.input
    return None if relation.inputs else rows_of(relation)


def by_range(relation: Spread, settings: Settings) -> Expression | None:
    """As RangePartitioner cuts rows that it has seen all of; where two have the same keys it is left to Spark."""
    rows, tasks = known_rows(relation.input), tasks_of(relation.input, settings)
    if not rows or tasks is None or rows > MOST_ROWS:
        return None
    if -(-rows // tasks) > -(-3 * SAMPLED * relation.count // tasks):
        return None  # a sample of them would be taken
    rank = ranked("rank", (), relation.keys, settings)
    number = ranked("row_number", (), relation.keys, settings)
    tests = [build.literal(True), build.call("==", [rank, number], settings)]
    both = build.call("and", tests, settings)
    assert isinstance(both, Call)
    alone = replace(both, signature=requiring(both.signature, "rows of equal keys, spread by ranges of them"))
    cuts = enumerate(range_ends(rows, relation.count))
    branches = [(build.call("<=", [number, build.literal(end)], settings), build.literal(at)) for at, end in cuts]
    last = build.literal(len(branches))
    shared = Case(type=INT, nullable=False, branches=tuple(branches), otherwise=last) if branches else last
    return Case(type=INT, nullable=True, branches=((alone, shared),), otherwise=None)


def range_ends(rows: int, count: int) -> list[int]:
    """After how many rows each partition but the last ends (RangePartitioner.determineBounds)."""
    parts = min(count, rows)
    step = rows / parts
    ends: list[int] = []
    target = step
    for seen in range(1, rows + 1):
        if len(ends) < parts - 1 and seen >= target:
            ends.append(seen)
            target += step
    return ends
