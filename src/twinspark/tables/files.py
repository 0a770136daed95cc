"""Files as Spark reads them: a format, paths and options become a schema and a DuckDB table expression."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from pyspark.sql.types import DecimalType, NullType, StructType

from twinspark.errors import NotNative, SparkError
from twinspark.tables import parquet
from twinspark.tables.ducktext import duck_type, identifier, literals
from twinspark.tables.listing import LeafFile, Listing, is_data, list_files
from twinspark.tables.partitions import Partitioning, discover, hive_arguments, merged_schema
from twinspark.tables.reshape import Cast, Field, duck_select


@dataclass(frozen=True)
class FileScan:
    """What a reader needs to know of files: Spark's schema, DuckDB's table expression, and what it will read."""

    schema: StructType
    sql: str
    input_files: list[str]
    size_in_bytes: int


@dataclass(frozen=True)
class ScanContext:
    """Who asks: a DuckDB connection of the operation, and the session's settings (those that were set)."""

    connection: Any
    config: Mapping[str, str] = field(default_factory=dict)

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


INDEX_OPTIONS = {"basepath", "recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter", "path"}
# Native only while these settings have the values DuckDB's reading agrees with.
AGREED_SETTINGS = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreInvalidPartitionPaths": "false",
    "spark.sql.sources.validatePartitionColumns": "true",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.parquet.respectSummaryFiles": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
}

Format = Callable[[Request], FileScan]


def scan(
    format: str, paths: Sequence[str], options: Mapping[str, str], schema: StructType | None, context: ScanContext
) -> FileScan:
    """The scan of these files as Spark would read them, or NotNative with the reason."""
    name = format.lower()
    if name not in FORMATS:
        raise NotNative(f"the file format {format}")
    lowered = {key.lower(): value for key, value in options.items()}
    check_settings(context)
    listing = list_files(paths, lowered, context.time_zone)
    partitioning = discover(
        listing,
        schema,
        infer_types=context.is_on("spark.sql.sources.partitionColumnTypeInference.enabled", True),
        case_sensitive=context.case_sensitive,
    )
    return FORMATS[name](Request(name, lowered, schema, listing, partitioning, context))


def check_settings(context: ScanContext) -> None:
    for key, agreed in AGREED_SETTINGS.items():
        if context.setting(key, agreed).lower() != agreed.lower():
            raise NotNative(f"{key} set to {context.config[key]}")


def check_options(request: Request, known: Iterable[str]) -> None:
    unknown = sorted(set(request.options) - INDEX_OPTIONS - set(known))
    if unknown:
        raise NotNative(f"the {request.format} read option {unknown[0]}")


def scan_parquet(request: Request) -> FileScan:
    check_options(request, {"mergeschema"})
    context = request.context
    groups = parquet.footers_of(request.files, context.connection)
    data = data_schema(request, lambda: parquet_schema(request, groups))
    whole = merged_schema(data, request.partitioning.schema, context.case_sensitive)
    scans = parquet.scan_groups(groups, whole, request.partitioning.sources, context.case_sensitive)
    selects = [
        duck_select(with_partition_casts(fields, request.partitioning.schema), read_parquet(files, request))
        for fields, files in scans
    ]
    return file_scan(request, whole, " UNION ALL ".join(selects))


def parquet_schema(request: Request, groups: Mapping[parquet.Footer, Sequence[LeafFile]]) -> StructType | None:
    merge = request.options.get("mergeschema") or request.context.setting("spark.sql.parquet.mergeSchema", "false")
    if any(leaf.name.startswith(("_metadata", "_common_metadata")) for leaf in request.partitioning.files):
        raise NotNative("Parquet summary files")
    return parquet.inferred_schema(groups, merge.lower() == "true") if groups else None


def read_parquet(files: Sequence[str], request: Request) -> str:
    return f"read_parquet({literals(files)}, {hive_arguments(request.partitioning)})"


def with_partition_casts(fields: Sequence[Field], partitions: StructType) -> tuple[Field, ...]:
    """Types DuckDB cannot be told for a directory's value are cast from its text."""
    casts = {f.name: Cast(f.dataType) for f in partitions.fields if isinstance(f.dataType, DecimalType | NullType)}
    return tuple(Field(f.name, f.source, casts.get(f.name, f.reshape)) for f in fields)


def data_schema(request: Request, infer: Callable[[], StructType | None]) -> StructType:
    """The columns that are not partitions: the user's, or those found in the files."""
    if request.user_schema is not None:
        found = parquet.as_struct(request.user_schema)
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
    files = [leaf for leaf in request.partitioning.files if is_data(leaf.name)]
    return FileScan(
        schema,
        f"({selects or empty_select(schema)})",
        [f"file://{quote(leaf.path, safe='/=:@!$&()*+,;~')}" for leaf in files],
        sum(leaf.size for leaf in files),
    )


def check_distinct(schema: StructType) -> None:
    names = [name.lower() for name in schema.names]
    if len(set(names)) != len(names):
        raise NotNative("columns that differ in case only")


def empty_select(schema: StructType) -> str:
    columns = [f"CAST(NULL AS {duck_type(f.dataType)}) AS {identifier(f.name)}" for f in schema.fields]
    return f"SELECT {', '.join(columns)} WHERE false"


SPARK_NAMES = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text"}
FORMATS: Mapping[str, Format] = {"parquet": scan_parquet}
