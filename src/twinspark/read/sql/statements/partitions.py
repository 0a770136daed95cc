"""Parses PARTITION (day = '2024-01-01'), the transforms days(ts) and bucket(16, id), and IF NOT EXISTS."""

from twinspark.read.sql.expressions.primaries import parse_primary
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier, parse_multipart_identifier
from twinspark.read.sql.lexer.strings import is_string
from twinspark.read.sql.tree import (
    Column,
    Expression,
    Name,
    PartitionSpec,
    PartitionTransform,
)


def parse_partition_spec(cursor: Cursor) -> PartitionSpec:
    start = cursor.start
    cursor.expect("PARTITION")
    values = cursor.in_parentheses(_parse_partition_value)
    if any(isinstance(value, Column) for _, value in values):
        cursor.defer_error("REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", start, cursor.stop)
    return PartitionSpec(start, cursor.stop, values)


def parse_optional_partition(cursor: Cursor) -> PartitionSpec | None:
    return parse_partition_spec(cursor) if cursor.peek("PARTITION", "(") else None


def _parse_partition_value(cursor: Cursor) -> tuple[str, Expression | None]:
    name = parse_identifier(cursor)
    if not cursor.take("="):
        return name, None
    start = cursor.start
    if cursor.take("DEFAULT"):
        return name, Column(start, cursor.stop, ("DEFAULT",))
    return name, parse_constant(cursor)


def parse_transform(cursor: Cursor) -> PartitionTransform:
    """column, days(ts), bucket(16, id)"""
    start = cursor.start
    if cursor.kinds[cursor.at + 1] == "(":
        name = parse_identifier(cursor)
        arguments = cursor.in_parentheses(_parse_transform_argument)
        return PartitionTransform(start, cursor.stop, name, arguments)
    column = parse_multipart_identifier(cursor)
    return PartitionTransform(start, cursor.stop, "identity", (column,))


def _parse_transform_argument(cursor: Cursor) -> Name | Expression:
    if cursor.is_name(cursor.at) and not is_string(cursor, cursor.at + 1):
        return parse_multipart_identifier(cursor)
    return parse_constant(cursor)


def parse_constant(cursor: Cursor) -> Expression:
    """A literal; other expressions are not allowed."""
    start = cursor.start
    found = parse_primary(cursor)
    if isinstance(found, Column) or cursor.text[start] == "(":
        raise cursor.fail(cursor.at - 1)
    return found


def parse_if_not_exists(cursor: Cursor) -> bool:
    at = cursor.at + 1
    taken = cursor.take("IF", "NOT", "EXISTS") or cursor.take("IF", "!", "EXISTS")
    if taken:
        cursor.check_bang(at)
    return taken
