"""Statistics and partition locations of a file table, stored in the catalog apart from its definition."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from twinspark.tables.files.listing import is_data


@dataclass(frozen=True)
class Statistics:
    """The result of ANALYZE TABLE; column statistics by name, with the keys of DESCRIBE."""

    size: int
    rows: int | None = None
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def of_table(self) -> str:
        """The text in DESCRIBE EXTENDED; a table has a row count even if it was not counted (CatalogStatistics)."""
        return f"{self.size} bytes, {self.rows or 0} rows"

    @property
    def of_partition(self) -> str:
        return f"{self.size} bytes" if self.rows is None else f"{self.size} bytes, {self.rows} rows"


@dataclass(frozen=True)
class Details:
    table: Statistics | None = None
    partitions: Mapping[str, Statistics] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_definition(cls, kept: Mapping[str, Any] | None) -> "Details":
        if kept is None:
            return cls()
        table = kept["table"] and Statistics(**kept["table"])
        partitions = {path: Statistics(**each) for path, each in kept["partitions"].items()}
        return cls(table, partitions, kept["places"])

    def definition(self) -> dict[str, Any]:
        return asdict(self)

    def without_statistics(self) -> "Details":
        """After rows were added or removed, statistics are dropped (CommandUtils.updateTableStats)."""
        return replace(self, table=None)

    def with_locations(self, places: Mapping[str, str]) -> "Details":
        return replace(self, places={**self.places, **places})

    def without(self, paths: set[str]) -> "Details":
        return replace(
            self,
            partitions={path: each for path, each in self.partitions.items() if path not in paths},
            places={path: each for path, each in self.places.items() if path not in paths},
        )


def newer(old: Statistics | None, size: int, rows: int | None) -> Statistics | None:
    """New statistics with this size and row count; unchanged values are kept (compareAndGetNewStats)."""
    found = Statistics(size) if old is None or old.size != size else None
    if rows is not None and (old is None or old.rows != rows):
        return replace(found or Statistics(old.size if old else -1), rows=rows)
    return found or old


def size_of(directory: str) -> int:
    """The size of all data files below a directory."""
    if not os.path.isdir(directory):
        return 0
    with os.scandir(directory) as entries:
        found = [entry for entry in entries if is_data(entry.name)]
    return sum(size_of(entry.path) if entry.is_dir() else entry.stat().st_size for entry in found)
