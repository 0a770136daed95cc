"""Parses CREATE, ALTER and DROP NAMESPACE, and USE."""

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.identifiers import parse_identifier
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.statements.partitions import parse_if_not_exists
from twinspark.read.sql.statements.properties import parse_namespace_properties
from twinspark.read.sql.tree import (
    AlterNamespace,
    Command,
    CreateNamespace,
    DropNamespace,
    Properties,
    UseNamespace,
)

_NAMESPACE = ("NAMESPACE", "DATABASE", "SCHEMA")


def parse_create_namespace(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.at += 2
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier_reference(cursor)
    comment = location = collation = None
    properties: Properties = ()
    while True:
        if cursor.take("COMMENT"):
            comment = parse_string_value(cursor)
        elif cursor.take("LOCATION"):
            location = parse_string_value(cursor)
        elif cursor.take("DEFAULT", "COLLATION"):
            collation = _parse_namespace_collation(cursor, start)
        elif cursor.take("WITH"):
            cursor.expect_any("DBPROPERTIES", "PROPERTIES")
            properties = parse_namespace_properties(cursor)
        else:
            return CreateNamespace(*cursor.span(start), name, if_not_exists, comment, location, collation, properties)


def parse_alter_namespace(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.at += 2
    name = parse_identifier_reference(cursor)
    if cursor.take("DEFAULT", "COLLATION"):
        collation = _parse_namespace_collation(cursor, start)
        return AlterNamespace(*cursor.span(start), name, "COLLATION", value=collation)
    word = cursor.expect_any("SET", "UNSET")
    if word == "SET" and cursor.take("LOCATION"):
        location = parse_string_value(cursor)
        return AlterNamespace(*cursor.span(start), name, "LOCATION", value=location)
    cursor.expect_any("DBPROPERTIES", "PROPERTIES")
    properties = parse_namespace_properties(cursor, values=word == "SET")
    return AlterNamespace(*cursor.span(start), name, f"{word} PROPERTIES", properties)


def _parse_namespace_collation(cursor: Cursor, start: int) -> str:
    if not cursor.config.allows("spark.sql.collation.schemaLevel.enabled"):
        problem = "UNSUPPORTED_FEATURE.SCHEMA_LEVEL_COLLATIONS"
        cursor.deferred_errors.append(ParseError(problem, cursor.text, start))
    return parse_identifier(cursor)


def parse_drop_namespace(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.at += 2
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    cascade = cursor.take_any("RESTRICT", "CASCADE") == "CASCADE"
    return DropNamespace(*cursor.span(start), name, if_exists, cascade)


def parse_use(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("USE")
    explicit = cursor.kinds[cursor.at] in _NAMESPACE and cursor.kinds[cursor.at + 1] not in ("eof", ";", ".")
    cursor.at += explicit
    name = parse_identifier_reference(cursor)
    return UseNamespace(*cursor.span(start), name, explicit)
