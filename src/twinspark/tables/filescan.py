"""One scan of files while it is put together: who asks, which files, and what every format shares."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import quote

from pyspark.sql.types import DecimalType, NullType, StructField, StructType

from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import FILE_PLACE
from twinspark.tables.ducktext import duck_type, identifier
from twinspark.tables.listing import LeafFile, Listing, is_data, list_files
from twinspark.tables.partitions import Partitioning
from twinspark.tables.reshape import Cast, Reshape, Same
from twinspark.types import as_nullable, nested_types


@dataclass(frozen=True)
class Looked:
    """Which files there were when a scan was put together: a scan is good for as long as they are the same."""

    paths: tuple[str, ...]
    options: Mapping[str, str]
    time_zone: str
    found: Listing
    partitions: frozenset[str] | None = None  # those of a table that knows its partitions

    @classmethod
    def at(
        cls,
        paths: Sequence[str],
        options: Mapping[str, str],
        time_zone: str,
        partitions: Collection[str] | None = None,
    ) -> "Looked":
        known = None if partitions is None else frozenset(partitions)
        return cls(tuple(paths), options, time_zone, listed(paths, options, time_zone, known), known)

    def is_so_still(self) -> bool:
        try:
            return listed(self.paths, self.options, self.time_zone, self.partitions) == self.found
        except (SparkError, NotNative, OSError):  # they are gone: whoever reads them anew says what that means
            return False


def listed(
    paths: Sequence[str], options: Mapping[str, str], time_zone: str, partitions: frozenset[str] | None
) -> Listing:
    found = list_files(paths, options, time_zone)
    if partitions is None:
        return found
    (root,) = found.roots
    kept = tuple(leaf for leaf in found.leaves if os.path.relpath(leaf.directory, root) in partitions)
    return replace(found, leaves=kept)


@dataclass(frozen=True)
class FileScan:
    """What a reader needs to know of files: Spark's schema, DuckDB's table expression, and what it will read."""

    schema: StructType
    sql: str
    input_files: list[str]
    size_in_bytes: int
    looked: Looked | None = None
    arrow: tuple[tuple[str, Any], ...] = ()  # what is to be registered under the names that `sql` uses
    by_columns: Callable[[frozenset[int]], str] | None = None  # another `sql` when only some columns are asked for
    file_sizes: tuple[int, ...] = ()  # as they are read, where it can be told which file a row is from:
    sql_by_file: str = ""  # has a column FILE_PLACE more
    metadata: StructType | None = None  # the type of the hidden column `_metadata`, which is the last one of `sql` then


class TellsFiles(Protocol):
    """Says of each row which file it is from."""

    def type(self, request: "Request") -> StructType: ...
    def column(self, request: "Request") -> str: ...
    def check(self, request: "Request", schema: StructType) -> None: ...


@dataclass(frozen=True)
class ScanContext:
    """Who asks: a DuckDB connection of the operation, and the session's settings (those that were set)."""

    connection: Any
    config: Mapping[str, str] = field(default_factory=dict)
    tells: TellsFiles | None = None

    def setting(self, key: str, default: str) -> str:
        return self.config.get(key, default)

    def is_on(self, key: str, default: bool) -> bool:
        return self.setting(key, str(default)).lower() == "true"

    @property
    def case_sensitive(self) -> bool:
        return self.is_on("spark.sql.caseSensitive", False)

    @property
    def time_zone(self) -> str:
        return self.setting("spark.sql.session.timeZone", "UTC")

    @property
    def reads_by_old_patterns(self) -> bool:
        return self.setting("spark.sql.legacy.timeParserPolicy", "CORRECTED").upper() != "CORRECTED"


@dataclass(frozen=True)
class Request:
    """One scan while it is put together."""

    format: str
    options: Mapping[str, str]
    user_schema: StructType | None
    listing: Listing
    partitioning: Partitioning
    context: ScanContext

    @property
    def files(self) -> list[LeafFile]:
        """The files with rows in them, sorted as Spark sorts them to infer a schema."""
        return sorted(
            (leaf for leaf in self.partitioning.files if is_data(leaf.name) and leaf.size > 0), key=lambda f: f.path
        )

    @property
    def paths_as_read(self) -> list[str]:
        """The largest file first: so Spark packs files into partitions, and so rows come without an order of theirs."""
        return [leaf.path for leaf in largest_first(self.files)]

    @property
    def file_place(self) -> str:
        """A column more for a SELECT from one of DuckDB's readers of all the files: which of them a row is from."""
        if self.context.tells is not None:
            return self.context.tells.column(self) if self.files else ""
        if len(self.files) < 2 or self.partitioning.schema:
            return ""
        return f", file_index AS {identifier(FILE_PLACE)}"


def largest_first(files: Iterable[LeafFile]) -> list[LeafFile]:
    """Those of one size as the file system lists them."""
    return sorted(files, key=lambda leaf: (-leaf.size, leaf.turn))


INDEX_OPTIONS = {"basepath", "recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter", "path"}


def check_options(request: Request, known: Iterable[str]) -> None:
    unknown = sorted(set(request.options) - INDEX_OPTIONS - set(known))
    if unknown:
        raise NotNative(f"the {request.format} read option {unknown[0]}")


def corrupt_name(request: Request) -> str:
    """The column for the texts of malformed records."""
    told = request.context.setting("spark.sql.columnNameOfCorruptRecord", "_corrupt_record")
    return request.options.get("columnnameofcorruptrecord", told)


def merges(request: Request, setting: str) -> bool:
    """The option mergeSchema, or the setting."""
    told = (request.options.get("mergeschema") or request.context.setting(setting, "false")).lower()
    if told not in ("true", "false"):
        raise NotNative("mergeSchema that is neither true nor false")
    return told == "true"


def data_schema(request: Request, infer: Callable[[], StructType | None]) -> StructType:
    """The columns that are not partitions: the user's, or those found in the files."""
    if request.user_schema is not None:
        found = nullable_schema(request.user_schema)
        names = {name if request.context.case_sensitive else name.lower() for name in request.partitioning.schema.names}
        return StructType([f for f in found.fields if fold(f.name, request) not in names])
    inferred = infer()
    if inferred is None:
        raise SparkError("UNABLE_TO_INFER_SCHEMA", format=SPARK_NAMES[request.format])
    return inferred


def fold(name: str, request: Request) -> str:
    return name if request.context.case_sensitive else name.lower()


def file_scan(request: Request, schema: StructType, selects: str) -> FileScan:
    check_distinct(schema)
    if request.context.tells is not None:
        return told_scan(request, schema, selects, request.context.tells)
    return plain_scan(request, schema, selects)


def told_scan(request: Request, schema: StructType, selects: str, tells: TellsFiles) -> FileScan:
    """With the hidden column behind the others."""
    tells.check(request, schema)
    if selects and selects.count(request.file_place) != selects.count(" UNION ALL ") + 1:
        raise NotNative("the metadata column of files that are read in a way of their own")
    type = tells.type(request)
    wide = StructType([*schema.fields, StructField("_metadata", type, False)])
    found = plain_scan(replace(request, context=replace(request.context, tells=None)), schema, selects)
    return replace(found, sql=f"({selects or empty_select(wide)})", file_sizes=(), sql_by_file="", metadata=type)


def plain_scan(request: Request, schema: StructType, selects: str) -> FileScan:
    files = [leaf for leaf in request.partitioning.files if is_data(leaf.name)]
    is_told = bool(request.file_place) and selects.count(request.file_place) == 1
    return FileScan(
        schema,
        f"({selects.replace(request.file_place, '') or empty_select(schema)})",
        [f"file://{quote(leaf.path, safe='/=:@!$&()*+,;~')}" for leaf in files],
        sum(leaf.size for leaf in files),
        file_sizes=tuple(leaf.size for leaf in largest_first(request.files)) if is_told else (),
        sql_by_file=f"({selects})" if is_told else "",
    )


def check_distinct(schema: StructType) -> None:
    """DuckDB knows no two columns, or fields of a struct, that differ in case only."""
    for type in nested_types(schema):
        names = [name.lower() for name in type.names] if isinstance(type, StructType) else []
        if len(set(names)) != len(names):
            raise NotNative("columns that differ in case only")


def empty_select(schema: StructType) -> str:
    columns = [f"CAST(NULL AS {duck_type(f.dataType)}) AS {identifier(f.name)}" for f in schema.fields]
    return f"SELECT {', '.join(columns)} WHERE false"


def nullable_schema(schema: StructType) -> StructType:
    nullable = as_nullable(schema)
    assert isinstance(nullable, StructType)
    return nullable


def partition_casts(partitions: StructType) -> dict[str, Reshape]:
    """How a directory's value becomes the column: those that DuckDB read as text are cast."""
    as_text = (DecimalType, NullType)
    return {f.name: Cast(f.dataType) if isinstance(f.dataType, as_text) else Same() for f in partitions.fields}


SPARK_NAMES = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text"}
