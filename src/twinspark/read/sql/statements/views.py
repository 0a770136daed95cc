"""Parses CREATE, ALTER and DROP VIEW, including temporary and metric views."""

from twinspark.read.sql.expressions.calls import constant_text, parse_identifier_reference
from twinspark.read.sql.expressions.data_types import parse_column_types
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_identifier,
    parse_identifier_list,
    parse_multipart_identifier,
    parse_name_parts,
    parse_simple_identifier,
)
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.alter import parse_alter_table
from twinspark.read.sql.statements.partitions import parse_if_not_exists
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.tree import (
    AlterViewBinding,
    AlterViewQuery,
    Command,
    CreateMetricView,
    CreateTemporaryViewUsing,
    CreateView,
    DropView,
    Identifier,
    IdentifierClause,
    Properties,
)

_BINDING_OFF = {
    "featureName": "VIEW ... WITH SCHEMA ...",
    "configKey": "spark.sql.legacy.viewSchemaBindingMode",
    "configValue": "true",
}


def parse_create_view(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE")
    replace = cursor.take("OR", "REPLACE")
    is_global = cursor.take("GLOBAL")
    temporary = cursor.take("TEMPORARY")
    if is_global and not temporary:
        raise cursor.fail()
    cursor.expect("VIEW")
    if temporary and (using := cursor.attempt(lambda cursor: _parse_view_using(cursor, start, replace, is_global))):
        return using
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier_reference(cursor)
    columns = cursor.in_parentheses(_parse_view_column) if cursor.kinds[cursor.at] == "(" else ()
    clauses = _parse_view_clauses(cursor)
    cursor.expect("AS")
    if cursor.take("dollarquoted"):
        return _parse_metric_view(cursor, start, name, replace, if_not_exists, columns, clauses)
    if clauses.metrics or clauses.language:
        raise cursor.fail()  # a metric view has no query
    query = parse_query(cursor)
    view = CreateView(
        *cursor.span(start),
        name,
        replace,
        temporary,
        is_global,
        if_not_exists,
        columns,
        clauses.comment,
        clauses.binding,
        clauses.collation,
        clauses.properties,
        query,
    )
    _check_view(cursor, view)
    return view


def _parse_view_using(cursor: Cursor, start: int, replace: bool, is_global: bool) -> Command:
    name = parse_multipart_identifier(cursor)
    schema = None
    if cursor.take("("):
        schema = parse_column_types(cursor)
        cursor.expect(")")
    cursor.expect("USING")
    provider = parse_multipart_identifier(cursor)
    options = parse_property_list(cursor) if cursor.take("OPTIONS") else ()
    return CreateTemporaryViewUsing(*cursor.span(start), name, replace, is_global, schema, provider, options)


def _parse_view_column(cursor: Cursor) -> tuple[str, str | None]:
    return parse_identifier(cursor), parse_string_value(cursor) if cursor.take("COMMENT") else None


def _parse_view_clauses(cursor: Cursor) -> "_ViewClauses":
    found = _ViewClauses()
    while True:
        if cursor.take("COMMENT"):
            found.comment = parse_string_value(cursor)
        elif cursor.peek("WITH", "SCHEMA"):
            found.binding = parse_schema_binding(cursor)
        elif cursor.take("DEFAULT", "COLLATION"):
            found.collation = parse_identifier(cursor)
        elif cursor.take("PARTITIONED", "ON"):
            parse_identifier_list(cursor)
            operation = "CREATE VIEW ... PARTITIONED ON"
            cursor.defer_statement_error("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
        elif cursor.take("TBLPROPERTIES"):
            found.properties = parse_property_list(cursor)
        elif cursor.take("WITH", "METRICS"):
            found.metrics = True
        elif cursor.take("LANGUAGE"):
            found.language = parse_simple_identifier(cursor)
        else:
            return found


def parse_schema_binding(cursor: Cursor) -> str:
    start = cursor.start
    cursor.expect("WITH", "SCHEMA")
    binding = "TYPE EVOLUTION" if cursor.take("TYPE", "EVOLUTION") else ""
    binding = binding or cursor.expect_any("BINDING", "COMPENSATION", "EVOLUTION")
    if not cursor.config.allows("spark.sql.legacy.viewSchemaBindingMode"):
        cursor.defer_error("FEATURE_NOT_ENABLED", start, cursor.stop, **_BINDING_OFF)
    return binding


def _parse_metric_view(
    cursor: Cursor,
    start: int,
    name: Identifier,
    replace: bool,
    if_not_exists: bool,
    columns: tuple[tuple[str, str | None], ...],
    clauses: "_ViewClauses",
) -> Command:
    literal = cursor.tokens.word(cursor.at - 1)
    tag = literal[: literal.index("$", 1) + 1]
    definition = literal[len(tag) : -len(tag)]
    if not clauses.metrics:
        cursor.defer_error(
            "MISSING_CLAUSES_FOR_OPERATION",
            start,
            cursor.stop,
            clauses="WITH METRICS",
            operation="METRIC VIEW CREATION",
        )
    return CreateMetricView(
        *cursor.span(start),
        name,
        replace,
        if_not_exists,
        columns,
        clauses.comment,
        clauses.properties,
        definition,
    )


def _check_view(cursor: Cursor, view: CreateView) -> None:
    if view.temporary:
        check_temporary_name(cursor, "VIEW", view.name, view.start)
        if view.if_not_exists:
            cursor.defer_error("_LEGACY_ERROR_TEMP_0053", view.start, view.stop)
        if view.properties:
            message = "TBLPROPERTIES can't coexist with CREATE TEMPORARY VIEW"
            cursor.defer_error("_LEGACY_ERROR_TEMP_0035", view.start, view.stop, message=message)
        if view.binding:
            problem = "UNSUPPORTED_FEATURE.TEMPORARY_VIEW_WITH_SCHEMA_BINDING_MODE"
            cursor.defer_error(problem, view.start, view.stop)
    if view.replace and view.if_not_exists:
        written = cursor.text[view.name.start : view.name.stop]
        problem = "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE"
        cursor.defer_error(problem, view.start, view.stop, viewName=written)


def check_temporary_name(cursor: Cursor, kind: str, name: Identifier, start: int) -> None:
    """The name of a temporary object has no qualifier, or that of session or system.session."""
    parts = _literal_parts(cursor, name)
    qualifier = tuple(part.lower() for part in parts[:-1])
    if qualifier in ((), ("session",), ("system", "session")):
        return
    cursor.defer_error(
        "INVALID_TEMP_OBJ_QUALIFIER",
        start,
        cursor.stop,
        objectType=kind,
        objectName=f"`{parts[-1]}`",
        qualifier=f"`{'.'.join(parts[:-1])}`",
    )


def _literal_parts(cursor: Cursor, name: Identifier) -> tuple[str, ...]:
    if not isinstance(name, IdentifierClause):
        return name.parts
    text = constant_text(name.expression)
    return ("",) if text is None else parse_name_parts(cursor, text, name.start)


# ------------------------------------------------------------ ALTER and DROP
def parse_alter_view(cursor: Cursor) -> Command:
    return cursor.attempt(_parse_alter_view) or parse_alter_table(cursor)


def _parse_alter_view(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("ALTER", "VIEW")
    name = parse_identifier_reference(cursor)
    if cursor.peek("WITH", "SCHEMA"):
        binding = parse_schema_binding(cursor)
        return AlterViewBinding(*cursor.span(start), name, binding)
    cursor.take("AS")
    query = parse_query(cursor)
    return AlterViewQuery(*cursor.span(start), name, query)


def parse_drop_view(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("DROP", "VIEW")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    return DropView(*cursor.span(start), name, if_exists)


class _ViewClauses:
    """The clauses between a view's columns and its AS."""

    comment: str | None = None
    binding: str = ""
    collation: str | None = None
    properties: Properties = ()
    metrics: bool = False
    language: str = ""
