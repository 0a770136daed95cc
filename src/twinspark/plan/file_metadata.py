"""The hidden column `_metadata`: which file a row is from, and where in it (FileFormat.createFileMetadataCol)."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.types import LONG, STRING, TIMESTAMP, StructField, StructType

NAME = "_metadata"
MARKS = (("__file_source_metadata_col", True), ("__metadata_col", NAME))  # what Spark says of the column
FACTS = (
    StructField("file_path", STRING, False),
    StructField("file_name", STRING, False),
    StructField("file_size", LONG, False),
    StructField("file_block_start", LONG, False),
    StructField("file_block_length", LONG, False),
    StructField("file_modification_time", TIMESTAMP, False),
)
ROW_INDEX = StructField("row_index", LONG, False)
BLOCKS = ("file_block_start", "file_block_length")


class FilesInPieces(StructType):  # type: ignore[misc]
    """The same of files that Spark may read in several pieces: of which one a row is, only Spark knows."""


def metadata_type(has_rows: bool, in_pieces: bool) -> StructType:
    fields = [*FACTS, *([ROW_INDEX] if has_rows else [])]
    return FilesInPieces(fields) if in_pieces else StructType(fields)


def asks_pieces(parts: Sequence[str]) -> bool:
    """Of the whole column, or of a field of it."""
    return not parts or parts[0].lower() in BLOCKS
