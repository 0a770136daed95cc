"""Defines relations that run a Python function over their input, and calls of Python aggregate functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from twinspark.plan.expressions import AggregateCall
from twinspark.plan.python_functions import WINDOW_AGGREGATES, PythonFunction, Workers
from twinspark.plan.relations import Relation, Unary


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAggregateCall(AggregateCall):
    """A call of a Python aggregate function over the rows of a group."""

    function: PythonFunction
    keys: tuple[str | None, ...]
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FunctionChain:
    """Python functions of which each takes the result of the previous one, with the column indexes and the names of the
    first one's arguments."""

    functions: tuple[PythonFunction, ...]
    offsets: tuple[int, ...]
    keys: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class PythonRelation(Unary):
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class PythonChains(PythonRelation):
    """Output: the input's first `width` columns, then one per chain; the input's further columns are arguments."""

    width: int
    chains: tuple[FunctionChain, ...]

    @property
    def eval_type(self) -> int:
        return self.chains[0].functions[0].eval_type


@dataclass(frozen=True, kw_only=True)
class PythonEvaluate(PythonChains):
    """One row for each row of the input."""


@dataclass(frozen=True, kw_only=True)
class PythonMap(PythonRelation):
    """mapInPandas and mapInArrow: a function from an iterator of batches to an iterator of batches. `is_barrier` is the
    barrier mode, in which all tasks start together. With `partitions` the input has one more column, the partition of
    each row, by which it is sorted; the function is called once for each partition."""

    function: PythonFunction
    is_barrier: bool = False
    partitions: int = 0


@dataclass(frozen=True, kw_only=True)
class PythonGroups(PythonRelation):
    """applyInPandas and applyInArrow over groups: the input is sorted by the columns at `order`; the worker
    learns from `offsets` which columns are keys and values (PandasGroupUtils.resolveArgOffsets)."""

    function: PythonFunction
    order: tuple[int, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PythonCoGroups(Relation):
    """applyInPandas and applyInArrow over cogroups: the groups of two inputs with the same key."""

    left: Relation
    right: Relation
    function: PythonFunction
    orders: tuple[tuple[int, ...], tuple[int, ...]]
    offsets: tuple[int, ...]
    workers: Workers = field(compare=False, repr=False)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, kw_only=True)
class PythonScan(Relation):
    """The rows of a Python data source; `source` is the pickled instance that was created to read its schema, or None
    if the query declares the schema."""

    definition: PythonFunction
    options: tuple[tuple[str, str], ...]
    source: bytes | None = field(repr=False)
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class PythonAggregate(PythonChains):
    """Python aggregate functions: one row for each group, whose first columns are the keys."""


@dataclass(frozen=True, kw_only=True)
class PythonWindow(PythonChains):
    """Python aggregate functions over windows: one row for each row of the input, which is sorted by the columns at
    `partition`, then by its last column. `bounds` has, for each chain, whether its frame is the whole partition
    (`unbounded`) or not (`bounded`)."""

    partition: tuple[int, ...]
    bounds: tuple[str, ...]

    @property
    def eval_type(self) -> int:
        return WINDOW_AGGREGATES[self.chains[0].functions[0].eval_type]


@dataclass(frozen=True, kw_only=True)
class PythonTable(PythonRelation):
    """A Python table function. Output: the input's first `width` columns, then the function's columns.

    Of the input's further columns, the first `values` are arguments, with one call for each row; the rest are the
    columns of a table argument. `partition` has the indexes of the table's PARTITION BY columns. With `is_divided` the
    result does not depend on how Spark splits the rows into tasks."""

    function: PythonFunction
    offsets: tuple[int, ...]
    keys: tuple[str | None, ...]
    values: int
    width: int = 0
    has_table: bool = False
    partition: tuple[int, ...] = ()
    is_divided: bool = False
    analyzed: bytes | None = field(default=None, repr=False)
