"""Building blocks of file scans that all formats share: the request, the listing, and the resulting scan."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import quote

from pyspark.sql.types import DecimalType, NullType, StructField, StructType

from twinspark.config.values import is_on, text_of
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.relations import FILE_INDEX_COLUMN
from twinspark.tables.column_types import column_type
from twinspark.tables.files.listing import LeafFile, Listing, is_data, list_files
from twinspark.tables.files.partition_columns import Partitioning
from twinspark.tables.reshape import Cast, Reshape, Same
from twinspark.types import as_nullable, nested_types
from twinspark.types.duckdb import duck_name


@dataclass(frozen=True)
class FoundFiles:
    """The files that existed when a scan was planned; a cached scan is valid as long as they are the same."""

    paths: tuple[str, ...]
    options: Mapping[str, str]
    time_zone: str
    found: Listing
    partitions: frozenset[str] | None = None  # the registered partitions of a table

    @classmethod
    def at(
        cls,
        paths: Sequence[str],
        options: Mapping[str, str],
        time_zone: str,
        partitions: Collection[str] | None = None,
    ) -> "FoundFiles":
        known = None if partitions is None else frozenset(partitions)
        return cls(tuple(paths), options, time_zone, find_files(paths, options, time_zone, known), known)

    def is_so_still(self) -> bool:
        try:
            return find_files(self.paths, self.options, self.time_zone, self.partitions) == self.found
        except (SparkError, NotNative, OSError):  # the files are missing: planning the scan again raises the error
            return False


def find_files(
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
    """A planned scan: Spark's schema, DuckDB's table expression, and the files that it reads."""

    schema: StructType
    sql: str
    input_files: list[str]
    size_in_bytes: int
    looked: FoundFiles | None = None
    arrow: tuple[tuple[str, Any], ...] = ()  # Arrow datasets to register under the names in `sql`
    by_columns: Callable[[frozenset[int]], str] | None = None  # makes another `sql` if only some columns are required
    file_sizes: tuple[int, ...] = ()  # in reading order, if `sql_by_file` is set
    sql_by_file: str = ""  # `sql` with the additional column FILE_PLACE: the index of the row's file
    # The type of the hidden column `_metadata`, which is then the last column of `sql`.
    metadata: StructType | None = None


class MetadataColumn(Protocol):
    """Computes the hidden column `_metadata`."""

    def type(self, request: "Request") -> StructType: ...
    def column(self, request: "Request") -> str: ...
    def check(self, request: "Request", schema: StructType) -> None: ...


@dataclass(frozen=True)
class ScanContext:
    """The operation's DuckDB connection, and the session's settings."""

    connection: Any
    config: Mapping[str, str] = field(default_factory=dict)
    metadata_column: MetadataColumn | None = None

    @property
    def case_sensitive(self) -> bool:
        return is_on(self.config, "spark.sql.caseSensitive")

    @property
    def time_zone(self) -> str:
        return text_of(self.config, "spark.sql.session.timeZone")

    @property
    def reads_by_old_patterns(self) -> bool:
        return text_of(self.config, "spark.sql.legacy.timeParserPolicy") != "CORRECTED"


@dataclass(frozen=True)
class Request:
    """The input of a file scan: format, listing, partitions, options, user schema."""

    format: str
    options: Mapping[str, str]
    user_schema: StructType | None
    listing: Listing
    partitioning: Partitioning
    context: ScanContext

    @property
    def files(self) -> list[LeafFile]:
        """The data files, in the order in which Spark infers a schema."""
        return sorted(
            (leaf for leaf in self.partitioning.files if is_data(leaf.name) and leaf.size > 0), key=lambda f: f.path
        )

    @property
    def paths_as_read(self) -> list[str]:
        """The largest file first, as Spark packs files into partitions: this is the row order of a scan."""
        return [leaf.path for leaf in largest_first(self.files)]

    @property
    def file_column(self) -> str:
        """An additional column for a SELECT from DuckDB's reader: the index of the row's file, or `_metadata`."""
        if self.context.metadata_column is not None:
            return self.context.metadata_column.column(self) if self.files else ""
        if len(self.files) < 2 or self.partitioning.schema:
            return ""
        return f", file_index AS {duck_name(FILE_INDEX_COLUMN)}"


def largest_first(files: Iterable[LeafFile]) -> list[LeafFile]:
    """By size, files of equal size in listing order."""
    return sorted(files, key=lambda leaf: (-leaf.size, leaf.turn))


INDEX_OPTIONS = {"basepath", "recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter", "path"}
# Names that Spark's readers accept; how a file is compressed they see from its name or its footer.
TEXT_CODECS = {"none", "uncompressed", "bzip2", "deflate", "gzip", "lz4", "snappy"}
CODECS = {
    "parquet": {"none", "uncompressed", "snappy", "gzip", "lzo", "lz4", "lz4_raw", "brotli", "zstd"},
    **dict.fromkeys(("csv", "json", "text"), TEXT_CODECS),
}


def check_options(request: Request, known: Iterable[str]) -> None:
    unknown = sorted(set(request.options) - INDEX_OPTIONS - set(known))
    if unknown == ["compression"] and request.options["compression"].lower() in CODECS.get(request.format, set()):
        return
    if unknown:
        raise NotNative(reasons.FILE_OPTION, f"{request.format}: {unknown[0]}")


def corrupt_name(request: Request) -> str:
    """The name of the column for the text of malformed records."""
    default = text_of(request.context.config, "spark.sql.columnNameOfCorruptRecord")
    return request.options.get("columnnameofcorruptrecord", default)


def merges(request: Request, setting: str) -> bool:
    """The option mergeSchema, or the setting."""
    option = request.options.get("mergeschema", "").lower()
    if option not in ("", "true", "false"):
        raise NotNative(reasons.FILE_OPTION, "mergeSchema is neither true nor false")
    return option == "true" if option else is_on(request.context.config, setting)


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
    if request.context.metadata_column is not None:
        return metadata_scan(request, schema, selects, request.context.metadata_column)
    return plain_scan(request, schema, selects)


def metadata_scan(request: Request, schema: StructType, selects: str, metadata_column: MetadataColumn) -> FileScan:
    """The scan with the hidden column after the others."""
    metadata_column.check(request, schema)
    if selects and selects.count(request.file_column) != selects.count(" UNION ALL ") + 1:
        raise NotNative(reasons.FILE_METADATA_COLUMN, "the files are not read by DuckDB's own reader")
    type = metadata_column.type(request)
    wide = StructType([*schema.fields, StructField("_metadata", type, False)])
    found = plain_scan(replace(request, context=replace(request.context, metadata_column=None)), schema, selects)
    return replace(found, sql=f"({selects or empty_select(wide)})", file_sizes=(), sql_by_file="", metadata=type)


def plain_scan(request: Request, schema: StructType, selects: str) -> FileScan:
    files = [leaf for leaf in request.partitioning.files if is_data(leaf.name)]
    names_file = bool(request.file_column) and selects.count(request.file_column) == 1
    return FileScan(
        schema,
        f"({selects.replace(request.file_column, '') or empty_select(schema)})",
        [f"file://{quote(leaf.path, safe='/=:@!$&()*+,;~')}" for leaf in files],
        sum(leaf.size for leaf in files),
        file_sizes=tuple(leaf.size for leaf in largest_first(request.files)) if names_file else (),
        sql_by_file=f"({selects})" if names_file else "",
    )


def check_distinct(schema: StructType) -> None:
    """DuckDB does not support columns, or struct fields, whose names differ only in case."""
    for type in nested_types(schema):
        names = [name.lower() for name in type.names] if isinstance(type, StructType) else []
        if len(set(names)) != len(names):
            raise NotNative(reasons.FILE_COLUMN_NAMES)


def empty_select(schema: StructType) -> str:
    columns = [f"CAST(NULL AS {column_type(f.dataType)}) AS {duck_name(f.name)}" for f in schema.fields]
    return f"SELECT {', '.join(columns)} WHERE false"


def nullable_schema(schema: StructType) -> StructType:
    nullable = as_nullable(schema)
    assert isinstance(nullable, StructType)
    return nullable


def partition_casts(partitions: StructType) -> dict[str, Reshape]:
    """How a directory's value becomes the column: values that DuckDB reads as strings are cast."""
    as_text = (DecimalType, NullType)
    return {f.name: Cast(f.dataType) if isinstance(f.dataType, as_text) else Same() for f in partitions.fields}


SPARK_NAMES = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text"}
