"""What the hidden column `_metadata` says of each row, as a column of DuckDB's readers."""

from __future__ import annotations

import re
from dataclasses import replace

from twinspark.analysis.partitions import cuts_as_usual
from twinspark.errors import NotNative
from twinspark.plan.file_metadata import NAME, metadata_type
from twinspark.tables.ducktext import duck_type, identifier, literal
from twinspark.tables.filescan import Request, ScanContext, TellsFiles
from twinspark.tables.listing import LeafFile, qualified
from twinspark.types import StructType

PLAIN = re.compile(r"[A-Za-z0-9/_.=-]+")  # other paths are shown in an encoding of their own
WHOLE = 4 << 20  # Spark cuts no file that is as small as opening one costs
VIRTUAL = ("filename", "file_row_number")  # DuckDB's, unless the files have columns of these names


class FileMetadata(TellsFiles):
    """Rows are numbered in Parquet files alone."""

    def type(self, request: Request) -> StructType:
        small = all(leaf.size <= WHOLE for leaf in request.files) and cuts_as_usual(request.context.config)
        return metadata_type(request.format == "parquet", not small)

    def column(self, request: Request) -> str:
        facts = f"MAP {{{', '.join(map(entry, request.files))}}}[filename]"
        made = f"struct_insert({facts}, row_index := file_row_number)" if request.format == "parquet" else facts
        return f", CAST({made} AS {duck_type(self.type(request))}) AS {identifier(NAME)}"

    def check(self, request: Request, schema: StructType) -> None:
        taken = {name.lower() for name in schema.names}
        if NAME in taken:
            raise NotNative("files with a column of the name _metadata")
        if any(name in taken for name in VIRTUAL):
            raise NotNative("the metadata column of files with columns that are called like DuckDB's own")
        if not all(PLAIN.fullmatch(leaf.path) for leaf in request.files):
            raise NotNative("the metadata column of files with unusual names")


def telling(files: ScanContext, asked: bool) -> ScanContext:
    """With the hidden column of files, where a query asks for it."""
    return replace(files, tells=FileMetadata()) if asked else files


def entry(leaf: LeafFile) -> str:
    """Java tells the time of the last change in milliseconds."""
    facts = {
        "file_path": literal(qualified(leaf.path)),
        "file_name": literal(leaf.name),
        "file_size": str(leaf.size),
        "file_block_start": "0",
        "file_block_length": str(leaf.size),
        "file_modification_time": f"make_timestamptz({leaf.modified_ns // 1_000_000 * 1000})",
    }
    return f"{literal(leaf.path)}: {{{', '.join(f'{literal(name)}: {value}' for name, value in facts.items())}}}"
