"""Parses Iceberg's extensions of ALTER TABLE, by the grammar that Iceberg documents for Spark."""

from collections.abc import Callable

from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier, parse_multipart_identifier
from twinspark.read.sql.statements.partitions import parse_if_not_exists, parse_transform
from twinspark.read.sql.tree import (
    AddPartitionField,
    Age,
    CreateReference,
    DropIdentifierFields,
    DropPartitionField,
    DropReference,
    IcebergChange,
    OrderField,
    ReplacePartitionField,
    SetIdentifierFields,
    WriteOrder,
)


def parse_iceberg_change(cursor: Cursor, start: int) -> IcebergChange | None:
    """A change that Spark's own grammar does not have, after the name of the table; None for other changes."""
    for words, rule in _CHANGES.items():
        if cursor.take_words(*words.split()):
            return rule(cursor, start)
    return None


# ------------------------------------------------------------ partition fields
def _parse_add_field(cursor: Cursor, start: int) -> IcebergChange:
    field = parse_transform(cursor)
    name = _parse_field_name(cursor)
    return AddPartitionField(start, cursor.stop, field, name)


def _parse_drop_field(cursor: Cursor, start: int) -> IcebergChange:
    field = parse_transform(cursor)
    return DropPartitionField(start, cursor.stop, field)


def _parse_replace_field(cursor: Cursor, start: int) -> IcebergChange:
    field = parse_transform(cursor)
    cursor.expect("WITH")
    replacement = parse_transform(cursor)
    name = _parse_field_name(cursor)
    return ReplacePartitionField(start, cursor.stop, field, replacement, name)


def _parse_field_name(cursor: Cursor) -> str | None:
    return parse_identifier(cursor) if cursor.take("AS") else None


# ------------------------------------------------------------ write order and identifier fields
def _parse_write(cursor: Cursor, start: int) -> IcebergChange:
    """Distribution and ordering in either order, at least one of them and none twice."""
    distributed, ordering = False, ""
    order: tuple[OrderField, ...] = ()
    while True:
        if not distributed and cursor.take_words("DISTRIBUTED", "BY", "PARTITION"):
            distributed = True
        elif not ordering and cursor.take_words("UNORDERED"):
            ordering = "UNORDERED"
        elif not ordering and _is_ordering(cursor):
            ordering, order = _parse_ordering(cursor)
        elif distributed or ordering:
            return WriteOrder(start, cursor.stop, distributed, ordering, order)
        else:
            raise cursor.fail()


def _is_ordering(cursor: Cursor) -> bool:
    return cursor.tokens.word(cursor.at).upper() in ("LOCALLY", "ORDERED")


def parse_sort_order(cursor: Cursor) -> tuple[OrderField, ...]:
    """field, field, … with or without parentheses around them"""
    return cursor.in_parentheses(_parse_order_field) if cursor.peek("(") else cursor.list_of(_parse_order_field)


def _parse_ordering(cursor: Cursor) -> tuple[str, tuple[OrderField, ...]]:
    ordering = "LOCALLY ORDERED" if cursor.take_words("LOCALLY") else "ORDERED"
    cursor.expect_words("ORDERED", "BY")
    return ordering, parse_sort_order(cursor)


def _parse_order_field(cursor: Cursor) -> OrderField:
    start = cursor.start
    transform = parse_transform(cursor)
    ordering = cursor.take_any("ASC", "DESC")
    nulls = cursor.expect_any("FIRST", "LAST") if cursor.take("NULLS") else ""
    return OrderField(start, cursor.stop, transform, ordering, nulls)


def _parse_set_identifiers(cursor: Cursor, start: int) -> IcebergChange:
    fields = cursor.list_of(parse_multipart_identifier)
    return SetIdentifierFields(start, cursor.stop, fields)


def _parse_drop_identifiers(cursor: Cursor, start: int) -> IcebergChange:
    fields = cursor.list_of(parse_multipart_identifier)
    return DropIdentifierFields(start, cursor.stop, fields)


# ------------------------------------------------------------ branches and tags
def _parse_create(cursor: Cursor, start: int) -> IcebergChange:
    return _parse_reference(cursor, start, create=True, replace=False)


def _parse_create_or_replace(cursor: Cursor, start: int) -> IcebergChange:
    return _parse_reference(cursor, start, create=True, replace=True)


def _parse_replace(cursor: Cursor, start: int) -> IcebergChange:
    return _parse_reference(cursor, start, create=False, replace=True)


def _parse_reference(cursor: Cursor, start: int, create: bool, replace: bool) -> IcebergChange:
    kind = _last_word(cursor)
    if_not_exists = parse_if_not_exists(cursor) if not replace else False
    name = parse_identifier(cursor)
    version = _parse_number(cursor) if cursor.take("AS", "OF", "VERSION") else None
    retain = _parse_age(cursor) if cursor.take_words("RETAIN") else None
    snapshots, age = _parse_retention(cursor) if kind == "BRANCH" else (None, None)
    return CreateReference(
        start, cursor.stop, kind, name, create, replace, if_not_exists, version, retain, snapshots, age
    )


def _parse_retention(cursor: Cursor) -> tuple[int | None, Age | None]:
    """WITH SNAPSHOT RETENTION 3 SNAPSHOTS, 2 DAYS, or both."""
    if not cursor.take_words("WITH", "SNAPSHOT", "RETENTION"):
        return None, None
    if cursor.tokens.word(cursor.at + 1).upper() != "SNAPSHOTS":
        return None, _parse_age(cursor)
    snapshots = _parse_number(cursor)
    cursor.at += 1
    return snapshots, _parse_age(cursor) if cursor.peek("integer") else None


def _parse_age(cursor: Cursor) -> Age:
    start = cursor.start
    number = _parse_number(cursor)
    unit = cursor.expect_any("DAYS", "HOURS", "MINUTES")
    return Age(start, cursor.stop, number, unit)


def _parse_number(cursor: Cursor) -> int:
    cursor.expect("integer")
    return int(cursor.tokens.word(cursor.at - 1))


def _parse_drop(cursor: Cursor, start: int) -> IcebergChange:
    kind = _last_word(cursor)
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier(cursor)
    return DropReference(start, cursor.stop, kind, name, if_exists)


def _last_word(cursor: Cursor) -> str:
    """The last token taken: BRANCH or TAG."""
    return cursor.tokens.word(cursor.at - 1).upper()


_CHANGES: dict[str, Callable[[Cursor, int], IcebergChange]] = {
    "ADD PARTITION FIELD": _parse_add_field,
    "DROP PARTITION FIELD": _parse_drop_field,
    "REPLACE PARTITION FIELD": _parse_replace_field,
    "WRITE": _parse_write,
    "SET IDENTIFIER FIELDS": _parse_set_identifiers,
    "DROP IDENTIFIER FIELDS": _parse_drop_identifiers,
    "CREATE BRANCH": _parse_create,
    "CREATE TAG": _parse_create,
    "CREATE OR REPLACE BRANCH": _parse_create_or_replace,
    "CREATE OR REPLACE TAG": _parse_create_or_replace,
    "REPLACE BRANCH": _parse_replace,
    "REPLACE TAG": _parse_replace,
    "DROP BRANCH": _parse_drop,
    "DROP TAG": _parse_drop,
}
