"""Defines Python functions as clients send them, and the interface of the workers that run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from twinspark.types import DataType, StructType

# Values of PySpark's PythonEvalType.
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
# A grouped aggregate used over a window has another eval type, which makes the worker evaluate it for each frame.
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
    """An argument that the analyze method of a Python table function receives; only constants have a value."""

    name: str | None
    type: DataType
    is_table: bool = False
    is_constant: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class AnalyzeResult:
    """What an analyze method returned: the output columns, and how the rows of the input table are partitioned,
    ordered and selected. Each ordering is an expression's text, whether it is ascending, and whether nulls come first
    if that was given; selected columns are pairs of an expression's text and its alias."""

    schema: StructType
    result: bytes = field(repr=False)
    is_single: bool = False
    partition: tuple[str, ...] = ()
    ordering: tuple[tuple[str, bool, bool | None], ...] = ()
    selected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CreatedDataSource:
    """A pickled instance of a Python data source, and its schema as DDL or as JSON."""

    source: bytes = field(repr=False)
    columns: str
    is_json: bool


Options: TypeAlias = tuple[tuple[str, str], ...]


class RunningFunction(Protocol):
    """A Python function that is running over rows in a worker; `reader` reads its results."""

    @property
    def reader(self) -> pa.RecordBatchReader: ...

    def stop(self) -> None: ...


class Workers(Protocol):
    """The Python workers of a session, with the session's current configuration."""

    def input_schema(self, schema: pa.Schema) -> pa.Schema:
        """The Arrow schema in which rows of this schema are sent to a worker."""

    def start(self, relation: Any, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> RunningFunction:
        """Starts the relation's function over the rows of the inputs; the results have the given schema."""

    def create_source(
        self, definition: PythonFunction, options: Options, schema: StructType | None
    ) -> CreatedDataSource:
        """Creates an instance of a Python data source."""

    def analyze(self, function: PythonFunction, arguments: Sequence[AnalyzedArgument]) -> AnalyzeResult:
        """Calls the analyze method of a Python table function with these arguments."""
