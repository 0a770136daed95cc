"""Defines the type of `_metadata`, the hidden column of file scans (FileFormat.createFileMetadataCol)."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.types import LONG, STRING, TIMESTAMP, StructField, StructType

NAME = "_metadata"
COLUMN_METADATA = (
    ("__file_source_metadata_col", True),
    ("__metadata_col", NAME),
)  # the metadata of this column in Spark
FILE_FIELDS = (
    StructField("file_path", STRING, False),
    StructField("file_name", STRING, False),
    StructField("file_size", LONG, False),
    StructField("file_block_start", LONG, False),
    StructField("file_block_length", LONG, False),
    StructField("file_modification_time", TIMESTAMP, False),
)
ROW_INDEX = StructField("row_index", LONG, False)
BLOCKS = ("file_block_start", "file_block_length")


class SplitFileMetadata(StructType):  # type: ignore[misc]
    """The type of `_metadata` for files that Spark may split: then only Spark knows which block a row is from."""


def metadata_type(has_rows: bool, in_pieces: bool) -> StructType:
    fields = [*FILE_FIELDS, *([ROW_INDEX] if has_rows else [])]
    return SplitFileMetadata(fields) if in_pieces else StructType(fields)


def reads_file_block(parts: Sequence[str]) -> bool:
    """Whether a reference reads the file block: the whole column, or a field with the block's start or length."""
    return not parts or parts[0].lower() in BLOCKS
