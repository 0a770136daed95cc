"""The hidden column `_metadata` of file scans, computed from columns of DuckDB's readers."""

from __future__ import annotations

import re
from dataclasses import replace

from twinspark.analysis.partitions.partition_counts import cuts_as_usual
from twinspark.errors import NotNative, reasons
from twinspark.plan.file_metadata import NAME, metadata_type
from twinspark.tables.column_types import column_type
from twinspark.tables.files.listing import LeafFile, file_uri
from twinspark.tables.files.scan import MetadataColumn, Request, ScanContext
from twinspark.types import StructType
from twinspark.types.duckdb import duck_name, duck_text

PLAIN = re.compile(r"[A-Za-z0-9/_.=-]+")  # other paths are URL-encoded
WHOLE = 4 << 20  # spark.sql.files.openCostInBytes: Spark does not split smaller files
# Virtual columns of DuckDB's readers, unless the files have columns of these names.
VIRTUAL = ("filename", "file_row_number")


class FileMetadata(MetadataColumn):
    """The column `_metadata`; row_index exists for Parquet files only."""

    def type(self, request: Request) -> StructType:
        small = all(leaf.size <= WHOLE for leaf in request.files) and cuts_as_usual(request.context.config)
        return metadata_type(request.format == "parquet", not small)

    def column(self, request: Request) -> str:
        facts = f"MAP {{{', '.join(map(entry, request.files))}}}[filename]"
        made = f"struct_insert({facts}, row_index := file_row_number)" if request.format == "parquet" else facts
        return f", CAST({made} AS {column_type(self.type(request))}) AS {duck_name(NAME)}"

    def check(self, request: Request, schema: StructType) -> None:
        taken = {name.lower() for name in schema.names}
        if NAME in taken:
            raise NotNative(reasons.FILE_METADATA_COLUMN, "the files have a column named _metadata")
        if any(name in taken for name in VIRTUAL):
            raise NotNative(reasons.FILE_METADATA_COLUMN, "the files have columns named like those of DuckDB's reader")
        if not all(PLAIN.fullmatch(leaf.path) for leaf in request.files):
            raise NotNative(reasons.FILE_METADATA_COLUMN, "the files have unusual names")


def with_metadata_column(files: ScanContext, is_required: bool) -> ScanContext:
    """The context with the hidden column, if the query reads it."""
    return replace(files, metadata_column=FileMetadata()) if is_required else files


def entry(leaf: LeafFile) -> str:
    """The metadata of one file; the modification time is in milliseconds, as in Java."""
    facts = {
        "file_path": duck_text(file_uri(leaf.path)),
        "file_name": duck_text(leaf.name),
        "file_size": str(leaf.size),
        "file_block_start": "0",
        "file_block_length": str(leaf.size),
        "file_modification_time": f"make_timestamptz({leaf.modified_ns // 1_000_000 * 1000})",
    }
    return f"{duck_text(leaf.path)}: {{{', '.join(f'{duck_text(name)}: {value}' for name, value in facts.items())}}}"
