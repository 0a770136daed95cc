"""Reasons for falling back: reading and writing files."""

from twinspark.errors.reasons.reason import Reason

FILE_COLUMN_NAMES = Reason("FILE_COLUMN_NAMES", "The files have columns whose names differ only in case.")
FILE_COLUMN_TYPE = Reason("FILE_COLUMN_TYPE", "The native engine does not read this type from files of this format.")
FILE_COMPRESSED = Reason(
    "FILE_COMPRESSED",
    "The native engine does not read these compressed files.",
    "Decompress the files, or store them as Parquet.",
)
FILE_FORMAT = Reason(
    "FILE_FORMAT",
    "The native engine does not read this data source.",
    "Store the data as Parquet, CSV, JSON, ORC or text.",
)
FILE_MALFORMED_RECORDS = Reason(
    "FILE_MALFORMED_RECORDS", "Some records may be malformed, and only Spark decides what becomes of them here."
)
FILE_METADATA_COLUMN = Reason(
    "FILE_METADATA_COLUMN", "The native engine does not compute the metadata column of these files."
)
FILE_OLD_CALENDAR = Reason(
    "FILE_OLD_CALENDAR", "The files contain dates of the hybrid calendar that Spark 2 and Hive used."
)
FILE_OPTION = Reason(
    "FILE_OPTION", "The native engine does not support this option of a data source.", "Leave the option out."
)
FILE_PARTITION_DIRECTORIES = Reason(
    "FILE_PARTITION_DIRECTORIES", "The native engine does not derive partition columns from these directory names."
)
FILE_PARTITION_VALUES = Reason(
    "FILE_PARTITION_VALUES", "Only Spark infers the type of these partition values.", "Declare the schema."
)
FILE_PATH = Reason("FILE_PATH", "The native engine does not resolve this file path.")
FILE_SCHEMA_MISMATCH = Reason(
    "FILE_SCHEMA_MISMATCH",
    "The files do not have the types that are requested, or disagree about them.",
    "Declare a schema with the types that the files have, and cast afterwards.",
)
FILE_SIZE = Reason("FILE_SIZE", "The native engine does not read files of this size.")
FILE_SYSTEM = Reason("FILE_SYSTEM", "The native engine does not read files from this file system.")
ORC_LAYOUT = Reason("ORC_LAYOUT", "The native engine does not read or write this form of ORC files.")
PARQUET_LAYOUT = Reason("PARQUET_LAYOUT", "The native engine does not read this form of Parquet files.")
WRITE_BUCKETED = Reason(
    "WRITE_BUCKETED", "The native engine does not write buckets or sorted files.", "Leave bucketBy and sortBy out."
)
WRITE_COLUMNS = Reason(
    "WRITE_COLUMNS", "The native engine does not write these columns.", "Cast the columns to another type."
)
WRITE_FORMAT = Reason(
    "WRITE_FORMAT", "The native engine does not write this data source.", "Write Parquet, CSV, JSON, ORC or text."
)
WRITE_OPTION = Reason(
    "WRITE_OPTION", "The native engine does not support this option for writing.", "Leave the option out."
)
WRITE_TARGET = Reason("WRITE_TARGET", "The native engine does not write to this target.")
