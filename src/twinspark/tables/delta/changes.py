"""DELETE, UPDATE and MERGE of Delta tables: DuckDB computes the new rows, delta-rs commits them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from twinspark.tables.catalog import Identifier
from twinspark.tables.delta.constraints import checked_rows
from twinspark.tables.delta.files import DeltaFile, files_of
from twinspark.tables.delta.table import DeltaTable, check_features, commit_rows, select_sql, spark_schema
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.scan import empty_select
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import FILE_COLUMN, ROW_COLUMN
from twinspark.types.duckdb import duck_name

NOWHERE = f"CAST(NULL AS VARCHAR) AS {FILE_COLUMN}, CAST(NULL AS BIGINT) AS {ROW_COLUMN}"


@dataclass
class DeltaCandidates:
    """One version of the table during a change: its files, which of them are removed, and the new rows."""

    table: DeltaTable
    opened: Any
    held: Sequence[DeltaFile]
    connection: Any
    gone: set[str] = field(default_factory=set)
    added: list[str] = field(default_factory=list)

    @property
    def write(self) -> "DeltaWriter":
        return DeltaWriter(self)

    @property
    def columns(self) -> list[str]:
        return [each.name for each in spark_schema(self.opened).fields]

    @property
    def files_changed(self) -> bool:
        return bool(self.gone or self.added)

    def rows(self, paths: Sequence[str] | None = None) -> str:
        """The rows of these files (of all by default) with file path and row number."""
        schema = spark_schema(self.opened)
        chosen = [each for each in self.held if paths is None or each.leaf.path in set(paths)]
        if not chosen:
            return f"(SELECT *, {NOWHERE} FROM ({empty_select(schema)}))"
        partitions = list(self.opened.metadata().partition_columns)
        return f"({select_sql(schema, partitions, chosen, self.connection, with_position=True)})"

    def files(self, paths: Sequence[str]) -> list[str]:
        return list(paths)

    def delete_files(self, files: Sequence[str]) -> None:
        self.gone |= set(files)

    def write_rows(self, connection: Any, select: str) -> int:
        """Stores new rows in a temporary table until the commit, which may remove the files that they are computed
        from."""
        name = f"delta_rows_{len(self.added)}"
        names = ", ".join(map(duck_name, self.columns))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {names} FROM ({select})")
        self.added.append(name)
        [(count,)] = connection.execute(f"SELECT count(*) FROM {name}").fetchall()
        return int(count)

    def everything(self) -> str:
        """All rows of the new version: those of unchanged files, and the new ones."""
        kept = [each.leaf.path for each in self.held if each.leaf.path not in self.gone]
        return " UNION ALL ".join([checked_rows(spark_schema(self.opened), (), self.rows(kept)), self.new_rows()])

    def new_rows(self) -> str:
        """The new rows; a row that violates a constraint fails the query."""
        schema, checks = spark_schema(self.opened), self.table.checks()
        partitions = self.opened.metadata().partition_columns
        made = [checked_rows(schema, checks, f"FROM {name}", partitions) for name in self.added]
        return " UNION ALL ".join(made or [empty_select(schema)])


class DeltaWriter:
    """The writer interface of `iceberg/dml.py` for a Delta table."""

    def __init__(self, candidates: DeltaCandidates) -> None:
        self._candidates = candidates

    def write(self, connection: Any, select: str) -> int:
        return self._candidates.write_rows(connection, select)

    def delete_files(self, files: Sequence[str]) -> None:
        self._candidates.delete_files(files)


@dataclass(frozen=True)
class DeltaChanges:
    """Replaces the Iceberg catalog in `iceberg/dml.py` for Delta tables: opens a version and commits the change."""

    table: DeltaTable
    connection: Any

    @contextmanager
    def rewriting(self, name: Identifier, predicate: Predicate | None) -> Iterator["DeltaCandidates"]:
        opened = self.table.open()
        check_features(opened)
        candidates = DeltaCandidates(self.table, opened, files_of(opened), self.connection)
        try:
            yield candidates
            if candidates.files_changed:
                self.commit(candidates)
        finally:
            for made in candidates.added:
                self.connection.execute(f"DROP TABLE IF EXISTS temp.{made}")

    def commit(self, candidates: DeltaCandidates) -> None:
        """Commits an append if no rows are removed, since append-only tables accept only that."""
        mode, rows = "append", candidates.new_rows()
        if candidates.gone:
            self.table.check_removable(candidates.opened)
            mode, rows = "overwrite", candidates.everything()
        reader = self.connection.sql(rows).to_arrow_reader(100_000)
        commit_rows(candidates.opened, reader, mode, local_path(self.table.location))
