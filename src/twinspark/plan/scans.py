"""What was found of files, as a relation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from twinspark.errors import NotNative, SparkError
from twinspark.plan import file_metadata
from twinspark.plan.relations import Field, Records, Refused, Relation, Scan
from twinspark.types import StructType


class Found(Protocol):
    """A schema and DuckDB's table expression; `by_columns` gives another one for the columns that are asked for,
    where what the records are depends on these, or the error of asking for them."""

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


def relation_of(found: Found, is_whole_file: bool = False) -> Relation:
    scan = replace(scan_of(found), is_whole_file=is_whole_file)
    by_columns = found.by_columns
    if by_columns is None:
        return scan
    if scan.has_metadata:
        raise NotNative("the metadata column of files with records that may be malformed")

    def narrowed(asked: frozenset[int]) -> Relation:
        try:
            return replace(scan, sql=by_columns(asked))
        except SparkError as error:
            return Refused(error=error, fields=scan.fields)

    return Records(input=scan, narrowed=narrowed, fields=scan.fields)


def scan_of(found: Found) -> Scan:
    fields = tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in found.schema)
    if found.metadata is not None:
        fields = (*fields, Field(file_metadata.NAME, found.metadata, False, file_metadata.MARKS))
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
