"""What writing one statement needs to remember: names already given, and the rows to hand to DuckDB with it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from twinspark.plan.pythons import PythonCoGroups, PythonRelation, PythonScan
from twinspark.plan.relations import Relation


@dataclass(frozen=True)
class SourceInput:
    """Rows for a Python worker: their SQL and plan; columns before `first` stay here."""

    text: str
    statement: Statement
    plan: Relation
    first: int


@dataclass(frozen=True)
class Source:
    """Rows that come out of a Python worker while the statement runs."""

    inputs: tuple[SourceInput, ...]
    relation: PythonRelation | PythonCoGroups | PythonScan


@dataclass
class Statement:
    tables: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)  # WITH: key -> name
    queries: list[str] = field(default_factory=list)
    shortcuts: dict[str, str] = field(default_factory=dict)  # faster than what they stand for, and may not do
    is_recursive: bool = False
    _aliases: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def alias(self) -> str:
        return f"t{next(self._aliases)}"

    def quick(self, text: str) -> str:
        """By its shortcuts: not where rows leave before all were taken, nor where sources can be read only once."""
        if self.sources or " UNION ALL " in text:
            return text
        for sure, quick in self.shortcuts.items():
            text = text.replace(sure, quick)
        return text

    def whole(self, text: str) -> str:
        """The statement with its WITH in front."""
        recursive = "RECURSIVE " if self.is_recursive else ""
        return f"WITH {recursive}{', '.join(self.queries)} {text}" if self.queries else text
