"""Rejects statements that Spark's grammar has only to report INVALID_STATEMENT_OR_CLAUSE."""

from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.statements.partitions import parse_optional_partition
from twinspark.read.sql.tree import (
    Command,
    ManageResource,
)

_OBJECT_WORDS = frozenset(
    {"ROLE", "GRANT", "PRINCIPALS", "ROLES", "CURRENT", "TABLE", "COMPACTIONS", "TRANSACTIONS", "INDEXES", "LOCKS"}
    | {"INDEX", "DATABASE", "TEMPORARY", "MACRO", "TRANSACTION"}
)


_HIVE_CHANGES = (
    ("NOT", "CLUSTERED"),
    ("CLUSTERED", "BY"),
    ("NOT", "SORTED"),
    ("SKEWED", "BY"),
    ("NOT", "SKEWED"),
    ("NOT", "STORED", "AS", "DIRECTORIES"),
    ("SET", "SKEWED", "LOCATION"),
    ("EXCHANGE", "PARTITION"),
    ("ARCHIVE", "PARTITION"),
    ("UNARCHIVE", "PARTITION"),
    ("TOUCH",),
    ("COMPACT",),
    ("CONCATENATE",),
    ("SET", "FILEFORMAT"),
    ("REPLACE", "COLUMNS"),
)


def reject_unsupported(cursor: Cursor) -> Command:
    words = [cursor.kinds[cursor.at]]
    for word in cursor.kinds[cursor.at + 1 : cursor.at + 3]:
        if word not in _OBJECT_WORDS:
            break
        words.append(word)
    return _reject(cursor, " ".join(words))


def parse_create_macro(cursor: Cursor) -> Command:
    """Spark's grammar has temporary macros only."""
    if cursor.kinds[cursor.at + 1] != "TEMPORARY":
        raise cursor.fail(cursor.at + 1)
    return reject_unsupported(cursor)


def reject_hive_change(cursor: Cursor) -> Command | None:
    """Hive's changes of tables; None for other statements."""
    at = cursor.at
    words = cursor.attempt(_parse_hive_words)
    cursor.at = at
    return None if words is None else _reject(cursor, f"ALTER TABLE {words}")


def _parse_hive_words(cursor: Cursor) -> str:
    cursor.expect("ALTER", "TABLE")
    parse_multipart_identifier(cursor)
    parse_optional_partition(cursor)
    for words in _HIVE_CHANGES:
        if cursor.take(*words):
            return " ".join(words)
    raise cursor.fail()


def _reject(cursor: Cursor, operation: str) -> Command:
    start = cursor.start
    cursor.at += 1
    rest = cursor.rest_of_text()
    cursor.defer_error("INVALID_STATEMENT_OR_CLAUSE", start, cursor.stop, operation=operation)
    return ManageResource(*cursor.span(start), operation, "", rest)
