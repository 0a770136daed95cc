"""Parses CREATE, REPLACE and DROP TABLE, pipeline datasets and indexes."""

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.expressions.precedence import is_query_ahead
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier, parse_multipart_identifier
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.columns import parse_table_clauses, parse_table_elements
from twinspark.read.sql.statements.dml import parse_insert_target
from twinspark.read.sql.statements.partitions import parse_if_not_exists
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.statements.unsupported import reject_unsupported
from twinspark.read.sql.tree import (
    ColumnDefinition,
    Command,
    Constraint,
    CreateFlow,
    CreateIndex,
    CreatePipelineDataset,
    CreateTable,
    CreateTableLike,
    DropIndex,
    DropTable,
    Insert,
    Name,
    Properties,
    Query,
    TableClauses,
)


def parse_create_table(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE")
    or_replace = cursor.take("OR", "REPLACE")
    temporary = cursor.take("TEMPORARY")
    external = cursor.take("EXTERNAL")
    cursor.expect("TABLE")
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier_reference(cursor)
    if cursor.kinds[cursor.at] == "LIKE":
        return _parse_create_like(cursor, start, name, if_not_exists)
    columns, constraints = _parse_columns(cursor)
    provider = parse_provider(cursor)
    clauses = parse_table_clauses(cursor)
    query = parse_optional_query(cursor)
    if temporary and query is None:
        _reject_temporary(cursor, external, if_not_exists, provider)
    if query is not None and not temporary:
        _check_query_table(cursor, columns, constraints, clauses, or_replace)
    return CreateTable(
        *cursor.span(start),
        name,
        temporary,
        external,
        if_not_exists,
        or_replace,
        or_replace,
        columns,
        constraints,
        provider,
        clauses,
        query,
    )


def _check_query_table(
    cursor: Cursor,
    columns: tuple[ColumnDefinition, ...],
    constraints: tuple[Constraint, ...],
    clauses: TableClauses,
    replaces: bool,
) -> None:
    """AstBuilder.visitCreateTable and visitReplaceTable: the query decides the columns and their types."""
    kind = "Replace Table As Select (RTAS)" if replaces else "Create Table As Select (CTAS)"
    if columns:
        message = f"Schema may not be specified in a {kind} statement"
    elif any(field.type is not None for field in clauses.partitioning):
        message = f"Partition column types may not be specified in {kind}"
    elif constraints:
        message = f"Constraints may not be specified in a {kind} statement"
    else:
        return
    cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0035", message=message)


def _reject_temporary(cursor: Cursor, external: bool, if_not_exists: bool, provider: Name | None) -> None:
    """Spark has no temporary tables."""
    if external:
        operation = "CREATE EXTERNAL TABLE ... USING"
        cursor.defer_statement_error("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
    elif if_not_exists:
        operation = "CREATE TEMPORARY TABLE IF NOT EXISTS"
        cursor.defer_statement_error("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
    elif provider is None:
        cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0046")
    else:
        cursor.defer_statement_error("INVALID_SQL_SYNTAX.CREATE_TEMP_TABLE_USING_PROVIDER")


def parse_replace_table(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("REPLACE", "TABLE")
    name = parse_identifier_reference(cursor)
    columns, constraints = _parse_columns(cursor)
    provider = parse_provider(cursor)
    clauses = parse_table_clauses(cursor)
    query = parse_optional_query(cursor)
    if query is not None:
        _check_query_table(cursor, columns, constraints, clauses, True)
    return CreateTable(
        *cursor.span(start), name, False, False, False, True, False, columns, constraints, provider, clauses, query
    )


def _parse_columns(cursor: Cursor) -> tuple[tuple[ColumnDefinition, ...], tuple[Constraint, ...]]:
    if cursor.kinds[cursor.at] != "(" or _is_query_body(cursor):
        return (), ()
    cursor.expect("(")
    found = parse_table_elements(cursor)
    cursor.expect(")")
    return found


def _is_query_body(cursor: Cursor) -> bool:
    """CREATE TABLE t (SELECT …) has a query in place of columns."""
    if not is_query_ahead(cursor):
        return False
    at, errors = cursor.at, len(cursor.deferred_errors)
    found = cursor.attempt(parse_query)
    cursor.at = at
    del cursor.deferred_errors[errors:]
    return found is not None


def parse_provider(cursor: Cursor) -> Name | None:
    return parse_multipart_identifier(cursor) if cursor.take("USING") else None


def parse_optional_query(cursor: Cursor) -> Query | None:
    """[AS] query"""
    if cursor.take("AS"):
        return parse_query(cursor)
    return parse_query(cursor) if cursor.kinds[cursor.at] in _QUERY_STARTS else None


def _parse_create_like(cursor: Cursor, start: int, target: object, if_not_exists: bool) -> Command:
    cursor.expect("LIKE")
    source = parse_identifier_reference(cursor)
    provider = parse_provider(cursor)
    clauses = parse_table_clauses(cursor)
    provider = provider or parse_provider(cursor)
    return CreateTableLike(*cursor.span(start), target, source, if_not_exists, provider, clauses)  # type: ignore[arg-type]


def parse_drop_table(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("DROP", "TABLE")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    purge = cursor.take("PURGE")
    return DropTable(*cursor.span(start), name, if_exists, purge)


# ------------------------------------------------------------ pipelines
def parse_create_pipeline_dataset(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE")
    kind = "MATERIALIZED VIEW" if cursor.take("MATERIALIZED", "VIEW") else "STREAMING TABLE"
    if kind == "STREAMING TABLE":
        cursor.expect("STREAMING", "TABLE")
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier_reference(cursor)
    columns: tuple[ColumnDefinition, ...] = ()
    if not cursor.take("(", ")"):
        columns, _ = _parse_columns(cursor)
    provider = parse_provider(cursor)
    clauses = parse_table_clauses(cursor)
    query = parse_query(cursor) if cursor.take("AS") else None
    return CreatePipelineDataset(*cursor.span(start), kind, name, if_not_exists, columns, provider, clauses, query)


def parse_create_flow(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE", "FLOW")
    name = parse_identifier_reference(cursor)
    comment = parse_string_value(cursor) if cursor.take("COMMENT") else None
    cursor.expect("AS")
    begin = cursor.start
    target = parse_insert_target(cursor)
    query = parse_query(cursor)
    insert = Insert(*cursor.span(begin), None, target, query, None)
    return CreateFlow(*cursor.span(start), name, comment, insert)


# ------------------------------------------------------------ indexes
def parse_create_index(cursor: Cursor) -> Command:
    return cursor.attempt(lambda cursor: cursor.expect_end(_parse_index(cursor))) or reject_unsupported(cursor)


def _parse_index(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE", "INDEX")
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier(cursor)
    cursor.expect("ON")
    cursor.take("TABLE")
    table = parse_identifier_reference(cursor)
    method = parse_identifier(cursor) if cursor.take("USING") else None
    columns = cursor.in_parentheses(_parse_index_column)
    options = parse_property_list(cursor) if cursor.take("OPTIONS") else ()
    return CreateIndex(*cursor.span(start), name, table, if_not_exists, method, columns, options)


def _parse_index_column(cursor: Cursor) -> tuple[Name, Properties]:
    name = parse_multipart_identifier(cursor)
    return name, parse_property_list(cursor) if cursor.take("OPTIONS") else ()


def parse_drop_index_statement(cursor: Cursor) -> Command:
    return cursor.attempt(_parse_drop_index) or reject_unsupported(cursor)


def _parse_drop_index(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("DROP", "INDEX")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier(cursor)
    cursor.expect("ON")
    cursor.take("TABLE")
    table = parse_identifier_reference(cursor)
    return DropIndex(*cursor.span(start), name, table, if_exists)


_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE", "("})
