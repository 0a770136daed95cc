"""Parses COMMENT ON, REFRESH, CACHE, LOAD, TRUNCATE, REPAIR, ADD, LIST and ANALYZE."""

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier_sequence, parse_simple_identifier
from twinspark.read.sql.lexer.strings import is_string_or_marker, parse_string_value
from twinspark.read.sql.statements.partitions import parse_optional_partition
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.statements.tables import parse_optional_query
from twinspark.read.sql.tree import (
    AnalyzeTable,
    AnalyzeTables,
    CacheTable,
    ClearCache,
    Command,
    CommentOn,
    Identifier,
    LoadData,
    ManageResource,
    Query,
    Refresh,
    RepairTable,
    TruncateTable,
    UncacheTable,
)

_NAMESPACE = ("NAMESPACE", "DATABASE", "SCHEMA")


def parse_comment_on(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("COMMENT", "ON")
    kind = cursor.expect_any("TABLE", *_NAMESPACE)
    name = parse_identifier_reference(cursor)
    cursor.expect("IS")
    comment = None if cursor.take("NULL") else parse_string_value(cursor)
    return CommentOn(*cursor.span(start), "TABLE" if kind == "TABLE" else "NAMESPACE", name, comment)


def parse_refresh(cursor: Cursor) -> Command:
    start, second = cursor.start, cursor.kinds[cursor.at + 1]
    if second in ("TABLE", "FUNCTION") and (found := cursor.attempt(_parse_refresh_named)):
        return found
    cursor.at += 1
    if is_string_or_marker(cursor, cursor.at) and cursor.kinds[cursor.at + 1] in ("eof", ";"):
        path = parse_string_value(cursor)
    else:
        path = cursor.rest_of_text().strip()
        _check_unquoted_path(cursor, path)
    return Refresh(*cursor.span(start), "", path)


def _check_unquoted_path(cursor: Cursor, path: str) -> None:
    """SparkSqlAstBuilder.extractUnquotedResourcePath."""
    if not path:
        message = "Resource paths cannot be empty in REFRESH statements. Use / to match everything"
    elif set(path) & set(" \n\r\t"):
        message = "REFRESH statements cannot contain ' ', '\\n', '\\r', '\\t' inside unquoted resource paths"
    else:
        return
    cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0064", msg=message)


def _parse_refresh_named(cursor: Cursor) -> Command:
    start, kind = cursor.start, cursor.kinds[cursor.at + 1]
    cursor.at += 2
    name = parse_identifier_reference(cursor)
    return cursor.expect_end(Refresh(*cursor.span(start), kind, name))


def parse_cache(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CACHE")
    lazy = cursor.take("LAZY")
    cursor.expect("TABLE")
    name = parse_identifier_reference(cursor)
    options = parse_property_list(cursor) if cursor.take("OPTIONS") else ()
    query: Query | None = parse_optional_query(cursor)
    return CacheTable(*cursor.span(start), name, lazy, options, query)


def parse_uncache(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("UNCACHE", "TABLE")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    return UncacheTable(*cursor.span(start), name, if_exists)


def parse_clear(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CLEAR", "CACHE")
    return ClearCache(*cursor.span(start))


def parse_load(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("LOAD", "DATA")
    local = cursor.take("LOCAL")
    cursor.expect("INPATH")
    path = parse_string_value(cursor)
    overwrite = cursor.take("OVERWRITE")
    cursor.expect("INTO", "TABLE")
    table = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    return LoadData(*cursor.span(start), local, path, overwrite, table, partition)


def parse_truncate(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("TRUNCATE", "TABLE")
    table = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    return TruncateTable(*cursor.span(start), table, partition)


def parse_repair(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.take("MSCK")
    cursor.expect("REPAIR", "TABLE")
    table = parse_identifier_reference(cursor)
    option = cursor.take_any("ADD", "DROP", "SYNC")
    if option:
        cursor.expect("PARTITIONS")
    return RepairTable(*cursor.span(start), table, option)


def parse_manage_resource(cursor: Cursor) -> Command:
    start = cursor.start
    operation = cursor.expect_any("ADD", "LIST")
    kind = parse_simple_identifier(cursor)
    rest = cursor.rest_of_text().strip()
    known = ("jar", "jars", "file", "files", "archive", "archives")
    if kind.lower() not in known:
        message = f"{operation} with resource type '{kind.lower()}'"
        cursor.defer_error("_LEGACY_ERROR_TEMP_0035", start, cursor.stop, message=message)
    return ManageResource(*cursor.span(start), operation, kind.upper(), rest)


def parse_analyze(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("ANALYZE")
    if cursor.take("TABLES"):
        namespace = parse_identifier_reference(cursor) if cursor.take_any("FROM", "IN") else None
        cursor.expect("COMPUTE", "STATISTICS")
        return AnalyzeTables(*cursor.span(start), namespace, _parse_no_scan(cursor))
    cursor.expect("TABLE")
    table: Identifier = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    cursor.expect("COMPUTE", "STATISTICS")
    if cursor.take("FOR", "ALL", "COLUMNS"):
        return AnalyzeTable(*cursor.span(start), table, partition, False, (), True)
    columns = parse_identifier_sequence(cursor) if cursor.take("FOR", "COLUMNS") else ()
    no_scan = not columns and _parse_no_scan(cursor)
    return AnalyzeTable(*cursor.span(start), table, partition, no_scan, columns, False)


def _parse_no_scan(cursor: Cursor) -> bool:
    if not cursor.is_name(cursor.at):
        return False
    word = parse_simple_identifier(cursor)
    if word.upper() != "NOSCAN":
        problem = "INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN"
        cursor.defer_statement_error(problem, ctx=word.upper())
    return True
