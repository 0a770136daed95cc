"""Parses operators by precedence: OR, AND, NOT, predicates, comparison, | ^ &, shifts, + - ||, * / % DIV, unary,
primary."""

from twinspark.read.sql.expressions.literals import NUMBERS
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_identifier_list
from twinspark.read.sql.lexer.keywords import words
from twinspark.read.sql.lexer.keywords_as_names import is_alias, is_infix
from twinspark.read.sql.lexer.strings import is_string, is_string_or_marker, parse_string
from twinspark.read.sql.tree import (
    Alias,
    Between,
    Binary,
    Exists,
    Expression,
    In,
    InSubquery,
    IsDistinct,
    IsNull,
    IsTruth,
    Like,
    LikeQuantified,
    Logical,
    Not,
    Query,
    StringLiteral,
    Unary,
)

_POWER = {
    "*": 7, "/": 7, "%": 7, "DIV": 7,
    "+": 6, "-": 6, "||": 6,
    "<<": 5, ">>": 5, ">>>": 5,
    "&": 4,
    "^": 3,
    "|": 2,
    "=": 1, "<=>": 1, "<>": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1,
}  # fmt: skip
_PREDICATES = frozenset({"NOT", "!", "BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "IS"})
_PIPE_STARTS = words(
    """
    SELECT EXTEND SET DROP AS WHERE PIVOT UNPIVOT TABLESAMPLE INNER CROSS LEFT RIGHT FULL NATURAL SEMI ANTI JOIN
    UNION EXCEPT MINUS INTERSECT ORDER CLUSTER DISTRIBUTE SORT LIMIT OFFSET AGGREGATE WINDOW LATERAL
    """
)
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"})


# ------------------------------------------------------------ booleans
def parse_expression(cursor: Cursor) -> Expression:
    start = cursor.starts[cursor.at]
    first = _parse_conjunction(cursor, start)
    if cursor.kinds[cursor.at] != "OR":
        return first
    operands = [first]
    while cursor.kinds[cursor.at] == "OR" and is_infix(cursor, cursor.at):
        cursor.at += 1
        operands.append(_parse_conjunction(cursor, cursor.starts[cursor.at]))
    return balanced_tree("OR", operands, start, cursor.stop)


def _parse_conjunction(cursor: Cursor, start: int) -> Expression:
    first = _parse_negation(cursor)
    if cursor.kinds[cursor.at] != "AND":
        return first
    operands = [first]
    while cursor.kinds[cursor.at] == "AND" and is_infix(cursor, cursor.at):
        cursor.at += 1
        operands.append(_parse_negation(cursor))
    return balanced_tree("AND", operands, start, cursor.stop)


def _parse_negation(cursor: Cursor) -> Expression:
    kind = cursor.kinds[cursor.at]
    if kind == "NOT" or kind == "!":
        return _parse_not(cursor, kind)
    if kind == "EXISTS" and cursor.kinds[cursor.at + 1] == "(" and (found := cursor.attempt(_parse_exists, "exists")):
        return found
    start = cursor.starts[cursor.at]
    value = parse_value(cursor)
    if cursor.kinds[cursor.at] in _PREDICATES and is_infix(cursor, cursor.at):
        return _parse_predicate(cursor, value, start)
    return value


def _parse_not(cursor: Cursor, kind: str) -> Expression:
    start, at = cursor.start, cursor.at
    if kind == "NOT" and cursor.kinds[at + 1] in ("eof", ",", ")", ".", "=", ";", "->"):
        return parse_value(cursor)  # a column named not
    if cursor.kinds[at + 1] in ("IN", "IS", "LIKE", "BETWEEN"):
        return _parse_not_or_name(cursor)
    cursor.at += 1
    child = _parse_negation(cursor)
    return Not(start, cursor.stop, child)


def _parse_not_or_name(cursor: Cursor) -> Expression:
    """NOT IN (SELECT 1), where NOT can only be a column: IN does not name a function over queries. Each reading is
    tried once, otherwise nested ones would be parsed three times per level."""
    found = cursor.attempt(_parse_negated_predicate, "not") or cursor.attempt(_parse_not_as_name, "not as a name")
    if found is None:
        raise cursor.fail()
    return found


def _parse_negated_predicate(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect_any("NOT", "!")
    child = _parse_negation(cursor)
    return Not(start, cursor.stop, child)


def _parse_not_as_name(cursor: Cursor) -> Expression:
    start = cursor.start
    value = parse_value(cursor)
    return _parse_predicate(cursor, value, start)


def _parse_exists(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("EXISTS")
    query = parse_parenthesized_query(cursor)
    return Exists(start, cursor.stop, query)


# ------------------------------------------------------------ predicates
def _parse_predicate(cursor: Cursor, value: Expression, start: int) -> Expression:
    begin = cursor.start
    negated = cursor.kinds[cursor.at] in ("NOT", "!")
    if negated:
        cursor.check_bang(cursor.at)
        cursor.at += 1
    kind = cursor.kinds[cursor.at]
    cursor.at += 1
    if kind == "IS":
        return _parse_is(cursor, value, start, begin)
    if kind == "BETWEEN":
        lower = parse_value(cursor)
        cursor.expect("AND")
        upper = parse_value(cursor)
        return Between(start, cursor.stop, value, lower, upper, negated, operator_start=begin)
    if kind == "IN":
        return _parse_in(cursor, value, start, negated, begin)
    return _parse_like(cursor, value, start, kind, negated, begin)


def _parse_is(cursor: Cursor, value: Expression, start: int, begin: int) -> Expression:
    negated = bool(cursor.take_any("NOT", "!"))
    if negated:
        cursor.check_bang(cursor.at - 1)
    kind = cursor.expect_any("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT")
    if kind == "NULL":
        return IsNull(start, cursor.stop, value, negated, operator_start=begin)
    if kind != "DISTINCT":
        return IsTruth(start, cursor.stop, value, kind, negated, operator_start=begin)
    cursor.expect("FROM")
    right = parse_value(cursor)
    return IsDistinct(start, cursor.stop, value, right, negated)


def _parse_in(cursor: Cursor, value: Expression, start: int, negated: bool, begin: int) -> Expression:
    options = cursor.attempt(_parse_in_options, "options") if _is_list_first(cursor) else None
    if options is None and is_query_ahead(cursor) and (query := cursor.attempt(parse_parenthesized_query, "query")):
        return InSubquery(start, cursor.stop, value, query, negated, operator_start=begin)
    options = _parse_in_options(cursor) if options is None else options
    if not options:
        cursor.defer_error("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", begin, cursor.stop)
    return In(start, cursor.stop, value, options, negated, operator_start=begin)


def _is_list_first(cursor: Cursor) -> bool:
    """The grammar's list of values comes before its query: `(SELECT 'a')` is parsed as a literal of the type SELECT,
    `(VALUES (1), (2))` as the call of a function and a number, `((SELECT a FROM t))` as a list of one value."""
    kind, fourth = cursor.kinds[cursor.at + 1], cursor.kinds[cursor.at + 3]
    typed = kind in ("SELECT", "VALUES") and is_string(cursor, cursor.at + 2) and fourth in (",", ")")
    called = kind in ("SELECT", "VALUES") and cursor.kinds[cursor.at + 2] == "("  # a function of that name
    return typed or called or (kind == "(" and is_query_ahead(cursor))


def _parse_in_options(cursor: Cursor) -> tuple[Expression, ...]:
    return () if cursor.take("(", ")") else cursor.in_parentheses(parse_expression)


def _parse_like(cursor: Cursor, value: Expression, start: int, kind: str, negated: bool, begin: int) -> Expression:
    before = cursor.at
    quantifier = cursor.take_any("ANY", "SOME", "ALL") if kind != "RLIKE" and cursor.kinds[cursor.at + 1] == "(" else ""
    patterns = _parse_in_options(cursor) if quantifier else ()
    if quantifier and cursor.kinds[cursor.at] == "ESCAPE" and is_string_or_marker(cursor, cursor.at + 1):
        cursor.at, quantifier = before, ""  # with ESCAPE, ANY is a call of the function any
    if quantifier:
        if not patterns:
            message = "Expected something between '(' and ')'."
            cursor.defer_error("_LEGACY_ERROR_TEMP_0064", begin, cursor.stop, msg=message)
        quantifier = "ANY" if quantifier == "SOME" else quantifier
        return LikeQuantified(start, cursor.stop, kind, quantifier, value, patterns, negated, operator_start=begin)
    pattern = parse_value(cursor)
    escape = None
    if kind != "RLIKE" and cursor.kinds[cursor.at] == "ESCAPE" and is_string_or_marker(cursor, cursor.at + 1):
        escape = _parse_escape(cursor, begin)
    return Like(start, cursor.stop, kind, value, pattern, escape, negated, operator_start=begin)


def _parse_escape(cursor: Cursor, begin: int) -> str:
    cursor.expect("ESCAPE")
    found = parse_string(cursor)
    escape = found.value if isinstance(found, StringLiteral) else cursor.text[found.start : found.stop]
    if len(escape) != 1 and isinstance(found, StringLiteral):
        cursor.defer_error("INVALID_ESC", begin, cursor.stop, invalidEscape=f"'{escape}'")
    return escape


# ------------------------------------------------------------ values
def parse_value(cursor: Cursor, least: int = 1) -> Expression:
    """Operators of this precedence and above, by precedence climbing; all are left-associative."""
    kinds = cursor.kinds
    start = cursor.starts[cursor.at]
    left = _parse_unary(cursor)
    while True:
        operator = kinds[cursor.at]
        power = _POWER.get(operator, 0)
        if power < least:
            return left
        if (operator == "|" and is_pipe_start(cursor)) or (operator == "DIV" and not is_infix(cursor, cursor.at)):
            return left
        cursor.at += 1
        right = parse_value(cursor, power + 1)
        left = Binary(start, cursor.stops[cursor.at - 1], operator, left, right)


def is_pipe_start(cursor: Cursor) -> bool:
    return cursor.config.single_character_pipe and cursor.kinds[cursor.at + 1] in _PIPE_STARTS


def _parse_unary(cursor: Cursor) -> Expression:
    kind = cursor.kinds[cursor.at]
    if kind not in ("-", "+", "~") or (kind == "-" and cursor.kinds[cursor.at + 1] in NUMBERS):
        return cursor.grammar.primary(cursor)
    start = cursor.start
    cursor.at += 1
    child = _parse_unary(cursor)
    return Unary(start, cursor.stop, kind, child)


# ------------------------------------------------------------ aliases
def parse_named_expression(cursor: Cursor) -> Expression:
    """expression [[AS] name | [AS] (name, …)]"""
    start = cursor.start
    child = parse_expression(cursor)
    kind = cursor.kinds[cursor.at]
    if kind == "," or (kind == "FROM" and not is_alias(cursor, cursor.at, cursor.names)):
        return child
    if kind == "AS" and _is_as(cursor):
        cursor.at += 1
        multiple = cursor.kinds[cursor.at] == "("
        names = parse_identifier_list(cursor) if multiple else (parse_captured_identifier(cursor),)
        return Alias(start, cursor.stop, child, names, multiple)
    if kind == "(":
        names = parse_identifier_list(cursor)
        return Alias(start, cursor.stop, child, names, True)
    if is_alias(cursor, cursor.at, cursor.names):
        name = parse_captured_identifier(cursor)
        return Alias(start, cursor.stop, child, (name,))
    return child


def _is_as(cursor: Cursor) -> bool:
    """Whether AS is followed by a name; if AS itself may be a name, the next token must not begin a clause."""
    if "AS" not in cursor.names:
        return True
    second = cursor.kinds[cursor.at + 1]
    if second == "FROM" and not is_alias(cursor, cursor.at + 1, cursor.names):
        return False
    return second in cursor.names or second == "("


def parse_named_expressions(cursor: Cursor) -> tuple[Expression, ...]:
    return cursor.list_of(parse_named_expression)


# ------------------------------------------------------------ subqueries
def is_query_ahead(cursor: Cursor) -> bool:
    """Whether the parenthesis here may open a query."""
    if cursor.kinds[cursor.at] != "(":
        return False
    return cursor.kinds[cursor.end_of_parentheses()] in _QUERY_STARTS


def parse_parenthesized_query(cursor: Cursor) -> Query:
    cursor.expect("(")
    query = cursor.grammar.query(cursor)
    cursor.expect(")")
    return query


def balanced_tree(operator: str, operands: list[Expression], start: int, stop: int) -> Expression:
    """Parses a chain of one operator into a balanced tree, like Spark's visitLogicalBinary; automatic names show it."""
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) - 1) // 2 + 1
    left = balanced_tree(operator, operands[:middle], start, stop)
    right = balanced_tree(operator, operands[middle:], start, stop)
    return Logical(start, stop, operator, left, right)
