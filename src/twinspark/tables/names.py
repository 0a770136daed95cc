"""Names without any catalog at hand: which are paths, what Spark calls ours, what it says of those it does not find."""

from collections.abc import Sequence

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Scan
from twinspark.plan.scans import scan_of
from twinspark.tables.files import FORMATS
from twinspark.tables.filescan import FileScan
from twinspark.types import quote_identifier

DATABASE_OF_OURS = "twinspark shows its tables here"  # the comment of databases that Spark has for our sake


def is_path(parts: Sequence[str]) -> bool:
    """`parquet.`/some/path``: a format and a path."""
    return len(parts) == 2 and parts[0].lower() in FORMATS and "/" in parts[1]


def make_database(database: str) -> str:
    """So that Spark finds our tables, or can follow a USE."""
    return f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)} COMMENT '{DATABASE_OF_OURS}'"


def scan_relation(found: FileScan) -> Scan:
    if found.by_columns is not None:
        raise NotNative("a table of files with records that may be malformed")
    return scan_of(found)


def not_found(parts: Sequence[str], context: Context) -> SparkError:
    """The name as it was written, and the path Spark searched."""
    current = f"{quote_identifier(context.catalog)}.{quote_identifier(context.database)}"
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=".".join(quote_identifier(part) for part in parts),
        searchPath=f"[`system`.`builtin`, `system`.`session`, {current}]",
    )
