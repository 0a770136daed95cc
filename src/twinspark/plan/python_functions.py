"""Python functions as clients send them, and what a plan asks of the workers that run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from twinspark.types import DataType, StructType

# PythonEvalType of the protocol.
BATCHED, ARROW_BATCHED = 100, 101
SCALAR_PANDAS, SCALAR_PANDAS_ITER, SCALAR_ARROW, SCALAR_ARROW_ITER = 200, 204, 250, 251
SCALARS = frozenset({BATCHED, ARROW_BATCHED, SCALAR_PANDAS, SCALAR_PANDAS_ITER, SCALAR_ARROW, SCALAR_ARROW_ITER})
ITERATORS = frozenset({SCALAR_PANDAS_ITER, SCALAR_ARROW_ITER})
MAP_ARROW = 207
MAPS = frozenset({205, MAP_ARROW})
GROUP_MAPS = frozenset({201, 209, 215, 216})
ARROW_GROUPS = frozenset({209, 215})
COGROUP_MAPS = frozenset({206, 210})
GROUP_AGGREGATES = frozenset({202, 217, 252, 254})
# Over windows a grouped aggregate is of another kind: the worker repeats or slides it.
WINDOW_AGGREGATES = {202: 203, 252: 253}
PICKLED_TABLE, ARROW_TABLE = 300, 302
TABLES = frozenset({PICKLED_TABLE, 301, ARROW_TABLE})


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A pickled function as the client sent it."""

    name: str
    command: bytes = field(repr=False)
    eval_type: int
    version: str
    deterministic: bool = True
    includes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnalyzedArgument:
    """What a table function's analyze method is told of an argument; only of constants it knows the value."""

    name: str | None
    type: DataType
    is_table: bool = False
    is_constant: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class Analyzed:
    """What an analyze method said: columns, and how the rows given to the function are divided, ordered and chosen.
    Orders are texts with their direction and where nulls go, if that was said; selected columns texts with aliases."""

    schema: StructType
    result: bytes = field(repr=False)
    is_single: bool = False
    partition: tuple[str, ...] = ()
    ordering: tuple[tuple[str, bool, bool | None], ...] = ()
    selected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Created:
    """A pickled data source and its columns, as DDL or as JSON."""

    source: bytes = field(repr=False)
    columns: str
    is_json: bool


Options: TypeAlias = tuple[tuple[str, str], ...]


class Running(Protocol):
    """Rows on their way through a worker."""

    @property
    def reader(self) -> pa.RecordBatchReader: ...

    def stop(self) -> None: ...


class Workers(Protocol):
    """The session's Python workers, with the configuration of the moment."""

    def sent(self, schema: pa.Schema) -> pa.Schema:
        """How rows of the schema are sent to a worker."""

    def start(self, relation: Any, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Running:
        """Sends the inputs' rows through the relation's function; rows come back under the schema."""

    def create_source(self, definition: PythonFunction, options: Options, schema: StructType | None) -> Created:
        """Makes an instance of a data source."""

    def analyze(self, function: PythonFunction, arguments: Sequence[AnalyzedArgument]) -> Analyzed:
        """Asks a table function which columns it has for such arguments."""
