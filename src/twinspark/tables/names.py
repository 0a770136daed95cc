"""Helpers for table names that need no catalog: paths, quoting, Spark's databases for our tables, not-found errors."""

from collections.abc import Iterable, Sequence

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.relations import Scan
from twinspark.plan.scans import scan_of
from twinspark.tables.files.formats import FORMATS
from twinspark.tables.files.scan import FileScan
from twinspark.types import quote_identifier

# The comment of databases that are created in Spark for our tables.
DATABASE_OF_OURS = "twinspark shows its tables here"


def is_path(parts: Sequence[str]) -> bool:
    """Whether the name is a format and a path: `parquet.`/some/path``."""
    return len(parts) == 2 and parts[0].lower() in FORMATS and "/" in parts[1]


def quote_name(parts: Iterable[str]) -> str:
    """A multi-part name, each part in backquotes."""
    return ".".join(quote_identifier(part) for part in parts)


def make_database(database: str) -> str:
    """The statement that creates a database in Spark, so that Spark finds our tables and can run USE."""
    return f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)} COMMENT '{DATABASE_OF_OURS}'"


def scan_relation(found: FileScan) -> Scan:
    if found.by_columns is not None:
        raise NotNative(reasons.FILE_MALFORMED_RECORDS, "a table of files")
    return scan_of(found)


def not_found(parts: Sequence[str], context: Context) -> SparkError:
    """TABLE_OR_VIEW_NOT_FOUND with the name as written and the search path."""
    current = f"{quote_identifier(context.catalog)}.{quote_identifier(context.database)}"
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=quote_name(parts),
        searchPath=f"[`system`.`builtin`, `system`.`session`, {current}]",
    )
