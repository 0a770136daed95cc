"""Defines typed relations: each has a schema, and its expressions refer to columns of the input by index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pyarrow as pa

from twinspark.plan.expressions import Expression, SortOrder
from twinspark.plan.nodes import Field as Field
from twinspark.plan.nodes import Fields as Fields
from twinspark.plan.nodes import Relation as Relation


def expressions_in(relation: Relation) -> Iterator[Expression]:
    """The expressions of the relation and of all relations below it."""
    for each in relations_in(relation):
        yield from own_expressions(each)


def relations_in(relation: Relation) -> Iterator[Relation]:
    """The relation and all below it in preorder, without those of subqueries. A loop instead of recursion, since chains
    of projections may be very long."""
    pending = [relation]
    while pending:
        each = pending.pop()
        yield each
        pending.extend(each.inputs[::-1])


def without_names(relation: Relation) -> Relation:
    """The relation with empty column names, for comparisons like Spark's sameSemantics."""
    below = {f.name: without_names(v) for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
    plain = tuple(replace(f, name="", metadata=()) for f in relation.fields)
    changes: dict[str, Any] = {**below, "fields": plain}
    return replace(relation, **changes)


def own_expressions(relation: Relation) -> Iterator[Expression]:
    for name in expression_names(relation.__class__):
        value = getattr(relation, name)
        for part in value if value.__class__ is tuple else (value,):
            if isinstance(part, Expression):
                yield part
            else:
                yield from nested_expressions(part)


def expression_names(kind: type[Relation]) -> tuple[str, ...]:
    found = EXPRESSION_NAMES.get(kind)
    if found is None:
        found = tuple(one.name for one in fields(kind) if one.name not in WITHOUT_EXPRESSIONS)
        EXPRESSION_NAMES[kind] = found
    return found


EXPRESSION_NAMES: dict[type, tuple[str, ...]] = {}


WITHOUT_EXPRESSIONS = frozenset({"fields", "names", "input_files"})


def nested_expressions(value: Any) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, SortOrder):
        yield value.child
    elif isinstance(value, tuple):
        for part in value:
            yield from nested_expressions(part)


@dataclass(frozen=True, kw_only=True)
class OneRow(Relation):
    """One row without columns: SELECT without FROM."""

    fields: Fields = ()


@dataclass(frozen=True, kw_only=True)
class LocalData(Relation):
    """Rows that the client sent with the request, as an Arrow table."""

    table: pa.Table = field(compare=False)
    key: str  # compared instead of the data


@dataclass(frozen=True, kw_only=True)
class Values(Relation):
    """VALUES: rows of expressions without inputs."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Range(Relation):
    """spark.range; `partitions` is 0 where Spark chooses their number."""

    start: int
    end: int
    step: int
    partitions: int = 0


FILE_INDEX_COLUMN = "twinspark file"  # a name that user data is unlikely to have


@dataclass(frozen=True, kw_only=True)
class Scan(Relation):
    """A DuckDB table expression, which has the columns of this relation in the same order.

    `size_in_bytes`: what a full scan reads. `is_whole_file`: one file, read by its path and not split.
    `arrow`: the Arrow readers that `sql` refers to by name. `file_sizes`: sizes of the files in the order in which they
    are read. `sql_by_file`: like `sql`, with FILE_INDEX_COLUMN as one more column, the index of the row's file.
    `has_metadata`: the last column is the hidden column `_metadata`."""

    sql: str
    names: tuple[str, ...]
    input_files: tuple[str, ...] = ()
    size_in_bytes: int = 0
    is_whole_file: bool = False
    file_sizes: tuple[int, ...] = ()
    sql_by_file: str = ""
    has_metadata: bool = False
    arrow: tuple[tuple[str, Any], ...] = field(default=(), compare=False)


@dataclass(frozen=True, kw_only=True)
class FailingRelation(Relation):
    """A relation with a schema that raises `error` when it is executed, as reading such files does in Spark."""

    error: Exception = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Unary(Relation):
    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, kw_only=True)
class FileRecords(Unary):
    """Records of files that may be malformed. Spark's parsers notice that only in the columns that the query requires:
    `pruned` returns the relation that reads only the columns at these indexes, with the same schema."""

    pruned: Callable[[frozenset[int]], Relation] = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Project(Unary):
    expressions: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Filter(Unary):
    condition: Expression


@dataclass(frozen=True, kw_only=True)
class Aggregate(Unary):
    """Output: the grouping expressions, then the aggregates (each made of AggregateCalls over the input and, for
    grouping sets, GROUPING positions). `grouping_sets` are tuples of positions into `grouping`."""

    grouping: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    grouping_sets: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Window(Unary):
    """Output: the input's columns, then one per window expression."""

    windows: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Generate(Unary):
    """Output: the input's columns, then the generator's; with `outer`, rows without generated rows remain."""

    generator: Expression
    outer: bool


@dataclass(frozen=True, kw_only=True)
class Sort(Unary):
    ordering: tuple[SortOrder, ...]
    is_global: bool = True


@dataclass(frozen=True, kw_only=True)
class Limit(Unary):
    limit: Expression | int | None
    offset: int = 0


@dataclass(frozen=True, kw_only=True)
class Tail(Unary):
    limit: int


@dataclass(frozen=True, kw_only=True)
class Distinct(Unary):
    """One row for each combination of values of the columns at `keys`, or of all columns if `keys` is None."""

    keys: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Repartition(Unary):
    """The same rows in other partitions: repartition, repartitionByRange, coalesce and repartition hints.

    `how`: coalesce, rounds (round robin), hash, id or range, by `keys`, into `count` partitions; empty where only Spark
    knows the partition of each row, and with it the row order."""

    how: str = ""
    count: int = 0
    keys: tuple[SortOrder, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RowPositions(Unary):
    """Output: the input's columns, then the Spark task of each row, and the row's position, from zero.

    The rows are sliced evenly among `slices` tasks; with 0 slices, one task has all rows."""

    slices: int


@dataclass(frozen=True, kw_only=True)
class TieOrder(Unary):
    """The input with a new last column. The input's last two columns are the task and the position of each row; the
    position becomes the order in which Spark's sort by one nullable key returns rows with the same keys.

    `partition`: the hash partition to which a shuffle sends the row, or None. `ranges`: the number of range partitions
    of the key, or 0. `first`: how many of the sorted rows are taken, or 0 for all; then the position is the order
    among all rows. `in_tasks`: each task sorts its own rows."""

    keys: tuple[SortOrder, ...]
    partition: Expression | None = None
    ranges: int = 0
    first: int = 0
    in_tasks: bool = False


@dataclass(frozen=True, kw_only=True)
class Join(Relation):
    """kind: inner left right full cross semi anti; the condition refers to the left columns, then the right columns."""

    left: Relation
    right: Relation
    kind: str
    condition: Expression | None
    lateral: bool = False

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, kw_only=True)
class SetOperation(Relation):
    """kind: union intersect except; `all` keeps duplicates."""

    left: Relation
    right: Relation
    kind: str
    all: bool

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, kw_only=True)
class ShowString(Unary):
    """DataFrame.show: the first rows of the input as a table in one string; all columns of the input are strings."""

    names: tuple[str, ...]
    rows: int
    truncate: int
    vertical: bool
    html: bool = False


@dataclass(frozen=True, kw_only=True)
class Observe(Unary):
    """DataFrame.observe: the input's rows; `metrics` is the aggregation over them that is reported at the end."""

    name: str
    metrics: Relation


@dataclass(frozen=True, kw_only=True)
class SharedRelation(Unary):
    """A relation that is used several times, such as a WITH query: one common table expression in the SQL."""

    key: str


@dataclass(frozen=True, kw_only=True)
class CachedRelation(Unary):
    """A cached or checkpointed relation: run once, then read from a DuckDB table of this name."""

    table: str


@dataclass(frozen=True, kw_only=True)
class Recursion(Relation):
    """WITH RECURSIVE: the anchor's rows, then repeatedly the rows that `step` computes from the previous ones.

    Anchor and step have one more column than this relation, the level of the recursion. More than `limit` levels or
    `rows` rows are an error; with `falls_back` the query falls back to Spark instead."""

    anchor: Relation
    step: Relation
    key: str
    limit: int
    rows: int
    falls_back: bool

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.anchor, self.step)


@dataclass(frozen=True, kw_only=True)
class RecursionReference(Relation):
    """The reference to the recursive query inside its step: the rows of the previous step, with the level as the last
    column."""

    key: str
