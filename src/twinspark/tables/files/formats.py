"""Plans scans of files: format, paths and options become Spark's schema and a DuckDB table expression."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pyspark.sql.types import DateType, StringType, StructType, TimestampType

from twinspark.config.values import first_unusual, is_on
from twinspark.errors import NotNative, reasons
from twinspark.functions.time.time_parser_policy import holds_moments
from twinspark.tables.files import csv as csv_files
from twinspark.tables.files import json as json_files
from twinspark.tables.files import orc as orc_files
from twinspark.tables.files import parquet
from twinspark.tables.files import text as text_files
from twinspark.tables.files.file_cache import LruCache
from twinspark.tables.files.partition_columns import discover
from twinspark.tables.files.scan import FileScan, FoundFiles, Request, ScanContext
from twinspark.types import has_collation

__all__ = ["FileScan", "ScanContext", "scan"]

# Other values of these settings fall back to Spark: DuckDB's readers behave as with the defaults.
DEFAULTS_ONLY = (
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.files.ignoreInvalidPartitionPaths",
    "spark.sql.sources.validatePartitionColumns",
    "spark.sql.streaming.fileStreamSink.ignoreMetadata",
    "spark.sql.timestampType",
    "spark.sql.parquet.binaryAsString",
    "spark.sql.parquet.int96AsTimestamp",
    "spark.sql.parquet.int96TimestampConversion",
    "spark.sql.parquet.inferTimestampNTZ.enabled",
    "spark.sql.parquet.fieldId.read.enabled",
    "spark.sql.parquet.respectSummaryFiles",
    "spark.sql.parquet.datetimeRebaseModeInRead",
    "spark.sql.parquet.int96RebaseModeInRead",
    "spark.sql.legacy.parquet.nanosAsLong",
)

Format = Callable[[Request], FileScan]


def scan(
    format: str,
    paths: Sequence[str],
    options: Mapping[str, str],
    schema: StructType | None,
    context: ScanContext,
    partitions: Collection[str] | None = None,
) -> FileScan:
    """The scan of these files as Spark would read them, of some partitions only if given; else raises NotNative."""
    name = format.lower()
    if name not in FORMATS:
        raise NotNative(reasons.FILE_FORMAT, format)
    lowered = {key.lower(): value for key, value in options.items()}
    check_settings(context)
    looked = FoundFiles.at(paths, lowered, context.time_zone, partitions)
    if name not in KEPT_FORMATS:
        return scan_found(name, lowered, schema, looked, context)
    user_schema = None if schema is None else schema.json()
    key = (
        name,
        looked.found,
        *sorted(lowered.items()),
        user_schema,
        *sorted(context.config.items()),
        bool(context.metadata_column),
    )
    known = _scans.get(key, lambda: scan_or_reason(name, lowered, schema, looked, context))
    if isinstance(known, NotNative):
        raise NotNative.without_traceback(known)
    return replace(known, looked=looked)


# For unchanged files the result depends only on settings and options, so that the lines are checked only once.
KEPT_FORMATS = {"parquet", "csv", "json"}
_scans: LruCache[FileScan | NotNative] = LruCache(1_000)


def scan_or_reason(
    name: str, options: Mapping[str, str], schema: StructType | None, looked: FoundFiles, context: ScanContext
) -> FileScan | NotNative:
    try:
        return scan_found(name, options, schema, looked, context)
    except NotNative as refused:
        return NotNative.without_traceback(refused)


def scan_found(
    name: str, options: Mapping[str, str], schema: StructType | None, looked: FoundFiles, context: ScanContext
) -> FileScan:
    partitioning = discover(
        looked.found,
        schema,
        infer_types=is_on(context.config, "spark.sql.sources.partitionColumnTypeInference.enabled"),
        case_sensitive=context.case_sensitive,
    )
    if schema is not None and has_collation(schema) and (name != "parquet" or has_collation(partitioning.schema)):
        raise NotNative(reasons.COLLATION_STORAGE, f"{name} files")
    found = FORMATS[name](Request(name, options, schema, looked.found, partitioning, context))
    folders = holds_texts(partitioning.schema) if schema is None else holds_moments(partitioning.schema)
    if context.reads_by_old_patterns and (folders or read_by_patterns(name, options, found.schema)):
        raise NotNative(reasons.DATETIME_LEGACY_POLICY, "dates or timestamps in text files")
    return replace(found, looked=looked)


def read_by_patterns(name: str, options: Mapping[str, str], schema: StructType) -> bool:
    """Whether dates or timestamps may be parsed by patterns: in text formats, or while a schema is inferred."""
    looks = name == "csv" and options.get("inferschema", "false").lower() == "true"
    return name in ("csv", "json") and (looks or holds_moments(schema))


def holds_texts(schema: StructType) -> bool:
    return any(isinstance(field.dataType, StringType | DateType | TimestampType) for field in schema.fields)


def check_settings(context: ScanContext) -> None:
    if (unusual := first_unusual(context.config, DEFAULTS_ONLY)) is not None:
        raise NotNative(reasons.SETTING_VALUE, f"{unusual} = {context.config[unusual]}")


FORMATS: Mapping[str, Format] = {
    "parquet": parquet.scan,
    "csv": csv_files.scan,
    "json": json_files.scan,
    "text": text_files.scan,
    "orc": orc_files.scan,
}
