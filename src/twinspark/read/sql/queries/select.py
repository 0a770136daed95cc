"""Parses queries: SELECT and its clauses, set operations, WITH, FROM-first queries, ORDER BY, LIMIT and OFFSET."""

from pyspark.sql.types import StructType

from twinspark.read.sql.expressions.calls import (
    parse_expressions,
    parse_identifier_reference,
    parse_sort_items,
    parse_window_clause,
)
from twinspark.read.sql.expressions.data_types import parse_column_types
from twinspark.read.sql.expressions.precedence import (
    is_pipe_start,
    is_query_ahead,
    parse_expression,
    parse_named_expression,
    parse_named_expressions,
    parse_parenthesized_query,
    parse_value,
)
from twinspark.read.sql.expressions.primaries import parse_primary
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.identifiers import (
    parse_captured_identifier,
    parse_identifier_list,
    parse_identifier_sequence,
    parse_simple_identifier,
)
from twinspark.read.sql.lexer.keywords_as_names import ends_operand, is_by
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.queries.relations import parse_from_clause, parse_inline_table, parse_lateral_views
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.tree import (
    Alias,
    Expression,
    From,
    FromFirst,
    Grouping,
    GroupingAnalytics,
    GroupingSet,
    Hint,
    NamedQuery,
    Organization,
    Query,
    QueryTerm,
    RowFormat,
    Select,
    SetOperation,
    Table,
    Transform,
    With,
)

_SET_OPERATORS = {"UNION": "UNION", "EXCEPT": "EXCEPT", "MINUS": "EXCEPT", "INTERSECT": "INTERSECT"}
_ORGANIZERS = frozenset({"ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "WINDOW", "LIMIT", "OFFSET"})


def parse_query(cursor: Cursor) -> Query:
    start, errors = cursor.start, len(cursor.deferred_errors)
    ctes = parse_with_clause(cursor) if is_with(cursor) else None
    body = parse_query_term(cursor)
    organization = parse_organization(cursor)
    if len(cursor.deferred_errors) > errors:
        cursor.attach_context(errors, start)
    return Query(start, cursor.stop, ctes, body, organization)


def is_with(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at] == "WITH"


# ------------------------------------------------------------ WITH
def parse_with_clause(cursor: Cursor) -> With:
    start = cursor.start
    cursor.expect("WITH")
    recursive = cursor.kinds[cursor.at + 1] not in ("AS", "(") and cursor.take("RECURSIVE")
    queries = cursor.list_of(_parse_named_query)
    if not recursive and any(query.max_recursion for query in queries):
        message = "Cannot specify MAX RECURSION LEVEL when the CTE is not marked as RECURSIVE"
        cursor.defer_query_error("_LEGACY_ERROR_TEMP_0035", message=message)
    names = [query.name.lower() for query in queries]  # as AstBuilder.visitCtes compares them
    repeated = sorted({name for name in names if names.count(name) > 1}, key=names.index)
    if repeated:
        names_text = ", ".join(f"`{name}`" for name in repeated)
        cursor.defer_query_error("DUPLICATED_CTE_NAMES", duplicateNames=names_text)
    return With(start, cursor.stop, recursive, queries)


def _parse_named_query(cursor: Cursor) -> NamedQuery:
    start = cursor.start
    name = parse_captured_identifier(cursor)
    columns: tuple[str, ...] = ()
    if cursor.kinds[cursor.at] == "(" and not is_query_ahead(cursor):
        columns = parse_identifier_list(cursor)
    most = parse_value(cursor) if cursor.take("MAX", "RECURSION", "LEVEL") else None
    cursor.take("AS")
    query = parse_parenthesized_query(cursor)
    return NamedQuery(start, cursor.stop, name, columns, most, query)


# ------------------------------------------------------------ set operations
def parse_query_term(cursor: Cursor) -> QueryTerm:
    """Pipe operators and set operations, left-associative; INTERSECT binds tighter than the others."""
    start = cursor.start
    left = _parse_intersection(cursor, start)
    while True:
        kind = cursor.kinds[cursor.at]
        if kind in _SET_OPERATORS:
            left = _parse_set_operation(cursor, left, start)
        elif kind == "|>" or (kind == "|" and is_pipe_start(cursor)):
            left = cursor.grammar.pipe(cursor, left, start)
        else:
            return left


def _parse_set_operation(cursor: Cursor, left: QueryTerm, start: int) -> QueryTerm:
    operator = _SET_OPERATORS[cursor.kinds[cursor.at]]
    cursor.at += 1
    is_all = cursor.take_any("ALL", "DISTINCT") == "ALL"
    right_start = cursor.start
    right = _parse_intersection(cursor, right_start)
    return SetOperation(start, cursor.stop, operator, is_all, left, right)


def _parse_intersection(cursor: Cursor, start: int) -> QueryTerm:
    left = parse_query_primary(cursor)
    while cursor.kinds[cursor.at] == "INTERSECT" and not cursor.config.legacy_set_operations_precedence:
        cursor.at += 1
        is_all = cursor.take_any("ALL", "DISTINCT") == "ALL"
        right = parse_query_primary(cursor)
        left = SetOperation(start, cursor.stop, "INTERSECT", is_all, left, right)
    return left


def parse_query_primary(cursor: Cursor) -> QueryTerm:
    kind = cursor.kinds[cursor.at]
    if kind == "SELECT":
        return parse_select(cursor, None)
    if kind == "(":
        return parse_parenthesized_query(cursor)
    if kind == "FROM":
        return _parse_from_first(cursor)
    if kind == "VALUES":
        return parse_inline_table(cursor)
    if kind == "TABLE":
        start = cursor.start
        cursor.at += 1
        name = parse_identifier_reference(cursor)
        return Table(start, cursor.stop, name)
    if kind in ("MAP", "REDUCE"):
        return parse_select(cursor, None)
    raise cursor.fail()


def _parse_from_first(cursor: Cursor) -> FromFirst:
    start = cursor.start
    source = parse_from_clause(cursor)
    bodies = []
    while cursor.kinds[cursor.at] in ("SELECT", "MAP", "REDUCE"):
        bodies.append(parse_from_body(cursor, source))
    return FromFirst(start, cursor.stop, source, tuple(bodies))


def parse_from_body(cursor: Cursor, source: From) -> tuple[Select, Organization | None]:
    select = parse_select(cursor, source)
    return select, parse_organization(cursor)


# ------------------------------------------------------------ SELECT
def parse_select(cursor: Cursor, source: From | None) -> Select:
    """One SELECT; `source` is set if FROM came first."""
    start = cursor.start
    if cursor.kinds[cursor.at] != "SELECT" or _is_transform(cursor):
        return _parse_transform_select(cursor, start, source)
    hints, quantifier, projections = parse_select_clause(cursor)
    own = parse_from_clause(cursor) if source is None and cursor.kinds[cursor.at] == "FROM" else None
    views = parse_lateral_views(cursor) if cursor.kinds[cursor.at] == "LATERAL" else ()
    where = parse_expression(cursor) if cursor.take("WHERE") else None
    grouping = parse_grouping(cursor) if is_by(cursor, "GROUP") else None
    having = parse_expression(cursor) if cursor.take("HAVING") else None
    windows = parse_window_clause(cursor) if cursor.kinds[cursor.at] == "WINDOW" else ()
    qualify = parse_expression(cursor) if cursor.take("QUALIFY") else None
    return Select(
        start, cursor.stop, hints, quantifier, projections, own, views, where, grouping, having, windows, qualify
    )


def parse_select_clause(cursor: Cursor) -> tuple[tuple[Hint, ...], str, tuple[Expression, ...]]:
    cursor.expect("SELECT")
    hints: list[Hint] = []
    while cursor.kinds[cursor.at] == "/*+":
        hints += _parse_hints(cursor)
    quantifier = ""
    kind = cursor.kinds[cursor.at]
    if kind in ("DISTINCT", "ALL") and (kind not in cursor.names or not _ends_item(cursor, cursor.at + 1)):
        quantifier = cursor.take_any("DISTINCT", "ALL")
    return tuple(hints), quantifier, parse_named_expressions(cursor)


def _ends_item(cursor: Cursor, at: int) -> bool:
    return cursor.kinds[at] in ("eof", ",", ")", ".", ";", "=", "AS") or ends_operand(cursor, at)


def _parse_hints(cursor: Cursor) -> list[Hint]:
    cursor.expect("/*+")
    hints = [_parse_hint(cursor)]
    while not cursor.take("*/"):
        cursor.take(",")
        hints.append(_parse_hint(cursor))
    return hints


def _parse_hint(cursor: Cursor) -> Hint:
    start = cursor.start
    name = parse_simple_identifier(cursor)
    parameters = cursor.in_parentheses(parse_primary) if cursor.kinds[cursor.at] == "(" else ()
    return Hint(start, cursor.stop, name, parameters)


# ------------------------------------------------------------ GROUP BY
def parse_grouping(cursor: Cursor, *, aliases: bool = False) -> Grouping:
    start = cursor.start
    cursor.expect("GROUP", "BY")
    expressions = cursor.list_of(_parse_grouping_item)
    for expression in expressions:
        if isinstance(expression, Alias) and not aliases:
            _reject_alias(cursor, expression)
        elif isinstance(expression, GroupingAnalytics):
            _check_analytics(cursor, expression, start)
    kind = ""
    sets: tuple[GroupingSet, ...] = ()
    if cursor.kinds[cursor.at] == "WITH" and cursor.kinds[cursor.at + 1] in ("ROLLUP", "CUBE"):
        kind = cursor.kinds[cursor.at + 1]
        cursor.at += 2
    elif cursor.take("GROUPING", "SETS"):
        kind, sets = "GROUPING SETS", cursor.in_parentheses(_parse_grouping_set)
    return Grouping(start, cursor.stop, expressions, kind, sets)


def _parse_grouping_item(cursor: Cursor) -> Expression | GroupingAnalytics:
    if _is_analytics(cursor) and (found := cursor.attempt(_parse_analytics)):
        return found
    return parse_named_expression(cursor)


def _is_analytics(cursor: Cursor) -> bool:
    kind, second = cursor.kinds[cursor.at], cursor.kinds[cursor.at + 1]
    return (kind in ("ROLLUP", "CUBE") and second == "(") or (kind == "GROUPING" and second == "SETS")


def _parse_analytics(cursor: Cursor) -> GroupingAnalytics:
    start = cursor.start
    if cursor.take("GROUPING", "SETS"):
        elements = cursor.in_parentheses(_parse_grouping_element)
        return GroupingAnalytics(start, cursor.stop, "GROUPING SETS", elements)
    kind = cursor.expect_any("ROLLUP", "CUBE")
    sets = cursor.in_parentheses(_parse_grouping_set)
    return GroupingAnalytics(start, cursor.stop, kind, sets)


def _check_analytics(cursor: Cursor, found: GroupingAnalytics, start: int) -> None:
    """() is not allowed in ROLLUP and CUBE."""
    for element in found.elements:
        if isinstance(element, GroupingAnalytics):
            _check_analytics(cursor, element, start)
        elif found.kind != "GROUPING SETS" and element.parenthesized and not element.expressions:
            cursor.defer_error("_LEGACY_ERROR_TEMP_0051", start, cursor.stop, element=found.kind)


def _reject_alias(cursor: Cursor, found: Alias) -> None:
    """GROUP BY a b: Spark's grammar accepts it, its tree builder does not."""
    token = f"'{found.names[0]}'"
    hint = f": extra input {token}"
    cursor.deferred_errors.append(ParseError("PARSE_SYNTAX_ERROR", cursor.text, found.start, error=token, hint=hint))


def _parse_grouping_element(cursor: Cursor) -> GroupingSet | GroupingAnalytics:
    if _is_analytics(cursor) and (found := cursor.attempt(_parse_analytics)):
        return found
    return _parse_grouping_set(cursor)


def _parse_grouping_set(cursor: Cursor) -> GroupingSet:
    start = cursor.start
    if cursor.take("(", ")"):
        return GroupingSet(start, cursor.stop, (), True)
    at = cursor.at
    if cursor.kinds[at] == "(":
        listed = cursor.attempt(lambda cursor: cursor.in_parentheses(parse_expression))
        if listed is not None and cursor.kinds[cursor.at] in (",", ")"):
            return GroupingSet(start, cursor.stop, listed, True)
        cursor.at = at
    expression = parse_expression(cursor)
    return GroupingSet(start, cursor.stop, (expression,), False)


# ------------------------------------------------------------ ORDER BY, LIMIT and others
def parse_organization(cursor: Cursor) -> Organization | None:
    if cursor.kinds[cursor.at] not in _ORGANIZERS:
        return None
    start = cursor.start
    order = parse_sort_items(cursor) if cursor.take("ORDER", "BY") else ()
    cluster = parse_expressions(cursor) if cursor.take("CLUSTER", "BY") else ()
    distribute = parse_expressions(cursor) if cursor.take("DISTRIBUTE", "BY") else ()
    sort = parse_sort_items(cursor) if cursor.take("SORT", "BY") else ()
    windows = parse_window_clause(cursor)
    limit, limit_all = None, False
    if cursor.take("LIMIT"):
        limit_all = cursor.kinds[cursor.at + 1] not in (".", "(", "[") and cursor.take("ALL")
        limit = None if limit_all else parse_expression(cursor)
    offset = parse_expression(cursor) if cursor.take("OFFSET") else None
    if start == cursor.start:
        return None
    _check_organization(cursor, start, bool(order), bool(cluster), bool(distribute), bool(sort))
    return Organization(start, cursor.stop, order, cluster, distribute, sort, windows, limit, limit_all, offset)


def _check_organization(cursor: Cursor, start: int, order: bool, cluster: bool, distribute: bool, sort: bool) -> None:
    given = (order, sort, distribute, cluster)
    if sum(given) > 1 and given != (False, True, True, False):
        cursor.defer_error("UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", start, cursor.stop)


# ------------------------------------------------------------ TRANSFORM
def _is_transform(cursor: Cursor) -> bool:
    return cursor.peek("SELECT", "TRANSFORM", "(") and cursor.attempt(_try_transform) is not None


def _try_transform(cursor: Cursor) -> bool:
    at, errors = cursor.at, len(cursor.deferred_errors)
    _parse_transform(cursor)
    cursor.at = at
    del cursor.deferred_errors[errors:]
    return True


def _parse_transform_select(cursor: Cursor, start: int, source: From | None) -> Select:
    transform = _parse_transform(cursor)
    own = parse_from_clause(cursor) if source is None and cursor.kinds[cursor.at] == "FROM" else None
    views = parse_lateral_views(cursor)
    where = parse_expression(cursor) if cursor.take("WHERE") else None
    grouping = parse_grouping(cursor) if is_by(cursor, "GROUP") else None
    having = parse_expression(cursor) if cursor.take("HAVING") else None
    windows = parse_window_clause(cursor)
    if transform.quantifier:
        cursor.defer_error("UNSUPPORTED_FEATURE.TRANSFORM_DISTINCT_ALL", start, cursor.stop)
    for row_format in (transform.input_format, transform.output_format):
        _check_line_delimiter(cursor, row_format, start)
    return Select(start, cursor.stop, (), "", transform, own, views, where, grouping, having, windows, None)


def _parse_transform(cursor: Cursor) -> Transform:
    start = cursor.start
    quantifier, arguments = _parse_transform_arguments(cursor)
    input_format = parse_row_format(cursor) if cursor.peek("ROW", "FORMAT") else None
    writer = parse_string_value(cursor) if cursor.take("RECORDWRITER") else None
    cursor.expect("USING")
    script = parse_string_value(cursor)
    columns: tuple[str, ...] = ()
    schema: StructType | None = None
    if cursor.take("AS"):
        columns, schema = _parse_transform_columns(cursor)
    output_format = parse_row_format(cursor) if cursor.peek("ROW", "FORMAT") else None
    reader = parse_string_value(cursor) if cursor.take("RECORDREADER") else None
    return Transform(
        start,
        cursor.stop,
        arguments,
        quantifier,
        input_format,
        writer,
        script,
        columns,
        schema,
        output_format,
        reader,
    )


def _parse_transform_arguments(cursor: Cursor) -> tuple[str, tuple[Expression, ...]]:
    if cursor.take("SELECT"):
        cursor.expect("TRANSFORM", "(")
        quantifier = cursor.take_any("DISTINCT", "ALL")
        arguments = parse_expressions(cursor)
        cursor.expect(")")
        return quantifier, arguments
    cursor.expect_any("MAP", "REDUCE")
    quantifier = cursor.take_any("DISTINCT", "ALL")
    return quantifier, parse_expressions(cursor)


def _parse_transform_columns(cursor: Cursor) -> tuple[tuple[str, ...], StructType | None]:
    parenthesized = cursor.take("(")
    schema = cursor.attempt(parse_column_types)
    columns = () if schema is not None else parse_identifier_sequence(cursor)
    if parenthesized:
        cursor.expect(")")
    return columns, schema


def parse_row_format(cursor: Cursor) -> RowFormat:
    start = cursor.start
    cursor.expect("ROW", "FORMAT")
    if cursor.take("SERDE"):
        serde = parse_string_value(cursor)
        properties = parse_property_list(cursor) if cursor.take("WITH", "SERDEPROPERTIES") else ()
        return RowFormat(start, cursor.stop, serde, properties)
    cursor.expect("DELIMITED")
    options: list[tuple[str, str | None]] = []
    if cursor.take("FIELDS", "TERMINATED", "BY"):
        options.append(("field.delim", parse_string_value(cursor)))
        if cursor.take("ESCAPED", "BY"):
            options.append(("escape.delim", parse_string_value(cursor)))
    if cursor.take("COLLECTION", "ITEMS", "TERMINATED", "BY"):
        options.append(("colelction.delim", parse_string_value(cursor)))
    if cursor.take("MAP", "KEYS", "TERMINATED", "BY"):
        options.append(("mapkey.delim", parse_string_value(cursor)))
    if cursor.take("LINES", "TERMINATED", "BY"):
        options.append(("line.delim", parse_string_value(cursor)))
    if cursor.take("NULL", "DEFINED", "AS"):
        options.append(("serialization.null.format", parse_string_value(cursor)))
    return RowFormat(start, cursor.stop, None, tuple(options))


def _check_line_delimiter(cursor: Cursor, row_format: RowFormat | None, start: int) -> None:
    delimiter = dict(row_format.options).get("line.delim", "\n") if row_format else "\n"
    if delimiter != "\n":
        message = f"LINES TERMINATED BY only supports newline '\\n' right now: {delimiter}"
        cursor.defer_error("_LEGACY_ERROR_TEMP_0064", start, cursor.stop, msg=message)
