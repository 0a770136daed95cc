"""Decides whether a keyword continues the statement or is a name: by default every keyword may be a name.

`SELECT a limit FROM t` has an alias named limit, `SELECT a LIMIT 1` has not. Spark's generated parser looks ahead as
far as it must; here the token after the keyword decides."""

from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.keywords import words

_ENDS = frozenset({"eof", ",", ")", ";", "]", "|>"})
# Followed by one of these, the keyword is not a name.
_SECOND: dict[str, frozenset[str]] = {
    word: frozenset(second.split())
    for word, second in {
        "GROUP": "BY",
        "ORDER": "BY",
        "SORT": "BY",
        "CLUSTER": "BY",
        "DISTRIBUTE": "BY",
        "PARTITION": "BY (",
        "LATERAL": "VIEW",
        "GROUPING": "SETS",
        "WITH": "ROLLUP CUBE (",
        "UNION": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "EXCEPT": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "MINUS": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "INTERSECT": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "PIVOT": "(",
        "UNPIVOT": "( INCLUDE EXCLUDE",
        "TABLESAMPLE": "( SYSTEM BERNOULLI",
        "INSERT": "INTO OVERWRITE WITH",
        "WHEN": "MATCHED NOT !",
        "APPROX": "NEAREST",
        "EXACT": "NEAREST",
        "DELAY": "OF",
        "REPLACE": "WHERE ON USING",
        "BY": "NAME",
        "IDENTIFIED": "BY",
        "CHANGES": "FROM",
    }.items()
}
# Followed by anything but an end, the keyword is not a name.
_WITH_BODY = frozenset({"FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "SELECT", "FOR"})
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})
_BY_WORDS = frozenset({"GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"})
_JOINS = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "ON", "USING", "WHERE", "SEMI", "ANTI"}
)
_IS = frozenset({"NOT", "!", "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT"})
_NEGATABLE = frozenset({"BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE"})


def is_alias(cursor: Cursor, at: int, names: frozenset[str]) -> bool:
    """Whether the token is an alias of what comes before it."""
    kind = cursor.kinds[at]
    if kind == "identifier":
        return True
    return kind in names and not _continues_statement(cursor, kind, at)


def _continues_statement(cursor: Cursor, kind: str, at: int) -> bool:
    second = cursor.kinds[at + 1]
    if kind in _WITH_BODY:
        return not ends_operand(cursor, at + 1) and second != kind and not _is_next_clause(cursor, at + 1)
    if kind in _SECOND:
        return second in _SECOND[kind] and not (second == "BY" and ends_operand(cursor, at + 2))
    if kind == "WINDOW":
        return cursor.is_name(at + 1) and cursor.kinds[at + 2] == "AS"
    if kind == "SET":
        return cursor.is_name(at + 1) and cursor.kinds[at + 2] in (".", "=")
    if kind in ("MAP", "REDUCE"):
        return not ends_operand(cursor, at + 1) and second not in _JOINS and second not in _SECOND and second != "("
    return kind == "DO" and cursor.script_depth > 0


def _is_next_clause(cursor: Cursor, at: int) -> bool:
    """FROM WHERE a = b: the clause begins at WHERE, so FROM before it is a name."""
    kind = cursor.kinds[at]
    if kind in _SET_OPERATORS:
        return _continues_statement(cursor, kind, at)
    if kind not in _WITH_BODY and kind not in _BY_WORDS:
        return False
    return (
        cursor.kinds[at + 1] not in _OPERATORS
        and cursor.kinds[at + 1] != "("
        and _continues_statement(cursor, kind, at)
    )


def is_by(cursor: Cursor, word: str) -> bool:
    """Whether GROUP BY, ORDER BY … comes next; `group by` with nothing after it is a name with an alias."""
    return cursor.kinds[cursor.at] == word and _continues_statement(cursor, word, cursor.at)


def ends_operand(cursor: Cursor, at: int) -> bool:
    """Whether no expression or relation can begin at this token."""
    kind = cursor.kinds[at]
    if kind == "FROM":
        return not (cursor.kinds[at + 1] in _ENDS or _is_operator(cursor, at + 1))
    return kind in _ENDS


def _is_operator(cursor: Cursor, at: int) -> bool:
    return cursor.kinds[at] in _OPERATORS


def is_infix(cursor: Cursor, at: int) -> bool:
    """Whether AND, OR, DIV, LIKE … here is the operator, not an alias of that name."""
    kind, second = cursor.kinds[at], cursor.kinds[at + 1]
    if kind == "IN":
        return second == "("
    if kind == "IS":
        return second in _IS
    if kind in ("NOT", "!"):
        return second in _NEGATABLE
    return not ends_operand(cursor, at + 1)


_OPERATORS = words(
    """
    = <=> <> != < <= > >= + - * / % || | & ^ . [ :: AND OR IS IN BETWEEN LIKE ILIKE RLIKE DIV << >> >>>
    """
)
