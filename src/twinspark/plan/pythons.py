"""Relations whose rows pass through a Python worker, and aggregates that are Python functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from twinspark.plan.expressions import AggregateCall
from twinspark.plan.python_functions import WINDOW_AGGREGATES, PythonFunction, Workers
from twinspark.plan.relations import Relation, Unary


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAggregateCall(AggregateCall):
    """A Python function over the rows of a group."""

    function: PythonFunction
    keys: tuple[str | None, ...]
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Chain:
    """Functions of which each takes the last one's result, the arguments' places in the input, and their names."""

    functions: tuple[PythonFunction, ...]
    offsets: tuple[int, ...]
    keys: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class PythonRelation(Unary):
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class PythonChains(PythonRelation):
    """Output: the input's first `width` columns, then one per chain; the input's other columns are arguments."""

    width: int
    chains: tuple[Chain, ...]

    @property
    def eval_type(self) -> int:
        return self.chains[0].functions[0].eval_type


@dataclass(frozen=True, kw_only=True)
class PythonEvaluate(PythonChains):
    """One row for each row of the input."""


@dataclass(frozen=True, kw_only=True)
class PythonMap(PythonRelation):
    """mapInPandas, mapInArrow: an iterator of batches to another one; with a barrier all tasks start together."""

    function: PythonFunction
    is_barrier: bool = False


@dataclass(frozen=True, kw_only=True)
class PythonGroups(PythonRelation):
    """applyInPandas, applyInArrow: the input is ordered by the columns at `order`; offsets are what the worker reads
    as keys and values (PandasGroupUtils.resolveArgOffsets)."""

    function: PythonFunction
    order: tuple[int, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PythonCoGroups(Relation):
    """The groups of two inputs under one key, side by side."""

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
    """The rows of a Python data source; `source` is its pickled instance, made when its columns were asked for, or
    None where the query gave them."""

    definition: PythonFunction
    options: tuple[tuple[str, str], ...]
    source: bytes | None = field(repr=False)
    workers: Workers = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class PythonAggregate(PythonChains):
    """One row for each group: the first columns are its keys."""


@dataclass(frozen=True, kw_only=True)
class PythonWindow(PythonChains):
    """One row for each row of the input, ordered by the columns at `partition`, then by the last that waits;
    `bounds` tells of each chain whether its frame is the whole partition."""

    partition: tuple[int, ...]
    bounds: tuple[str, ...]

    @property
    def eval_type(self) -> int:
        return WINDOW_AGGREGATES[self.chains[0].functions[0].eval_type]


@dataclass(frozen=True, kw_only=True)
class PythonTable(PythonRelation):
    """A table function's rows behind the input's first `width` columns. Of the input's other columns the first `values`
    are arguments, one call for each row; the rest are the columns of a table, together one more argument. At
    `partition` among these are what divides the table; `is_divided` when it matters not where Spark cuts the rows."""

    function: PythonFunction
    offsets: tuple[int, ...]
    keys: tuple[str | None, ...]
    values: int
    width: int = 0
    has_table: bool = False
    partition: tuple[int, ...] = ()
    is_divided: bool = False
    analyzed: bytes | None = field(default=None, repr=False)
