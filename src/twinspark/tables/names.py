"""Names of tables without any catalog at hand: which are paths, and what Spark says of those it does not find."""

from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.errors import SparkError
from twinspark.plan.relations import Field, Scan
from twinspark.tables.files import FORMATS
from twinspark.tables.filescan import FileScan
from twinspark.types import quote_identifier


def is_path(parts: Sequence[str]) -> bool:
    """`parquet.`/some/path``: a format and a path."""
    return len(parts) == 2 and parts[0].lower() in FORMATS and "/" in parts[1]


def scan_relation(found: FileScan) -> Scan:
    fields = tuple(Field(f.name, f.dataType, f.nullable, metadata_items(f)) for f in found.schema.fields)
    return Scan(
        fields=fields,
        sql=found.sql,
        names=tuple(field.name for field in fields),
        input_files=tuple(found.input_files),
        size_in_bytes=found.size_in_bytes,
        arrow=found.arrow,
    )


def metadata_items(field: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.metadata or {}).items())


def not_found(parts: Sequence[str], context: Context) -> SparkError:
    """The name as it was written, and the path Spark searched."""
    current = f"{quote_identifier(context.catalog)}.{quote_identifier(context.database)}"
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=".".join(quote_identifier(part) for part in parts),
        searchPath=f"[`system`.`builtin`, `system`.`session`, {current}]",
    )
