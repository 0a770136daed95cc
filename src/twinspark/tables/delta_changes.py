"""DELETE, UPDATE and MERGE of Delta tables: DuckDB finds and computes the rows, delta-rs commits what they become."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from twinspark.tables.catalog import Identifier
from twinspark.tables.delta import DeltaTable, cast_column, commit_rows, refuse_features, select_sql, spark_schema
from twinspark.tables.ducktext import identifier
from twinspark.tables.filescan import empty_select
from twinspark.tables.listing import LeafFile, local_path
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import FILE_COLUMN, ROW_COLUMN

PLACE = f", filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN}"
NOWHERE = f"CAST(NULL AS VARCHAR) AS {FILE_COLUMN}, CAST(NULL AS BIGINT) AS {ROW_COLUMN}"


@dataclass
class DeltaCandidates:
    """One version of the table while a change is worked out: its files, and what becomes of them."""

    opened: Any
    leaves: Sequence[LeafFile]
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
        """The rows of these files (of all) with their places."""
        schema = spark_schema(self.opened)
        chosen = [leaf for leaf in self.leaves if paths is None or leaf.path in set(paths)]
        if not chosen:
            return f"(SELECT *, {NOWHERE} FROM ({empty_select(schema)}))"
        partitions = list(self.opened.metadata().partition_columns)
        return f"({select_sql(schema, partitions, chosen, self.connection, PLACE)})"

    def files(self, paths: Sequence[str]) -> list[str]:
        return list(paths)

    def delete_files(self, files: Sequence[str]) -> None:
        self.gone |= set(files)

    def write_rows(self, connection: Any, select: str) -> int:
        """Kept aside until all is known: what they are computed from may be gone by then."""
        name = f"delta_rows_{len(self.added)}"
        names = ", ".join(map(identifier, self.columns))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {names} FROM ({select})")
        self.added.append(name)
        [(count,)] = connection.execute(f"SELECT count(*) FROM {name}").fetchall()
        return int(count)

    def everything(self) -> str:
        """The table's new rows: of files that nothing touched, and those that were written."""
        columns = ", ".join(map(cast_column, spark_schema(self.opened).fields))
        kept = [leaf.path for leaf in self.leaves if leaf.path not in self.gone]
        sources = [f"SELECT {columns} FROM {source}" for source in (self.rows(kept), *self.added)]
        return " UNION ALL ".join(sources)


class DeltaWriter:
    """`candidates.write` as the changes of tables call it."""

    def __init__(self, candidates: DeltaCandidates) -> None:
        self._candidates = candidates

    def write(self, connection: Any, select: str) -> int:
        return self._candidates.write_rows(connection, select)

    def delete_files(self, files: Sequence[str]) -> None:
        self._candidates.delete_files(files)


@dataclass(frozen=True)
class DeltaChanges:
    """Stands where a catalog stands for Iceberg's tables: gives a change its candidates and commits it."""

    table: DeltaTable
    connection: Any

    @contextmanager
    def rewriting(self, name: Identifier, predicate: Predicate | None) -> Iterator["DeltaCandidates"]:
        opened = self.table.open()
        refuse_features(opened)
        candidates = DeltaCandidates(opened, self.table.leaves(opened), self.connection)
        try:
            yield candidates
            if candidates.files_changed:
                self.commit(candidates)
        finally:
            for made in candidates.added:
                self.connection.execute(f"DROP TABLE IF EXISTS temp.{made}")

    def commit(self, candidates: DeltaCandidates) -> None:
        reader = self.connection.sql(candidates.everything()).to_arrow_reader(100_000)
        commit_rows(candidates.opened, reader, "overwrite", local_path(self.table.location))
