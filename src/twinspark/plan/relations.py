"""Typed relations: every one knows its schema; columns are positions of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from twinspark.plan.expressions import Column, Expression, SortOrder
from twinspark.types import DataType, StructField, StructType


@dataclass(frozen=True)
class Field:
    name: str
    type: DataType
    nullable: bool
    metadata: tuple[tuple[str, Any], ...] = ()

    def struct_field(self) -> StructField:
        return StructField(self.name, self.type, self.nullable, dict(self.metadata))


Fields = tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class Relation:
    fields: Fields

    @cached_property
    def schema(self) -> StructType:
        return StructType([f.struct_field() for f in self.fields])

    def column(self, index: int) -> Column:
        found = self.fields[index]
        return Column(type=found.type, nullable=found.nullable, index=index, text=found.name)

    def columns(self) -> tuple[Column, ...]:
        return tuple(map(self.column, range(len(self.fields))))

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()


def expressions_in(relation: Relation) -> Iterator[Expression]:
    """Every expression of the relation and of those below it."""
    for each in relations_in(relation):
        yield from own_expressions(each)


def relations_in(relation: Relation) -> Iterator[Relation]:
    """The relation and all below it, from the top down and the left to the right; not those of subqueries. Without
    recursion: chains of projections are long."""
    pending = [relation]
    while pending:
        each = pending.pop()
        yield each
        pending.extend(each.inputs[::-1])


def nameless(relation: Relation) -> Relation:
    """The same rows, whatever their columns are called: what Spark's sameSemantics compares."""
    below = {f.name: nameless(v) for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
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
                yield from parts_of(part)


def expression_names(kind: type[Relation]) -> tuple[str, ...]:
    found = EXPRESSION_NAMES.get(kind)
    if found is None:
        found = tuple(one.name for one in fields(kind) if one.name not in WITHOUT_EXPRESSIONS)
        EXPRESSION_NAMES[kind] = found
    return found


EXPRESSION_NAMES: dict[type, tuple[str, ...]] = {}


WITHOUT_EXPRESSIONS = frozenset({"fields", "names", "input_files"})


def parts_of(value: Any) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, SortOrder):
        yield value.child
    elif isinstance(value, tuple):
        for part in value:
            yield from parts_of(part)


@dataclass(frozen=True, kw_only=True)
class OneRow(Relation):
    """One row without columns: SELECT without FROM."""

    fields: Fields = ()


@dataclass(frozen=True, kw_only=True)
class LocalData(Relation):
    """Rows that came with the request, as Arrow."""

    table: pa.Table = field(compare=False)
    key: str  # stands for the data in comparisons


@dataclass(frozen=True, kw_only=True)
class Values(Relation):
    """VALUES: rows of expressions without inputs."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Range(Relation):
    """`partitions` is 0 where Spark chooses their number."""

    start: int
    end: int
    step: int
    partitions: int = 0


FILE_PLACE = "twinspark file"  # no column of Spark's is called so by chance


@dataclass(frozen=True, kw_only=True)
class Scan(Relation):
    """A DuckDB table expression whose columns are this relation's, in order; bytes are what a scan would read.
    `is_whole_file`: one file, read by its path in one piece. `arrow`: what Arrow reads, by the name `sql` gives it.
    `file_sizes`: of several files in the order in which they are read; `sql_by_file` has a column FILE_PLACE more,
    which says which file a row is from. `has_metadata`: the last column is the hidden one that tells of files."""

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
class Refused(Relation):
    """Rows that Spark's readers refuse to give: a plan with them has a schema, and fails when it runs."""

    error: Exception = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Unary(Relation):
    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, kw_only=True)
class Records(Unary):
    """Rows of records in files, the input's. Whether a record is malformed is seen in the columns that are asked for
    alone: `narrowed` gives the rows as they are when only those at these places are, under all columns."""

    narrowed: Callable[[frozenset[int]], Relation] = field(compare=False)


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
    """Output: the input's columns, then the generator's; `outer` keeps rows whose generator gives none."""

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
    """Rows that differ in the key positions; all columns when keys is None."""

    keys: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Spread(Unary):
    """The same rows, spread over partitions as the query says.

    `how`: coalesce, rounds (one row after another), hash, id or range, by the keys, over `count` partitions; empty
    where which row is where, and their order, is Spark's."""

    how: str = ""
    count: int = 0
    keys: tuple[SortOrder, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Numbered(Unary):
    """Output: the input's columns, then the task that Spark would give each row, and the row's place, from zero.

    The rows are sliced evenly among as many tasks; with `slices` 0 all are one task's."""

    slices: int


@dataclass(frozen=True, kw_only=True)
class Turned(Unary):
    """The input, whose last two columns are the task and the place of each row: the place is now the row's turn among
    those of the same keys, as a sort by one key that may be null meets them.

    `part`: of a shuffle, in which the task sent the row; by `ranges` of the key, as many as that, where there are.
    `first`: how many rows are taken of the sorted ones, if not all; the place is the turn among all rows then."""

    keys: tuple[SortOrder, ...]
    part: Expression | None = None
    ranges: int = 0
    first: int = 0


@dataclass(frozen=True, kw_only=True)
class Join(Relation):
    """kind: inner left right full cross semi anti; the condition sees left columns, then right columns."""

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
    """The input's first rows, drawn as a table in one string; the input's columns are strings already."""

    names: tuple[str, ...]
    rows: int
    truncate: int
    vertical: bool
    html: bool = False


@dataclass(frozen=True, kw_only=True)
class Observe(Unary):
    """The input's rows; `metrics` is the aggregation over them that is told once they have passed."""

    name: str
    metrics: Relation


@dataclass(frozen=True, kw_only=True)
class Shared(Unary):
    """A relation used in several places under one name (WITH): written once per statement."""

    key: str


@dataclass(frozen=True, kw_only=True)
class Keep(Unary):
    """A relation whose result is kept (cache, checkpoint): run once, then read from the named DuckDB table."""

    table: str


@dataclass(frozen=True, kw_only=True)
class Recursion(Relation):
    """WITH RECURSIVE: the anchor's rows, then again and again what `step` makes of the last ones.

    Both have a column more than this relation, the level of the recursion. `limit` levels are an error, and so
    are `rows` rows; with `elsewhere` one that only Spark can judge."""

    anchor: Relation
    step: Relation
    key: str
    limit: int
    rows: int
    elsewhere: bool

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.anchor, self.step)


@dataclass(frozen=True, kw_only=True)
class RecursionReference(Relation):
    """The rows of the last step, inside of it; the level comes last."""

    key: str
