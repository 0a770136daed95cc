"""Parses INSERT, UPDATE, DELETE and MERGE."""

from collections.abc import Callable

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.expressions.precedence import is_query_ahead, parse_expression, parse_parenthesized_query
from twinspark.read.sql.lexer.cursor import STATEMENT, Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_identifier_list,
    parse_multipart_identifier,
    parse_simple_identifier,
)
from twinspark.read.sql.lexer.strings import is_string_or_marker, parse_string_value
from twinspark.read.sql.queries.relations import parse_from_clause
from twinspark.read.sql.queries.select import parse_from_body, parse_query, parse_row_format, parse_with_clause
from twinspark.read.sql.queries.table_clauses import parse_options_clause, parse_table_alias
from twinspark.read.sql.statements.partitions import parse_if_not_exists, parse_optional_partition
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.tree import (
    Assignment,
    Command,
    Delete,
    DirectoryTarget,
    Expression,
    FileFormat,
    Identifier,
    Insert,
    InsertTarget,
    Merge,
    MergeClause,
    MultiInsert,
    Name,
    Properties,
    Query,
    Statement,
    TableAlias,
    Update,
    With,
)


def parse_dml_statement(cursor: Cursor) -> Command:
    return _parse_dml(cursor, cursor.start, None)


def parse_with_statement(cursor: Cursor) -> Statement:
    """WITH … before a query or before INSERT, DELETE, UPDATE and MERGE."""
    at, start, errors = cursor.at, cursor.start, len(cursor.deferred_errors)
    ctes = parse_with_clause(cursor)
    if cursor.kinds[cursor.at] in _DML:
        return _parse_dml(cursor, start, ctes)
    if cursor.kinds[cursor.at] == "FROM":
        inserts = cursor.attempt(lambda cursor: _parse_dml(cursor, start, ctes))
        if inserts is not None:
            return inserts
    cursor.at = at
    del cursor.deferred_errors[errors:]
    return parse_query(cursor)


def parse_from_statement(cursor: Cursor) -> Statement:
    """FROM t INSERT …, or a query that begins with FROM."""
    start = cursor.start
    return cursor.attempt(lambda cursor: _parse_dml(cursor, start, None)) or parse_query(cursor)


def _parse_dml(cursor: Cursor, start: int, ctes: With | None) -> Command:
    """The context of its errors is the statement without its WITH."""
    begin, errors = cursor.start, len(cursor.deferred_errors)
    statement = _DML.get(cursor.kinds[cursor.at], _parse_multi_insert)(cursor, start, ctes)
    if len(cursor.deferred_errors) > errors:
        cursor.attach_context(errors, begin, STATEMENT)
    return statement


# ------------------------------------------------------------ INSERT
def _parse_insert(cursor: Cursor, start: int, ctes: With | None) -> Command:
    target = parse_insert_target(cursor)
    if is_query_ahead(cursor) and (aliased := cursor.attempt(_parse_aliased_query)):
        return Insert(*cursor.span(start), ctes, target, *aliased)
    query = parse_query(cursor)
    return Insert(*cursor.span(start), ctes, target, query, None)


def _parse_aliased_query(cursor: Cursor) -> tuple[Query, TableAlias | None]:
    query = parse_parenthesized_query(cursor)
    alias = parse_table_alias(cursor)
    if alias is None:
        raise cursor.fail()
    return query, alias


def _parse_multi_insert(cursor: Cursor, start: int, ctes: With | None) -> Command:
    source = parse_from_clause(cursor)
    inserts = []
    while cursor.kinds[cursor.at] == "INSERT":
        target = parse_insert_target(cursor)
        select, organization = parse_from_body(cursor, source)
        inserts.append((target, select, organization))
    if not inserts:
        raise cursor.fail()
    return MultiInsert(*cursor.span(start), ctes, source, tuple(inserts))


def parse_insert_target(cursor: Cursor) -> InsertTarget | DirectoryTarget:
    start = cursor.start
    cursor.expect("INSERT")
    evolution = cursor.take("WITH", "SCHEMA", "EVOLUTION")
    overwrite = cursor.expect_any("INTO", "OVERWRITE") == "OVERWRITE"
    if overwrite and _is_directory(cursor):
        return _parse_directory(cursor, start)
    if cursor.kinds[cursor.at] == "TABLE" and cursor.kinds[cursor.at + 1] != ".":
        cursor.at += 1
    table = parse_identifier_reference(cursor)
    if not overwrite and (
        replacing := cursor.attempt(lambda cursor: _parse_replacement(cursor, start, table, evolution))
    ):
        return replacing
    options = parse_options_clause(cursor)
    partition = parse_optional_partition(cursor)
    if_not_exists = parse_if_not_exists(cursor)
    if if_not_exists and not overwrite:
        cursor.defer_error("INVALID_STATEMENT_OR_CLAUSE", start, cursor.stop, operation="INSERT INTO ... IF NOT EXISTS")
    by_name = cursor.take("BY", "NAME")
    columns: tuple[str, ...] = ()
    if not by_name and cursor.kinds[cursor.at] == "(" and not is_query_ahead(cursor):
        columns = parse_identifier_list(cursor)
    return InsertTarget(
        start, cursor.stop, table, overwrite, evolution, options, partition, if_not_exists, by_name, columns
    )


def _parse_replacement(cursor: Cursor, start: int, table: Identifier, evolution: bool) -> InsertTarget:
    """INSERT INTO t [alias] REPLACE WHERE …, REPLACE ON …, REPLACE USING (…)"""
    alias = parse_table_alias(cursor)
    options = parse_options_clause(cursor)
    by_name = cursor.take("BY", "NAME")
    cursor.expect("REPLACE")
    kind = cursor.expect_any("WHERE", "ON", "USING")
    columns = parse_identifier_list(cursor) if kind == "USING" else ()
    condition = parse_expression(cursor) if kind != "USING" else None
    return InsertTarget(
        start,
        cursor.stop,
        table,
        False,
        evolution,
        options,
        None,
        False,
        by_name,
        (),
        alias,
        kind,
        condition,
        columns,
    )


def _is_directory(cursor: Cursor) -> bool:
    at = cursor.at + (cursor.kinds[cursor.at] == "LOCAL")
    return cursor.kinds[at] == "DIRECTORY" and (is_string_or_marker(cursor, at + 1) or cursor.kinds[at + 1] == "USING")


def _parse_directory(cursor: Cursor, start: int) -> DirectoryTarget:
    local = cursor.take("LOCAL")
    cursor.expect("DIRECTORY")
    path = parse_string_value(cursor) if is_string_or_marker(cursor, cursor.at) else None
    if cursor.take("USING"):
        provider = parse_multipart_identifier(cursor)
        options: Properties = parse_property_list(cursor) if cursor.take("OPTIONS") else ()
        return DirectoryTarget(start, cursor.stop, local, path, provider, options, None, None)
    row_format = parse_row_format(cursor) if cursor.peek("ROW", "FORMAT") else None
    file_format = parse_file_format(cursor) if cursor.kinds[cursor.at] == "STORED" else None
    return DirectoryTarget(start, cursor.stop, local, path, None, (), row_format, file_format)


def parse_file_format(cursor: Cursor) -> FileFormat:
    start = cursor.start
    cursor.expect("STORED")
    if cursor.take("BY"):
        handler = parse_string_value(cursor)
        properties = parse_property_list(cursor) if cursor.take("WITH", "SERDEPROPERTIES") else ()
        return FileFormat(start, cursor.stop, None, handler=handler, properties=properties)
    cursor.expect("AS")
    if cursor.kinds[cursor.at] == "INPUTFORMAT" and is_string_or_marker(cursor, cursor.at + 1):
        cursor.at += 1
        given = parse_string_value(cursor)
        cursor.expect("OUTPUTFORMAT")
        return FileFormat(start, cursor.stop, None, given, parse_string_value(cursor))
    name = parse_simple_identifier(cursor)
    return FileFormat(start, cursor.stop, name)


# ------------------------------------------------------------ DELETE and UPDATE
def _parse_delete(cursor: Cursor, start: int, ctes: With | None) -> Command:
    cursor.expect("DELETE", "FROM")
    table = parse_identifier_reference(cursor)
    alias = _parse_plain_alias(cursor, "DELETE")
    where = parse_expression(cursor) if cursor.take("WHERE") else None
    return Delete(*cursor.span(start), ctes, table, alias, where)


def _parse_update(cursor: Cursor, start: int, ctes: With | None) -> Command:
    cursor.expect("UPDATE")
    table = parse_identifier_reference(cursor)
    alias = _parse_plain_alias(cursor, "UPDATE")
    cursor.expect("SET")
    assignments = cursor.list_of(parse_assignment)
    where = parse_expression(cursor) if cursor.take("WHERE") else None
    return Update(*cursor.span(start), ctes, table, alias, assignments, where)


def parse_assignment(cursor: Cursor) -> Assignment:
    key: Name = parse_multipart_identifier(cursor)
    cursor.expect("=")
    return key, parse_expression(cursor)


def _parse_plain_alias(cursor: Cursor, operation: str) -> TableAlias | None:
    alias = parse_table_alias(cursor)
    if alias is not None and alias.columns:
        cursor.defer_statement_error("COLUMN_ALIASES_NOT_ALLOWED", op=operation)
    return alias


# ------------------------------------------------------------ MERGE
def _parse_merge(cursor: Cursor, start: int, ctes: With | None) -> Command:
    cursor.expect("MERGE")
    evolution = cursor.take("WITH", "SCHEMA", "EVOLUTION")
    cursor.expect("INTO")
    target = parse_identifier_reference(cursor)
    target_alias = _parse_plain_alias(cursor, "MERGE")
    cursor.expect("USING")
    source: Identifier | Query
    source = parse_parenthesized_query(cursor) if cursor.kinds[cursor.at] == "(" else parse_identifier_reference(cursor)
    source_alias = _parse_plain_alias(cursor, "MERGE")
    cursor.expect("ON")
    condition = parse_expression(cursor)
    clauses = []
    while cursor.kinds[cursor.at] == "WHEN":
        clauses.append(_parse_merge_clause(cursor))
    merge = Merge(
        *cursor.span(start), ctes, evolution, target, target_alias, source, source_alias, condition, tuple(clauses)
    )
    _check_merge(cursor, merge)
    return merge


def _parse_merge_clause(cursor: Cursor) -> MergeClause:
    start = cursor.start
    cursor.expect("WHEN")
    when = _parse_merge_when(cursor)
    condition = parse_expression(cursor) if cursor.take("AND") else None
    cursor.expect("THEN")
    if cursor.take("DELETE") and when != "NOT MATCHED":
        return MergeClause(start, cursor.stop, when, condition, "DELETE")
    if cursor.take("UPDATE", "SET") and when != "NOT MATCHED":
        if when == "MATCHED" and cursor.take("*"):
            return MergeClause(start, cursor.stop, when, condition, "UPDATE *")
        assignments = cursor.list_of(parse_assignment)
        return MergeClause(start, cursor.stop, when, condition, "UPDATE", assignments)
    if when != "NOT MATCHED":
        raise cursor.fail()
    return _parse_merge_insert(cursor, start, when, condition)


def _parse_merge_when(cursor: Cursor) -> str:
    if cursor.take("MATCHED"):
        return "MATCHED"
    cursor.check_bang(cursor.at)
    cursor.expect_any("NOT", "!")
    cursor.expect("MATCHED")
    if cursor.take("BY", "SOURCE"):
        return "NOT MATCHED BY SOURCE"
    cursor.take("BY", "TARGET")
    return "NOT MATCHED"


def _parse_merge_insert(cursor: Cursor, start: int, when: str, condition: Expression | None) -> MergeClause:
    cursor.expect("INSERT")
    if cursor.take("*"):
        return MergeClause(start, cursor.stop, when, condition, "INSERT *")
    columns = cursor.in_parentheses(parse_multipart_identifier)
    cursor.expect("VALUES")
    values = cursor.in_parentheses(parse_expression)
    if len(columns) != len(values):
        counts = {"expectedCount": len(columns), "actualCount": len(values)}
        cursor.defer_statement_error("MERGE_INSERT_VALUE_COUNT_MISMATCH", **counts)
    return MergeClause(start, cursor.stop, when, condition, "INSERT", (), columns, values)


def _check_merge(cursor: Cursor, merge: Merge) -> None:
    if not merge.clauses:
        cursor.defer_error("MERGE_WITHOUT_WHEN", merge.start, merge.stop)
    for when, name in _MERGE_ORDER:
        found = [clause for clause in merge.clauses if clause.when == when]
        if any(clause.condition is None for clause in found[:-1]):
            cursor.defer_error(f"NON_LAST_{name}_CLAUSE_OMIT_CONDITION", merge.start, merge.stop)


_MERGE_ORDER = (
    ("MATCHED", "MATCHED"),
    ("NOT MATCHED", "NOT_MATCHED_BY_TARGET"),
    ("NOT MATCHED BY SOURCE", "NOT_MATCHED_BY_SOURCE"),
)


_DML: dict[str, Callable[[Cursor, int, With | None], Command]] = {
    "INSERT": _parse_insert,
    "DELETE": _parse_delete,
    "UPDATE": _parse_update,
    "MERGE": _parse_merge,
}
