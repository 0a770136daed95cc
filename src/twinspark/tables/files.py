"""Files as Spark reads them: a format, paths and options become a schema and a DuckDB table expression."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pyspark.sql.types import DateType, StringType, StructType, TimestampType

from twinspark.errors import NotNative
from twinspark.functions.time_parser import holds_moments
from twinspark.tables import csv_files, json_files, orc_files, parquet, text_files
from twinspark.tables.filescan import FileScan, Looked, Request, ScanContext
from twinspark.tables.kept import Kept
from twinspark.tables.partitions import discover
from twinspark.types import has_collation

__all__ = ["FileScan", "ScanContext", "scan"]

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
    format: str,
    paths: Sequence[str],
    options: Mapping[str, str],
    schema: StructType | None,
    context: ScanContext,
    partitions: Collection[str] | None = None,
) -> FileScan:
    """The scan of these files as Spark would read them, or NotNative with the reason; of these partitions only."""
    name = format.lower()
    if name not in FORMATS:
        raise NotNative(f"the file format {format}")
    lowered = {key.lower(): value for key, value in options.items()}
    check_settings(context)
    looked = Looked.at(paths, lowered, context.time_zone, partitions)
    if name not in KEPT_FORMATS:
        return scan_found(name, lowered, schema, looked, context)
    asked = None if schema is None else schema.json()
    key = (name, looked.found, *sorted(lowered.items()), asked, *sorted(context.config.items()), bool(context.tells))
    known = _scans.get(key, lambda: scan_or_reason(name, lowered, schema, looked, context))
    if isinstance(known, NotNative):
        raise NotNative(known.reason, nearest=known.nearest)
    return replace(known, looked=looked)


# Of files that are as they were, only what was set makes a difference: to look at all lines once is enough.
KEPT_FORMATS = {"parquet", "csv", "json"}
_scans: Kept[FileScan | NotNative] = Kept(1_000)


def scan_or_reason(
    name: str, options: Mapping[str, str], schema: StructType | None, looked: Looked, context: ScanContext
) -> FileScan | NotNative:
    try:
        return scan_found(name, options, schema, looked, context)
    except NotNative as refused:
        return NotNative(
            refused.reason, nearest=refused.nearest
        )  # the one that was raised holds on to all it went through


def scan_found(
    name: str, options: Mapping[str, str], schema: StructType | None, looked: Looked, context: ScanContext
) -> FileScan:
    partitioning = discover(
        looked.found,
        schema,
        infer_types=context.is_on("spark.sql.sources.partitionColumnTypeInference.enabled", True),
        case_sensitive=context.case_sensitive,
    )
    if schema is not None and has_collation(schema) and (name != "parquet" or has_collation(partitioning.schema)):
        raise NotNative(f"strings with a collation in {name} files")
    found = FORMATS[name](Request(name, options, schema, looked.found, partitioning, context))
    folders = holds_texts(partitioning.schema) if schema is None else holds_moments(partitioning.schema)
    if context.reads_by_old_patterns and (folders or read_by_patterns(name, options, found.schema)):
        raise NotNative("dates or timestamps in texts by spark.sql.legacy.timeParserPolicy")
    return replace(found, looked=looked)


def read_by_patterns(name: str, options: Mapping[str, str], schema: StructType) -> bool:
    """What may be dates or timestamps in texts, and what is looked at for them."""
    looks = name == "csv" and options.get("inferschema", "false").lower() == "true"
    return name in ("csv", "json") and (looks or holds_moments(schema))


def holds_texts(schema: StructType) -> bool:
    return any(isinstance(field.dataType, StringType | DateType | TimestampType) for field in schema.fields)


def check_settings(context: ScanContext) -> None:
    for key, agreed in AGREED_SETTINGS.items():
        if context.setting(key, agreed).lower() != agreed.lower():
            raise NotNative(f"{key} set to {context.config[key]}")


FORMATS: Mapping[str, Format] = {
    "parquet": parquet.scan,
    "csv": csv_files.scan,
    "json": json_files.scan,
    "text": text_files.scan,
    "orc": orc_files.scan,
}
