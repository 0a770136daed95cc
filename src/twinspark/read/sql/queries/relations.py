"""Parses FROM: tables, subqueries, functions, joins, samples, PIVOT and UNPIVOT."""

from twinspark.read.sql.expressions.calls import parse_expressions, parse_identifier_reference
from twinspark.read.sql.expressions.constant_expressions import is_resolved
from twinspark.read.sql.expressions.precedence import is_query_ahead, parse_expression, parse_parenthesized_query
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_captured_identifier,
    parse_identifier,
    parse_identifier_list,
    parse_multipart_identifier,
)
from twinspark.read.sql.lexer.keywords import words
from twinspark.read.sql.lexer.keywords_as_names import is_alias
from twinspark.read.sql.queries.pivots import parse_pivot, parse_unpivot
from twinspark.read.sql.queries.samples import is_sample, parse_sample
from twinspark.read.sql.queries.table_clauses import (
    parse_changes_clause,
    parse_options_clause,
    parse_table_alias,
    parse_table_function,
    parse_table_function_argument,
    parse_time_travel,
    parse_watermark,
)
from twinspark.read.sql.tree import (
    AliasedQuery,
    AliasedRelation,
    Expression,
    From,
    InlineTable,
    Join,
    Lateral,
    LateralView,
    Name,
    NearestBy,
    Relation,
    Row,
    Stream,
    Struct,
    Table,
    TableAlias,
    TableFunction,
)

_JOIN_KINDS = {
    ("INNER",): "INNER",
    ("CROSS",): "CROSS",
    ("LEFT", "OUTER"): "LEFT OUTER",
    ("LEFT", "SEMI"): "LEFT SEMI",
    ("LEFT", "ANTI"): "LEFT ANTI",
    ("LEFT",): "LEFT OUTER",
    ("SEMI",): "LEFT SEMI",
    ("ANTI",): "LEFT ANTI",
    ("RIGHT", "OUTER"): "RIGHT OUTER",
    ("RIGHT",): "RIGHT OUTER",
    ("FULL", "OUTER"): "FULL OUTER",
    ("FULL",): "FULL OUTER",
}
_MAX_NEAREST = 100_000


# ------------------------------------------------------------ relations and joins
def parse_relation(cursor: Cursor) -> Relation:
    start = cursor.start
    lateral = _is_lateral(cursor)
    relation = _parse_lateral(cursor, start) if lateral else parse_relation_primary(cursor)
    while True:
        kind = cursor.kinds[cursor.at]
        if kind in _JOIN_STARTS and is_join(cursor):
            relation = parse_join(cursor, relation, start)
        elif kind == "PIVOT" and cursor.kinds[cursor.at + 1] == "(":
            relation = parse_pivot(cursor, relation)
        elif kind == "UNPIVOT" and cursor.kinds[cursor.at + 1] in ("(", "INCLUDE", "EXCLUDE"):
            relation = parse_unpivot(cursor, relation)
        else:
            return relation


def _is_lateral(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at] == "LATERAL" and cursor.kinds[cursor.at + 1] not in (
        "eof",
        ")",
        ",",
        ".",
        ";",
        "VIEW",
    )


def _parse_lateral(cursor: Cursor, start: int) -> Relation:
    cursor.expect("LATERAL")
    relation = parse_relation_primary(cursor)
    if not isinstance(relation, AliasedQuery | TableFunction):
        cursor.defer_error(
            "INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC", relation.start, relation.stop
        )
    return Lateral(start, cursor.stop, relation)


def is_join(cursor: Cursor) -> bool:
    at = cursor.at + (cursor.kinds[cursor.at] == "NATURAL")
    while cursor.kinds[at] in _JOIN_WORDS:
        at += 1
    if cursor.kinds[at] != "JOIN":
        cursor.fail(at)
    return cursor.kinds[at] == "JOIN"


def parse_join(cursor: Cursor, left: Relation | None, start: int) -> Join:
    begin = cursor.start
    natural = cursor.take("NATURAL")
    kind = _parse_join_kind(cursor)
    cursor.expect("JOIN")
    right_start = cursor.start
    lateral = _is_lateral(cursor)
    right = _parse_lateral(cursor, right_start) if lateral else parse_relation_primary(cursor)
    condition, nearest = None, None
    using: tuple[str, ...] = ()
    if not natural:
        if cursor.take("ON"):
            condition = parse_expression(cursor)
        elif cursor.take("USING"):
            using = parse_identifier_list(cursor)
        elif cursor.kinds[cursor.at] in ("APPROX", "EXACT") and cursor.kinds[cursor.at + 1] == "NEAREST":
            nearest = _parse_nearest_by(cursor, begin, kind, lateral)
    _check_join(cursor, begin, kind, natural, lateral, bool(using))
    return Join(start, cursor.stop, left, kind, natural, right, condition, using, nearest, join_start=begin)


def _parse_join_kind(cursor: Cursor) -> str:
    words = []
    while cursor.kinds[cursor.at] in _JOIN_WORDS:
        words.append(cursor.kinds[cursor.at])
        cursor.at += 1
    if not words:
        return "INNER"
    kind = _JOIN_KINDS.get(tuple(words))
    if kind is None:
        raise cursor.fail(cursor.at - 1)
    return kind


def _check_join(cursor: Cursor, begin: int, kind: str, natural: bool, lateral: bool, using: bool) -> None:
    if natural and kind == "CROSS":
        cursor.defer_error("INCOMPATIBLE_JOIN_TYPES", begin, cursor.stop, joinType1="NATURAL", joinType2="CROSS")
    if not lateral:
        return
    if natural:
        cursor.defer_error("INCOMPATIBLE_JOIN_TYPES", begin, cursor.stop, joinType1="LATERAL", joinType2="NATURAL")
    if using:
        cursor.defer_error("UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", begin, cursor.stop)
    if kind not in ("INNER", "CROSS", "LEFT OUTER"):
        cursor.defer_error("INVALID_LATERAL_JOIN_TYPE", begin, cursor.stop, joinType=kind)


def _parse_nearest_by(cursor: Cursor, begin: int, kind: str, lateral: bool) -> NearestBy:
    start = cursor.start
    exact = cursor.expect_any("APPROX", "EXACT") == "EXACT"
    cursor.expect("NEAREST")
    count = cursor.tokens.word(cursor.at - 1) if cursor.take("integer") else "1"
    cursor.expect("BY")
    similarity = cursor.expect_any("DISTANCE", "SIMILARITY") == "SIMILARITY"
    expression = parse_expression(cursor)
    _check_nearest(cursor, begin, kind, lateral, count)
    return NearestBy(start, cursor.stop, exact, int(count), similarity, expression)


def _check_nearest(cursor: Cursor, start: int, kind: str, lateral: bool, count: str) -> None:
    if lateral:
        cursor.defer_error("UNSUPPORTED_FEATURE.LATERAL_JOIN_NEAREST_BY", start, cursor.stop)
    if kind not in ("INNER", "LEFT OUTER"):
        cursor.defer_error(
            "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE",
            start,
            cursor.stop,
            joinType=kind,
            supported="'INNER', 'LEFT OUTER'",
        )
    if not 1 <= int(count) <= _MAX_NEAREST:
        cursor.defer_error(
            "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
            start,
            cursor.stop,
            numResults=count,
            min="1",
            max=_MAX_NEAREST,
        )


# ------------------------------------------------------------ one relation
def parse_relation_primary(cursor: Cursor) -> Relation:
    kind = cursor.kinds[cursor.at]
    if kind == "(":
        return _parse_parenthesized_relation(cursor)
    if kind == "VALUES":
        if is_alias(cursor, cursor.at + 1, cursor.strict_names) and _are_tables(cursor):
            return _parse_table(cursor)
        if found := cursor.attempt(parse_inline_table):
            return found
    if kind == "STREAM" and _is_stream(cursor) and (stream := cursor.attempt(_parse_stream)):
        return stream
    return _parse_function_or_table(cursor)


def _are_tables(cursor: Cursor) -> bool:
    """FROM VALUES a, b: a table named values with the alias a, and a table named b. The grammar prefers that."""
    at, errors = cursor.at, len(cursor.deferred_errors)
    found = cursor.attempt(_parse_table) and (cursor.kinds[cursor.at] != "," or _are_relations(cursor))
    ends = cursor.kinds[cursor.at] in _BEHIND_RELATION
    cursor.at = at
    del cursor.deferred_errors[errors:]
    return bool(found) and ends


def _are_relations(cursor: Cursor) -> bool:
    cursor.at += 1
    return cursor.attempt(lambda cursor: cursor.list_of(parse_relation)) is not None


def _parse_function_or_table(cursor: Cursor) -> Relation:
    at, start = cursor.at, cursor.start
    if cursor.peek("IDENTIFIER", "("):
        found: Relation | None = cursor.attempt(_parse_table)
        if found is not None and cursor.kinds[cursor.at] not in ("(", "."):
            return found
        cursor.at = at
    if cursor.is_name(at) and cursor.kinds[at + 1] != "(" and cursor.kinds[at + 1] != ".":
        return _parse_table(cursor)
    name = parse_identifier_reference(cursor) if cursor.peek("IDENTIFIER", "(") else _parse_function_table_name(cursor)
    if cursor.kinds[cursor.at] == "(" and (
        function := cursor.attempt(lambda cursor: parse_table_function(cursor, name, start))
    ):
        return function
    cursor.at = at
    return _parse_table(cursor)


def _parse_function_table_name(cursor: Cursor) -> Name:
    if cursor.kinds[cursor.at] in ("LEFT", "RIGHT", "FILTER"):
        cursor.at += 1
        return Name(cursor.starts[cursor.at - 1], cursor.stop, (cursor.tokens.word(cursor.at - 1),))
    return parse_multipart_identifier(cursor)


def _parse_table(cursor: Cursor) -> Table:
    start = cursor.start
    name = parse_identifier_reference(cursor)
    if cursor.peek("CHANGES", "FROM"):
        changes = parse_changes_clause(cursor, stream=False)
        options = parse_options_clause(cursor)
        alias = parse_table_alias(cursor)
        return Table(start, cursor.stop, name, changes=changes, options=options, alias=alias)
    kind = cursor.kinds[cursor.at]
    if kind in ("eof", ")", ",", "WHERE", "JOIN"):
        return Table(start, cursor.stop, name, alias=parse_table_alias(cursor) if kind == "WHERE" else None)
    travel = parse_time_travel(cursor)
    options = parse_options_clause(cursor)
    sample = parse_sample(cursor) if is_sample(cursor) else None
    watermark = parse_watermark(cursor)
    alias = parse_table_alias(cursor)
    return Table(start, cursor.stop, name, travel, None, options, sample, watermark, alias)


def _parse_parenthesized_relation(cursor: Cursor) -> Relation:
    start = cursor.start
    if is_query_ahead(cursor):
        query = cursor.attempt(parse_parenthesized_query, "query")
        if query is not None:
            sample = parse_sample(cursor) if is_sample(cursor) else None
            watermark = parse_watermark(cursor)
            alias = parse_table_alias(cursor)
            return AliasedQuery(start, cursor.stop, query, sample, watermark, alias)
    cursor.expect("(")
    relation = parse_relation(cursor)
    cursor.expect(")")
    sample = parse_sample(cursor) if is_sample(cursor) else None
    watermark = parse_watermark(cursor)
    alias = parse_table_alias(cursor)
    return AliasedRelation(start, cursor.stop, relation, sample, watermark, alias)


def parse_inline_table(cursor: Cursor) -> InlineTable:
    """VALUES row, row [AS alias]"""
    start = cursor.start
    cursor.expect("VALUES")
    rows = parse_expressions(cursor)
    alias = parse_table_alias(cursor)
    _check_rows(cursor, start, rows, alias)
    return InlineTable(start, cursor.stop, rows, alias)


def _check_rows(cursor: Cursor, start: int, rows: tuple[Expression, ...], alias: TableAlias | None) -> None:
    """Spark's parser evaluates inline tables of constants, and so finds rows of different lengths; analysis checks
    others."""
    width = len(alias.columns) if alias is not None and alias.columns else _width(rows[0])
    for index, row in enumerate(rows):
        if _width(row) != width:
            if all(is_resolved(row) for row in rows):
                cursor.defer_error(
                    "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                    start,
                    cursor.stop,
                    expectedNumCols=width,
                    actualNumCols=_width(row),
                    rowIndex=index,
                )
            return


# ------------------------------------------------------------ streams and lateral views
def _is_stream(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at + 1] == "(" or cursor.kinds[cursor.at + 1] in (
        "identifier",
        "backquoted",
        "IDENTIFIER",
    )


def _parse_stream(cursor: Cursor) -> Stream:
    start = cursor.start
    cursor.expect("STREAM")
    parenthesized = cursor.take("(")
    begin = cursor.start
    name = parse_multipart_identifier(cursor)
    if cursor.kinds[cursor.at] == "(":
        return _parse_stream_function(cursor, start, begin, name, parenthesized)
    if parenthesized:
        cursor.expect(")")
    changes = parse_changes_clause(cursor, stream=True) if cursor.kinds[cursor.at] == "CHANGES" else None
    options = parse_options_clause(cursor)
    source = _parse_identified_by(cursor)
    watermark = parse_watermark(cursor)
    alias = parse_table_alias(cursor)
    table = Table(begin, cursor.stop, name, None, changes, options, None, watermark, alias)
    return Stream(start, cursor.stop, table, source)


def _parse_stream_function(cursor: Cursor, start: int, begin: int, name: Name, parenthesized: bool) -> Stream:
    cursor.expect("(")
    arguments = () if cursor.peek(")") else cursor.list_of(parse_table_function_argument)
    cursor.expect(")")
    if parenthesized:
        cursor.expect(")")
    source = _parse_identified_by(cursor)
    watermark = parse_watermark(cursor)
    alias = parse_table_alias(cursor)
    return Stream(start, cursor.stop, TableFunction(begin, cursor.stop, name, arguments, watermark, alias), source)


def _parse_identified_by(cursor: Cursor) -> str | None:
    return parse_captured_identifier(cursor) if cursor.take("IDENTIFIED", "BY") else None


def parse_lateral_views(cursor: Cursor) -> tuple[LateralView, ...]:
    views = []
    while cursor.kinds[cursor.at] == "LATERAL":
        if cursor.kinds[cursor.at + 1] != "VIEW":
            raise cursor.fail(cursor.at + 1)
        views.append(_parse_lateral_view(cursor))
    return tuple(views)


def _parse_lateral_view(cursor: Cursor) -> LateralView:
    start = cursor.start
    cursor.expect("LATERAL", "VIEW")
    outer = cursor.kinds[cursor.at + 1] not in ("(", ".") and cursor.take("OUTER")
    function = parse_multipart_identifier(cursor)
    cursor.expect("(")
    arguments = () if cursor.peek(")") else parse_expressions(cursor)
    cursor.expect(")")
    table = parse_identifier(cursor)
    columns: tuple[str, ...] = ()
    if cursor.take("AS") or is_alias(cursor, cursor.at, cursor.names):
        columns = cursor.list_of(parse_identifier)
    return LateralView(start, cursor.stop, outer, function, arguments, table, columns)


def parse_from_clause(cursor: Cursor) -> From:
    start = cursor.start
    cursor.expect("FROM")
    relations = cursor.list_of(parse_relation)
    views = parse_lateral_views(cursor)
    pivot = parse_pivot(cursor, None) if cursor.peek("PIVOT", "(") else None
    unpivot = None
    if cursor.kinds[cursor.at] == "UNPIVOT" and cursor.kinds[cursor.at + 1] in ("(", "INCLUDE", "EXCLUDE"):
        unpivot = parse_unpivot(cursor, None)
    return From(start, cursor.stop, relations, views, pivot, unpivot)


def _width(row: Expression) -> int:
    return len(row.fields) if isinstance(row, Row | Struct) else 1


_JOIN_WORDS = frozenset({"INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "OUTER"})
_BEHIND_RELATION = words(
    """
    eof ; ) WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW QUALIFY UNION EXCEPT MINUS INTERSECT
    LATERAL PIVOT UNPIVOT JOIN INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL ON USING |> SELECT INSERT
    """
)
_JOIN_STARTS = _JOIN_WORDS - {"OUTER"} | {"JOIN", "NATURAL"}
