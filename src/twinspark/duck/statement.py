"""The state of one SQL statement while it is written: aliases, CTEs, tables and Python sources."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from twinspark.plan.python_relations import PythonCoGroups, PythonRelation, PythonScan
from twinspark.plan.relations import Relation


@dataclass(frozen=True)
class SourceInput:
    """The input of a Python worker: SQL and plan; columns before `first` are not sent."""

    text: str
    statement: Statement
    plan: Relation
    first: int


@dataclass(frozen=True)
class Source:
    """The output rows of a Python worker, read while the statement runs."""

    inputs: tuple[SourceInput, ...]
    relation: PythonRelation | PythonCoGroups | PythonScan


@dataclass
class Statement:
    tables: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)  # WITH: key -> name
    queries: list[str] = field(default_factory=list)
    shortcuts: dict[str, str] = field(default_factory=dict)  # SQL -> faster SQL that may raise TOO_LONG
    is_recursive: bool = False
    asks_for_memory: bool = False  # whether functions that build large values check the memory limit first
    has_unions: bool = False  # whether rows of one side are returned before those of the other are computed
    _aliases: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def alias(self) -> str:
        return f"t{next(self._aliases)}"

    def with_shortcuts(self, text: str) -> str:
        """The text with shortcuts; without them if rows are returned before all are computed, or if a source can be
        read only once."""
        if self.sources or self.has_unions:
            return text
        for sure, quick in self.shortcuts.items():
            text = text.replace(sure, quick)
        return text

    def with_queries(self, text: str) -> str:
        """The text with its WITH clause."""
        recursive = "RECURSIVE " if self.is_recursive else ""
        return f"WITH {recursive}{', '.join(self.queries)} {text}" if self.queries else text
