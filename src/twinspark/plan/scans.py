"""Makes a relation of the files that a query reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan import file_metadata
from twinspark.plan.relations import FailingRelation, Field, FileRecords, Relation, Scan
from twinspark.types import StructType


class FileSource(Protocol):
    """Files to read: their schema and a DuckDB table expression. `by_columns` is set where malformed records depend on
    the columns that the query requires: it returns the table expression for these columns, or raises their error."""

    @property
    def schema(self) -> StructType: ...
    @property
    def sql(self) -> str: ...
    @property
    def input_files(self) -> Sequence[str]: ...
    @property
    def size_in_bytes(self) -> int: ...
    @property
    def file_sizes(self) -> tuple[int, ...]: ...
    @property
    def sql_by_file(self) -> str: ...
    @property
    def metadata(self) -> StructType | None: ...
    @property
    def arrow(self) -> tuple[tuple[str, Any], ...]: ...
    @property
    def by_columns(self) -> Callable[[frozenset[int]], str] | None: ...


def relation_of(found: FileSource, is_whole_file: bool = False) -> Relation:
    scan = replace(scan_of(found), is_whole_file=is_whole_file)
    by_columns = found.by_columns
    if by_columns is None:
        return scan
    if scan.has_metadata:
        raise NotNative(reasons.FILE_METADATA_COLUMN, "_metadata of files whose records may be malformed")

    def prune_scan(columns: frozenset[int]) -> Relation:
        try:
            return replace(scan, sql=by_columns(columns))
        except SparkError as error:
            return FailingRelation(error=error, fields=scan.fields)

    return FileRecords(input=scan, pruned=prune_scan, fields=scan.fields)


def scan_of(found: FileSource) -> Scan:
    fields = tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in found.schema)
    if found.metadata is not None:
        fields = (*fields, Field(file_metadata.NAME, found.metadata, False, file_metadata.COLUMN_METADATA))
    return Scan(
        fields=fields,
        sql=found.sql,
        names=tuple(field.name for field in fields),
        input_files=tuple(found.input_files),
        size_in_bytes=found.size_in_bytes,
        file_sizes=found.file_sizes,
        sql_by_file=found.sql_by_file,
        arrow=found.arrow,
        has_metadata=found.metadata is not None,
    )
