"""Files as Spark reads them: a format, paths and options become a schema and a DuckDB table expression."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql.types import StructType

from twinspark.errors import NotNative
from twinspark.tables import csv_files, json_files, orc_files, parquet, text_files
from twinspark.tables.filescan import FileScan, Looked, Request, ScanContext
from twinspark.tables.partitions import discover

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
    if name != "parquet" or schema is not None:
        return scan_found(name, lowered, schema, looked, context)
    key = (looked.found, *sorted(lowered.items()), None, *sorted(context.config.items()))
    known = _parquet_scans.get(key)
    if known is None:
        if len(_parquet_scans) > _KEPT_SCANS:
            _parquet_scans.clear()
        known = _parquet_scans[key] = scan_found(name, lowered, schema, looked, context)
    return replace(known, looked=looked)


# Scans of Parquet files whose schema is theirs: of files that are as they were, only what was set makes a difference.
_parquet_scans: dict[Hashable, FileScan] = {}
_KEPT_SCANS = 1_000


def scan_found(
    name: str, options: Mapping[str, str], schema: StructType | None, looked: Looked, context: ScanContext
) -> FileScan:
    partitioning = discover(
        looked.found,
        schema,
        infer_types=context.is_on("spark.sql.sources.partitionColumnTypeInference.enabled", True),
        case_sensitive=context.case_sensitive,
    )
    found = FORMATS[name](Request(name, options, schema, looked.found, partitioning, context))
    return replace(found, looked=looked)


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
