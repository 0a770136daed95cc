"""Python functions as clients send them, and what a plan asks of the workers that run them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

# PythonEvalType of the protocol.
BATCHED, ARROW_BATCHED = 100, 101
SCALAR_PANDAS, SCALAR_PANDAS_ITER, SCALAR_ARROW, SCALAR_ARROW_ITER = 200, 204, 250, 251
SCALARS = frozenset({BATCHED, ARROW_BATCHED, SCALAR_PANDAS, SCALAR_PANDAS_ITER, SCALAR_ARROW, SCALAR_ARROW_ITER})
ITERATORS = frozenset({SCALAR_PANDAS_ITER, SCALAR_ARROW_ITER})
MAPS = frozenset({205, 207})
GROUP_MAPS = frozenset({201, 209, 215, 216})
ARROW_GROUPS = frozenset({209, 215})
COGROUP_MAPS = frozenset({206, 210})
GROUP_AGGREGATES = frozenset({202, 217, 252, 254})
# Over windows a grouped aggregate is of another kind: the worker repeats or slides it.
WINDOW_AGGREGATES = {202: 203, 252: 253}
TABLES = frozenset({300, 301, 302})


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A pickled function as the client sent it."""

    name: str
    command: bytes = field(repr=False)
    eval_type: int
    version: str
    deterministic: bool = True
    includes: tuple[str, ...] = ()


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
