"""Parses SHOW and DESCRIBE."""

from collections.abc import Callable

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier, parse_simple_identifier
from twinspark.read.sql.lexer.strings import is_string_or_marker, parse_string_value
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.partitions import parse_optional_partition
from twinspark.read.sql.statements.properties import parse_property_key
from twinspark.read.sql.statements.unsupported import reject_unsupported
from twinspark.read.sql.tree import (
    Command,
    DescribeFunction,
    DescribeNamespace,
    DescribeProcedure,
    DescribeQuery,
    DescribeTable,
    Identifier,
    Name,
    ShowCatalogs,
    ShowCollations,
    ShowColumns,
    ShowCreateTable,
    ShowCurrentNamespace,
    ShowFunctions,
    ShowNamespaces,
    ShowPartitions,
    ShowProcedures,
    ShowTableExtended,
    ShowTableProperties,
    ShowTables,
    ShowViews,
)

Rule = Callable[[Cursor, int], Command]  # takes the offset of the statement
_UNSUPPORTED = frozenset({"GRANT", "ROLE", "PRINCIPALS", "ROLES", "COMPACTIONS", "TRANSACTIONS", "INDEXES", "LOCKS"})
_OPERATORS = frozenset(
    {"=", "<>", "!=", "<", "<=", ">", ">=", "<=>", "+", "-", "*", "/", "%", "DIV", "~", "&", "|", "||", "^"}
    | {"OR", "AND", "IN", "NOT", "<<", ">>", ">>>", "!"}
)


def parse_show_statement(cursor: Cursor) -> Command:
    kind = cursor.kinds[cursor.at + 1]
    if kind in _UNSUPPORTED or cursor.peek("SHOW", "CURRENT", "ROLES"):
        return reject_unsupported(cursor)
    if kind == "CREATE" and cursor.kinds[cursor.at + 2] == "TABLE":
        return cursor.attempt(_parse_show) or reject_unsupported(cursor)
    return _parse_show(cursor)


def _parse_show(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("SHOW")
    rule = _SHOWS.get(cursor.kinds[cursor.at])
    if rule is not None and (found := _attempt_whole(cursor, rule, start)):
        return found
    if cursor.kinds[cursor.at + 1] == "FUNCTIONS":
        return _parse_functions(cursor, start)
    raise cursor.fail(cursor.at + (rule is None and cursor.is_name(cursor.at)))


def _attempt_whole(cursor: Cursor, rule: Rule, start: int) -> Command | None:
    return cursor.attempt(lambda cursor: cursor.expect_end(rule(cursor, start)))


def _parse_in_namespace(cursor: Cursor) -> Identifier | None:
    return parse_identifier_reference(cursor) if cursor.take_any("FROM", "IN") else None


def _parse_pattern(cursor: Cursor) -> str | None:
    """[LIKE] 'pattern'"""
    if cursor.take("LIKE") or is_string_or_marker(cursor, cursor.at):
        return parse_string_value(cursor)
    return None


def _parse_namespaces(cursor: Cursor, start: int) -> Command:
    cursor.at += 1
    parent = parse_multipart_identifier(cursor) if cursor.take_any("FROM", "IN") else None
    pattern = _parse_pattern(cursor)
    return ShowNamespaces(*cursor.span(start), parent, pattern)


def _parse_tables(cursor: Cursor, start: int) -> Command:
    cursor.expect("TABLES")
    namespace, pattern = _parse_in_namespace(cursor), _parse_pattern(cursor)
    return ShowTables(*cursor.span(start), namespace, pattern)


def _parse_table_extended(cursor: Cursor, start: int) -> Command:
    cursor.expect("TABLE", "EXTENDED")
    namespace = _parse_in_namespace(cursor)
    cursor.expect("LIKE")
    pattern = parse_string_value(cursor)
    partition = parse_optional_partition(cursor)
    return ShowTableExtended(*cursor.span(start), namespace, pattern, partition)


def _parse_properties(cursor: Cursor, start: int) -> Command:
    cursor.expect("TBLPROPERTIES")
    table = parse_identifier_reference(cursor)
    key = None
    if cursor.take("("):
        key = parse_property_key(cursor)
        cursor.expect(")")
    return ShowTableProperties(*cursor.span(start), table, key)


def _parse_show_columns(cursor: Cursor, start: int) -> Command:
    cursor.expect("COLUMNS")
    cursor.expect_any("FROM", "IN")
    table = parse_identifier_reference(cursor)
    namespace = parse_multipart_identifier(cursor) if cursor.take_any("FROM", "IN") else None
    return ShowColumns(*cursor.span(start), table, namespace)


def _parse_views(cursor: Cursor, start: int) -> Command:
    cursor.expect("VIEWS")
    namespace, pattern = _parse_in_namespace(cursor), _parse_pattern(cursor)
    return ShowViews(*cursor.span(start), namespace, pattern)


def _parse_partitions(cursor: Cursor, start: int) -> Command:
    cursor.expect("PARTITIONS")
    table = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    return ShowPartitions(*cursor.span(start), table, partition)


def _parse_functions(cursor: Cursor, start: int) -> Command:
    scope = "ALL"
    if not cursor.peek("FUNCTIONS") or cursor.kinds[cursor.at + 1] == "FUNCTIONS":
        word = parse_simple_identifier(cursor)
        scope = word.upper()
        if scope not in ("ALL", "SYSTEM", "USER"):
            problem = "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE"
            cursor.defer_statement_error(problem, scope=f"`{word}`")
    cursor.expect("FUNCTIONS")
    namespace = _parse_in_namespace(cursor)
    pattern: str | Name | None = None
    like = cursor.take("LIKE")
    if is_string_or_marker(cursor, cursor.at):
        pattern = parse_string_value(cursor)
    elif like or cursor.is_name(cursor.at):
        pattern = parse_multipart_identifier(cursor)
    return ShowFunctions(*cursor.span(start), scope, namespace, pattern)


def _parse_procedures(cursor: Cursor, start: int) -> Command:
    cursor.expect("PROCEDURES")
    namespace = _parse_in_namespace(cursor)
    return ShowProcedures(*cursor.span(start), namespace)


def _parse_show_create(cursor: Cursor, start: int) -> Command:
    cursor.expect("CREATE", "TABLE")
    table = parse_identifier_reference(cursor)
    as_serde = cursor.take("AS", "SERDE")
    return ShowCreateTable(*cursor.span(start), table, as_serde)


def _parse_current(cursor: Cursor, start: int) -> Command:
    cursor.expect("CURRENT")
    cursor.expect_any("NAMESPACE", "DATABASE", "SCHEMA")
    return ShowCurrentNamespace(*cursor.span(start))


def _parse_catalogs(cursor: Cursor, start: int) -> Command:
    cursor.expect("CATALOGS")
    pattern = _parse_pattern(cursor)
    return ShowCatalogs(*cursor.span(start), pattern)


def _parse_collations(cursor: Cursor, start: int) -> Command:
    cursor.expect("COLLATIONS")
    pattern = _parse_pattern(cursor)
    return ShowCollations(*cursor.span(start), pattern)


# ------------------------------------------------------------ DESCRIBE
def parse_describe(cursor: Cursor) -> Command:
    """The first rule that matches the whole statement, in the order of the grammar."""
    start = cursor.start
    cursor.expect_any("DESC", "DESCRIBE")
    for rule in (_parse_describe_function, _parse_describe_procedure, _parse_describe_namespace, _parse_describe_table):
        if found := _attempt_whole(cursor, rule, start):
            return found
    if cursor.kinds[cursor.at] == "QUERY" and cursor.kinds[cursor.at + 1] != ".":
        cursor.at += 1
    query = parse_query(cursor)
    return DescribeQuery(*cursor.span(start), query)


def _parse_describe_function(cursor: Cursor, start: int) -> Command:
    cursor.expect("FUNCTION")
    extended = not _ends_here(cursor, cursor.at + 1) and cursor.take("EXTENDED")
    name = _parse_function_reference(cursor)
    return DescribeFunction(*cursor.span(start), name, extended)


def _parse_function_reference(cursor: Cursor) -> Identifier | str:
    if cursor.kinds[cursor.at] in _OPERATORS and _ends_here(cursor, cursor.at + 1):
        cursor.at += 1
        return cursor.tokens.word(cursor.at - 1)
    if is_string_or_marker(cursor, cursor.at):
        return parse_string_value(cursor)
    return parse_identifier_reference(cursor)


def _ends_here(cursor: Cursor, at: int) -> bool:
    return cursor.kinds[at] in ("eof", ";")


def _parse_describe_procedure(cursor: Cursor, start: int) -> Command:
    cursor.expect("PROCEDURE")
    name = parse_identifier_reference(cursor)
    return DescribeProcedure(*cursor.span(start), name)


def _parse_describe_namespace(cursor: Cursor, start: int) -> Command:
    cursor.expect_any("NAMESPACE", "DATABASE", "SCHEMA")
    extended = not _ends_here(cursor, cursor.at + 1) and cursor.take("EXTENDED")
    name = parse_identifier_reference(cursor)
    return DescribeNamespace(*cursor.span(start), name, extended)


def _parse_describe_table(cursor: Cursor, start: int) -> Command:
    if not _ends_here(cursor, cursor.at + 1) and cursor.kinds[cursor.at + 1] != ".":
        cursor.take("TABLE")
    extended = False
    if not _ends_here(cursor, cursor.at + 1) and cursor.kinds[cursor.at + 1] not in (".", "AS"):
        extended = bool(cursor.take_any("EXTENDED", "FORMATTED"))
    name = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    column: tuple[str, ...] = ()
    if cursor.is_name(cursor.at) and not cursor.peek("AS", "JSON"):
        column = parse_multipart_identifier(cursor).parts
    as_json = cursor.take("AS", "JSON")
    found = DescribeTable(*cursor.span(start), name, extended, partition, column, as_json)
    _check_describe(cursor, found)
    return found


def _check_describe(cursor: Cursor, found: DescribeTable) -> None:
    if found.as_json and not found.extended:
        table = ".".join(found.name.parts) if isinstance(found.name, Name) else ""
        _reject_without_context(cursor, "DESCRIBE_JSON_NOT_EXTENDED", found.start, tableName=table)
    if found.column and found.partition is not None:
        cursor.defer_error("UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_PARTITION", found.start, found.stop)
    elif found.column and found.as_json:
        _reject_without_context(cursor, "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON", found.start)
    for key, value in found.partition.values if found.partition is not None else ():
        if value is None:
            problem = "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE"
            cursor.defer_error(problem, found.start, found.stop, partKey=f"`{key}`")


def _reject_without_context(cursor: Cursor, condition: str, start: int, **parameters: object) -> None:
    cursor.deferred_errors.append(ParseError(condition, cursor.text, start, (), **parameters))


_SHOWS: dict[str, Rule] = {
    "NAMESPACES": _parse_namespaces,
    "DATABASES": _parse_namespaces,
    "SCHEMAS": _parse_namespaces,
    "TABLES": _parse_tables,
    "TABLE": _parse_table_extended,
    "TBLPROPERTIES": _parse_properties,
    "COLUMNS": _parse_show_columns,
    "VIEWS": _parse_views,
    "PARTITIONS": _parse_partitions,
    "FUNCTIONS": _parse_functions,
    "PROCEDURES": _parse_procedures,
    "CREATE": _parse_show_create,
    "CURRENT": _parse_current,
    "CATALOGS": _parse_catalogs,
    "COLLATIONS": _parse_collations,
}
