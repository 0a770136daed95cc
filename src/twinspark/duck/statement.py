"""What writing one statement needs to remember: names already given, and the rows to hand to DuckDB with it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass
class Statement:
    tables: dict[str, pa.Table] = field(default_factory=dict)
    _aliases: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def alias(self) -> str:
        return f"t{next(self._aliases)}"
