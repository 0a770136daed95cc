"""DELETE, UPDATE, MERGE and overwrites by copy-on-write: files with affected rows are rewritten in one commit."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from pyiceberg.manifest import DataFile
from pyiceberg.table import Table

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.deletes import Deletes
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.iceberg.staged_write import StagedWrite
from twinspark.tables.iceberg.table import NO_DELETES, IcebergTable, PlannedFile
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import FILE_COLUMN, ROW_COLUMN, duck_scan
from twinspark.types.duckdb import duck_name as name_sql

SOURCE_ROW = "twinspark_source_row"
ACTION = "twinspark_action"


@dataclass(frozen=True)
class Candidates:
    """The files that may contain affected rows, and SQL of their rows with file path and row number."""

    write: StagedWrite
    base: IcebergTable
    planned: list[PlannedFile]
    deletes: Deletes = NO_DELETES

    def rows(self, paths: Sequence[str] | None = None) -> str:
        chosen = self.planned if paths is None else [p for p in self.planned if local(p.file.file_path) in set(paths)]
        scan = self.base.scan_of(chosen, self.base.table.schema(), len(chosen), self.deletes)
        return duck_scan(scan, with_position=True)

    def files(self, paths: Sequence[str]) -> list[DataFile]:
        wanted = set(paths)
        return [each.file for each in self.planned if local(each.file.file_path) in wanted]

    @property
    def columns(self) -> list[str]:
        return self.base.schema.names


class Rewrites(Protocol):
    """The interface of another provider whose tables are changed in the same way: Delta."""

    def rewriting(self, name: Identifier, predicate: Predicate | None) -> AbstractContextManager[Any]: ...


def rewriting(
    catalog: IcebergCatalog | Rewrites, identifier: Identifier, predicate: Predicate | None
) -> AbstractContextManager[Any]:
    """A rewrite of one snapshot: committed at the end of the block, aborted if it raises."""
    if isinstance(catalog, IcebergCatalog):
        return rewriting_iceberg(catalog, identifier, predicate)
    return catalog.rewriting(identifier, predicate)


@contextmanager
def rewriting_iceberg(
    catalog: IcebergCatalog, identifier: Identifier, predicate: Predicate | None
) -> Iterator[Candidates]:
    base: Table = catalog.load_for_write(identifier)
    table = IcebergTable(identifier, base, catalog.branch)
    with catalog.stage_rewrite(identifier, base) as write:
        snapshot = table.head
        planned, _ = table.plan(predicate, snapshot, base.schema())
        yield Candidates(write, table, planned, table.deletes(snapshot))
        if write.files or write.deleted:
            write.commit()
        else:
            write.abort()


def delete(
    catalog: IcebergCatalog | Rewrites,
    identifier: Identifier,
    connection: Any,
    condition: str,
    predicate: Predicate | None = None,
) -> int:
    """Removes the rows for which `condition` (DuckDB SQL over the columns, of `t`) is true; `predicate` only prunes."""
    with rewriting(catalog, identifier, predicate) as candidates:
        hit = affected_files(connection, candidates, condition)
        candidates.write.delete_files(candidates.files([path for path, _ in hit]))
        partly = [path for path, whole in hit if not whole]
        gone = count_rows(connection, candidates, [path for path, _ in hit], condition)
        if partly:
            kept = f"SELECT {columns_sql(candidates)} FROM {candidates.rows(partly)} t WHERE ({condition}) IS NOT TRUE"
            candidates.write.write(connection, kept)
    return gone


def affected_files(connection: Any, candidates: Candidates, condition: str) -> list[tuple[str, bool]]:
    """Files with a matching row, and whether all their rows match."""
    hits = f"SELECT {FILE_COLUMN}, coalesce({condition}, false) AS hit FROM {candidates.rows()} t"
    found = connection.execute(
        f"SELECT {FILE_COLUMN}, bool_and(hit) FROM ({hits}) GROUP BY ALL HAVING bool_or(hit)"
    ).fetchall()
    return [(path, whole) for path, whole in found]


def count_rows(connection: Any, candidates: Candidates, paths: Sequence[str], condition: str) -> int:
    if not paths:
        return 0
    [(count,)] = connection.execute(f"SELECT count(*) FROM {candidates.rows(paths)} t WHERE {condition}").fetchall()
    return int(count)


def columns_sql(candidates: Candidates) -> str:
    return ", ".join(name_sql(name) for name in candidates.columns)


def update(
    catalog: IcebergCatalog | Rewrites,
    identifier: Identifier,
    connection: Any,
    assignments: Mapping[str, str],
    condition: str = "true",
    predicate: Predicate | None = None,
) -> int:
    """Sets columns of the rows for which `condition` is true; values are DuckDB SQL over the old row."""
    with rewriting(catalog, identifier, predicate) as candidates:
        paths = [path for path, _ in affected_files(connection, candidates, condition)]
        if not paths:
            return 0
        changed = count_rows(connection, candidates, paths, condition)
        candidates.write.delete_files(candidates.files(paths))
        values = ", ".join(
            f"CASE WHEN {condition} THEN {assignments[name]} ELSE {name_sql(name)} END AS {name_sql(name)}"
            if name in assignments
            else name_sql(name)
            for name in candidates.columns
        )
        candidates.write.write(connection, f"SELECT {values} FROM {candidates.rows(paths)} t")
    return changed


@dataclass(frozen=True)
class MergeAction:
    """WHEN … [AND condition] THEN: `values` are SQL over t (target) and s (source) by column; None deletes."""

    values: Mapping[str, str] | None
    condition: str = "true"


@dataclass(frozen=True)
class Merge:
    """A MERGE: source rows as SQL, the ON condition over t and s, and the clauses in their order."""

    source: str
    on: str
    matched: Sequence[MergeAction] = ()
    not_matched: Sequence[MergeAction] = ()
    not_matched_by_source: Sequence[MergeAction] = ()


def merge(catalog: IcebergCatalog | Rewrites, identifier: Identifier, connection: Any, merge: Merge) -> None:
    """One pass finds the action for each row; then the affected files are rewritten, with the inserted rows."""
    with rewriting(catalog, identifier, None) as candidates:
        try:
            prepare(connection, candidates, merge)
            check_cardinality(connection, merge)
            paths = [path for (path,) in connection.execute(f"SELECT DISTINCT {FILE_COLUMN} FROM touched").fetchall()]
            candidates.write.delete_files(candidates.files(paths))
            selects = [rewritten_rows(candidates, paths, merge)] if paths else []
            selects += inserts(candidates, merge)
            if selects:
                candidates.write.write(connection, " UNION ALL ".join(selects))
        finally:
            for name in ("source_rows", "pairs", "touched"):
                connection.execute(f"DROP TABLE IF EXISTS temp.{name}")


def prepare(work: Any, candidates: Candidates, merge: Merge) -> None:
    """Creates temporary tables: the source (read once), the matched pairs, and the affected rows."""
    numbered = f"SELECT *, row_number() OVER () AS {SOURCE_ROW} FROM ({merge.source})"
    work.execute(f"CREATE OR REPLACE TEMP TABLE source_rows AS {numbered}")
    work.execute(
        f"CREATE OR REPLACE TEMP TABLE pairs AS SELECT t.{FILE_COLUMN}, t.{ROW_COLUMN}, s.{SOURCE_ROW}, "
        f"{choice(merge.matched)} AS {ACTION} FROM {candidates.rows()} t JOIN source_rows s ON {merge.on}"
    )
    work.execute(
        f"CREATE OR REPLACE TEMP TABLE touched AS SELECT {FILE_COLUMN}, {ROW_COLUMN} FROM pairs WHERE {ACTION} >= 0"
        + (f" UNION ALL {lonely_rows(candidates, merge)}" if merge.not_matched_by_source else "")
    )


def lonely_rows(candidates: Candidates, merge: Merge) -> str:
    """Target rows without a matching source row to which a NOT MATCHED BY SOURCE clause applies."""
    same = f"t.{FILE_COLUMN} = p.{FILE_COLUMN} AND t.{ROW_COLUMN} = p.{ROW_COLUMN}"
    return (
        f"SELECT t.{FILE_COLUMN}, t.{ROW_COLUMN} FROM {candidates.rows()} t ANTI JOIN pairs p ON {same} "
        f"WHERE {choice(merge.not_matched_by_source)} >= 0"
    )


def choice(actions: Sequence[MergeAction]) -> str:
    """SQL of the number of the first clause whose condition is true, -1 for none."""
    if not actions:
        return "-1"
    cases = " ".join(f"WHEN {action.condition} THEN {at}" for at, action in enumerate(actions))
    return f"CASE {cases} ELSE -1 END"


def check_cardinality(work: Any, merge: Merge) -> None:
    """A target row may match one source row, unless the only action is an unconditional delete (MergeRowsExec)."""
    only_delete = [(action.values, action.condition) for action in merge.matched] == [(None, "true")]
    if only_delete or not merge.matched:
        return
    twice = work.execute(
        f"SELECT 1 FROM pairs GROUP BY {FILE_COLUMN}, {ROW_COLUMN} HAVING count(*) > 1 LIMIT 1"
    ).fetchall()
    if twice:
        raise SparkError("MERGE_CARDINALITY_VIOLATION")


def rewritten_rows(candidates: Candidates, paths: Sequence[str], merge: Merge) -> str:
    """The rows of the affected files after the merge."""
    acted = (
        f"(SELECT {FILE_COLUMN}, {ROW_COLUMN}, max({ACTION}) AS {ACTION}, "
        f"max_by({SOURCE_ROW}, {ACTION}) AS {SOURCE_ROW} FROM pairs GROUP BY ALL)"
    )
    both = f"p.{FILE_COLUMN} IS NOT NULL"
    values = ", ".join(f"{merged_value(name, merge, both)} AS {name_sql(name)}" for name in candidates.columns)
    return (
        f"SELECT {values} FROM {candidates.rows(paths)} t "
        f"LEFT JOIN {acted} p ON t.{FILE_COLUMN} = p.{FILE_COLUMN} AND t.{ROW_COLUMN} = p.{ROW_COLUMN} "
        f"LEFT JOIN source_rows s ON p.{SOURCE_ROW} = s.{SOURCE_ROW} WHERE NOT {is_deleted(merge, both)}"
    )


def merged_value(name: str, merge: Merge, both: str) -> str:
    old = f"t.{name_sql(name)}"
    cases = [
        f"WHEN {both} AND p.{ACTION} = {at} THEN {action.values[name]}"
        for at, action in enumerate(merge.matched)
        if action.values and name in action.values
    ] + [
        f"WHEN NOT {both} AND {choice(merge.not_matched_by_source)} = {at} THEN {action.values[name]}"
        for at, action in enumerate(merge.not_matched_by_source)
        if action.values and name in action.values
    ]
    return f"CASE {' '.join(cases)} ELSE {old} END" if cases else old


def is_deleted(merge: Merge, both: str) -> str:
    matched = [str(at) for at, action in enumerate(merge.matched) if action.values is None]
    lonely = [str(at) for at, action in enumerate(merge.not_matched_by_source) if action.values is None]
    tests = [f"({both} AND p.{ACTION} IN ({', '.join(matched)}))"] if matched else []
    tests += [f"(NOT {both} AND {choice(merge.not_matched_by_source)} IN ({', '.join(lonely)}))"] if lonely else []
    return f"({' OR '.join(tests)})" if tests else "false"


def inserts(candidates: Candidates, merge: Merge) -> list[str]:
    """Source rows without a matching target row, by the first NOT MATCHED clause that applies."""
    missing = f"source_rows s WHERE s.{SOURCE_ROW} NOT IN (SELECT {SOURCE_ROW} FROM pairs)"
    pick = choice(merge.not_matched)
    return [
        f"SELECT {', '.join(f'{(action.values or {})[name]} AS {name_sql(name)}' for name in candidates.columns)} "
        f"FROM {missing} AND {pick} = {at}"
        for at, action in enumerate(merge.not_matched)
    ]


def overwrite_where(
    catalog: IcebergCatalog | Rewrites,
    identifier: Identifier,
    connection: Any,
    select: str,
    condition: str,
    predicate: Predicate | None = None,
) -> int:
    """INSERT … REPLACE WHERE: replaces the rows for which the condition is true."""
    with rewriting(catalog, identifier, predicate) as candidates:
        hit = affected_files(connection, candidates, condition)
        candidates.write.delete_files(candidates.files([path for path, _ in hit]))
        partly = [path for path, whole in hit if not whole]
        if partly:
            kept = f"SELECT {columns_sql(candidates)} FROM {candidates.rows(partly)} t WHERE ({condition}) IS NOT TRUE"
            candidates.write.write(connection, kept)
        return candidates.write.write(connection, select)


def overwrite_partitions(catalog: IcebergCatalog, identifier: Identifier, connection: Any, select: str) -> int:
    """Dynamic partition overwrite: replaces the partitions that get new rows, also those of transforms."""
    with rewriting(catalog, identifier, None) as candidates:
        written = candidates.write.write(connection, select)
        reached = {partition_key(file) for file in candidates.write.files}
        gone = [each.file for each in candidates.planned if partition_key(each.file) in reached]
        candidates.write.delete_files(gone)
    return written


def partition_key(file: DataFile) -> tuple[Any, ...]:
    """Partitions of different specs are different (Iceberg's ReplacePartitions)."""
    return (file.spec_id, *(file.partition[at] for at in range(len(file.partition))))
