"""What writing one statement needs to remember: names already given, and the rows to hand to DuckDB with it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass
class Statement:
    tables: dict[str, pa.Table] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)  # WITH: key -> name
    queries: list[str] = field(default_factory=list)
    is_recursive: bool = False
    _aliases: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def alias(self) -> str:
        return f"t{next(self._aliases)}"

    def whole(self, text: str) -> str:
        """The statement with its WITH in front."""
        recursive = "RECURSIVE " if self.is_recursive else ""
        return f"WITH {recursive}{', '.join(self.queries)} {text}" if self.queries else text
