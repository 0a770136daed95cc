"""Parses function calls and the clauses after them: WITHIN GROUP, FILTER, IGNORE NULLS, OVER."""

from twinspark.read.sql.expressions.constant_expressions import is_resolved
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_captured_identifier,
    parse_identifier,
    parse_multipart_identifier,
    parse_simple_identifier,
)
from twinspark.read.sql.lexer.keywords_as_names import is_alias
from twinspark.read.sql.tree import (
    Binary,
    Expression,
    FrameBound,
    Function,
    IdentifierClause,
    Name,
    NamedArgument,
    NamedWindow,
    Parameter,
    SortItem,
    StringLiteral,
    WindowDefinition,
    WindowFrame,
    WindowReference,
    WindowSpec,
)


# ------------------------------------------------------------ calls
def parse_function_call(cursor: Cursor, name: Name | IdentifierClause | None = None) -> Expression:
    if name is None:
        start, word = cursor.start, _parse_function_name(cursor)
        name = Name(start, cursor.stop, (word,))
    cursor.expect("(")
    distinct = False
    arguments: tuple[Expression, ...] = ()
    if not cursor.take(")"):
        distinct = _parse_quantifier(cursor) == "DISTINCT"
        arguments = cursor.list_of(parse_function_argument)
        cursor.expect(")")
    if cursor.kinds[cursor.at] not in _BEHIND_CALL:
        return Function(name.start, cursor.stop, name, arguments, distinct, (), None, "", None)
    return _parse_call_clauses(cursor, name, arguments, distinct)


def _parse_function_name(cursor: Cursor) -> str:
    if cursor.kinds[cursor.at] in ("LEFT", "RIGHT", "FILTER"):
        cursor.at += 1
        return cursor.tokens.word(cursor.at - 1)
    return parse_simple_identifier(cursor)


def _parse_quantifier(cursor: Cursor) -> str:
    """DISTINCT or ALL before the arguments, unless it is the name of one."""
    if cursor.kinds[cursor.at] in ("DISTINCT", "ALL") and cursor.kinds[cursor.at + 1] not in (
        ",",
        ")",
        ".",
        "->",
        "=>",
    ):
        return cursor.take_any("DISTINCT", "ALL")
    return ""


def parse_function_argument(cursor: Cursor) -> Expression:
    if cursor.kinds[cursor.at + 1] != "=>":
        return parse_expression(cursor)
    start = cursor.start
    name = parse_identifier(cursor)
    cursor.expect("=>")
    value = parse_expression(cursor)
    return NamedArgument(start, cursor.stop, name, value)


def _parse_call_clauses(
    cursor: Cursor, name: Name | IdentifierClause, arguments: tuple[Expression, ...], distinct: bool
) -> Expression:
    within: tuple[SortItem, ...] = ()
    if cursor.take("WITHIN", "GROUP", "("):
        cursor.expect("ORDER", "BY")
        within = cursor.list_of(parse_sort_item)
        cursor.expect(")")
    condition = None
    if cursor.take("FILTER", "(", "WHERE"):
        condition = parse_expression(cursor)
        cursor.expect(")")
    nulls = ""
    if cursor.kinds[cursor.at + 1 : cursor.at + 2] == ["NULLS"]:
        nulls = cursor.take_any("IGNORE", "RESPECT")
        cursor.at += bool(nulls)
    over = _parse_window_spec(cursor) if _take_over_keyword(cursor) else None
    return Function(name.start, cursor.stop, name, arguments, distinct, within, condition, nulls, over)


def _take_over_keyword(cursor: Cursor) -> bool:
    if cursor.kinds[cursor.at] != "OVER":
        return False
    second = cursor.kinds[cursor.at + 1]
    taken = second == "(" or (cursor.is_name(cursor.at + 1) and is_alias(cursor, cursor.at + 1, cursor.names))
    cursor.at += taken
    return taken


def parse_identifier_expression(cursor: Cursor) -> Expression:
    """IDENTIFIER(expression), also as the name of a function."""
    clause = parse_identifier_clause(cursor)
    return parse_function_call(cursor, clause) if cursor.kinds[cursor.at] == "(" else clause


def parse_identifier_clause(cursor: Cursor) -> IdentifierClause:
    start = cursor.start
    cursor.expect("IDENTIFIER", "(")
    expression = parse_expression(cursor)
    cursor.expect(")")
    return IdentifierClause(start, cursor.stop, expression)


def parse_identifier_reference(cursor: Cursor) -> Name | IdentifierClause:
    """A table, view, function or namespace by name, or by IDENTIFIER(…)."""
    if cursor.peek("IDENTIFIER", "(") and (found := cursor.attempt(_parse_whole_clause)):
        return found
    return parse_multipart_identifier(cursor)


def _parse_whole_clause(cursor: Cursor) -> IdentifierClause:
    clause = parse_identifier_clause(cursor)
    if cursor.kinds[cursor.at] == "." and not cursor.config.legacy_identifier_clause_only:
        raise cursor.fail()  # IDENTIFIER('a').b is a name of two parts
    return clause


# ------------------------------------------------------------ sorting
def parse_sort_item(cursor: Cursor) -> SortItem:
    start = cursor.start
    child = parse_expression(cursor)
    ordering = cursor.take_any("ASC", "DESC")
    nulls = ""
    if cursor.take("NULLS"):
        nulls = cursor.expect_any("FIRST", "LAST")
    return SortItem(start, cursor.stop, child, ordering, nulls)


def parse_sort_items(cursor: Cursor) -> tuple[SortItem, ...]:
    return cursor.list_of(parse_sort_item)


def parse_expressions(cursor: Cursor) -> tuple[Expression, ...]:
    return cursor.list_of(parse_expression)


# ------------------------------------------------------------ windows
def parse_window_clause(cursor: Cursor) -> tuple[NamedWindow, ...]:
    """WINDOW name AS spec, …"""
    if cursor.kinds[cursor.at] != "WINDOW":
        return ()
    start = cursor.start
    cursor.at += 1
    windows = cursor.list_of(_parse_named_window)
    _check_windows(cursor, windows, start)
    return windows


def _check_windows(cursor: Cursor, windows: tuple[NamedWindow, ...], start: int) -> None:
    seen: dict[str, WindowSpec] = {}
    for window in windows:
        if window.name in seen:
            _reject_window(cursor, "REPETITIVE_WINDOW_DEFINITION", start, window.name)
        seen[window.name] = window.window
    for window in windows:
        if isinstance(window.window, WindowReference):
            target = seen.get(window.window.name)
            if target is None:
                _reject_window(cursor, "UNRESOLVED_WINDOW_REFERENCE", start, window.window.name)
            elif isinstance(target, WindowReference):
                _reject_window(cursor, "INVALID_WINDOW_REFERENCE", start, window.window.name)


def _reject_window(cursor: Cursor, problem: str, start: int, name: str) -> None:
    cursor.defer_error(f"INVALID_SQL_SYNTAX.{problem}", start, cursor.stop, windowName=f"`{name}`")


def _parse_named_window(cursor: Cursor) -> NamedWindow:
    start = cursor.start
    name = parse_captured_identifier(cursor)
    cursor.expect("AS")
    cursor.named_window = cursor.named_window if cursor.named_window >= 0 else cursor.at
    window = _parse_window_spec(cursor)
    return NamedWindow(start, cursor.stop, name, window)


def _parse_window_name(cursor: Cursor) -> str:
    """`OVER w - b` is read as one name that needs quotes; in `OVER w - min(b)` the minus is an operator, since no
    parenthesis can follow the name of a window."""
    minus = cursor.kinds[cursor.at + 1] == "-"
    is_operator = minus and cursor.kinds[cursor.at + 3 : cursor.at + 4] in (["("], ["string"])
    return parse_identifier(cursor) if is_operator else parse_captured_identifier(cursor)


def _parse_window_spec(cursor: Cursor) -> WindowSpec:
    start = cursor.start
    if cursor.kinds[cursor.at] != "(":
        return WindowReference(start, cursor.stops[cursor.at], _parse_window_name(cursor))
    if cursor.is_name(cursor.at + 1) and cursor.kinds[cursor.at + 2] == ")":
        cursor.at += 1
        name = parse_captured_identifier(cursor)
        cursor.expect(")")
        return WindowReference(start, cursor.stop, name)
    return _parse_window_definition(cursor, start)


def _parse_window_definition(cursor: Cursor, start: int) -> WindowDefinition:
    cursor.expect("(")
    partition: tuple[Expression, ...] = ()
    order: tuple[SortItem, ...] = ()
    if cursor.take("CLUSTER", "BY"):
        partition = parse_expressions(cursor)
    else:
        if cursor.take("PARTITION", "BY") or cursor.take("DISTRIBUTE", "BY"):
            partition = parse_expressions(cursor)
        if cursor.take("ORDER", "BY") or cursor.take("SORT", "BY"):
            order = parse_sort_items(cursor)
    frame = _parse_window_frame(cursor) if cursor.kinds[cursor.at] in ("RANGE", "ROWS") else None
    if frame is None and (order or len(partition) > 1):
        cursor.extra_token = cursor.at
    cursor.expect(")")
    return WindowDefinition(start, cursor.stop, partition, order, frame)


def _parse_window_frame(cursor: Cursor) -> WindowFrame:
    start = cursor.start
    unit = cursor.expect_any("RANGE", "ROWS")
    between = cursor.take("BETWEEN")
    begin = _parse_frame_bound(cursor)
    if between:
        cursor.expect("AND")
    end = _parse_frame_bound(cursor) if between else None
    return WindowFrame(start, cursor.stop, unit, begin, end)


def _parse_frame_bound(cursor: Cursor) -> FrameBound:
    start = cursor.start
    if cursor.kinds[cursor.at] == "UNBOUNDED" and cursor.kinds[cursor.at + 1] in ("PRECEDING", "FOLLOWING"):
        cursor.at += 2
        return FrameBound(start, cursor.stop, f"UNBOUNDED {cursor.kinds[cursor.at - 1]}", None)
    if cursor.take("CURRENT", "ROW"):
        return FrameBound(start, cursor.stop, "CURRENT ROW", None)
    value = parse_expression(cursor)
    kind = cursor.expect_any("PRECEDING", "FOLLOWING")
    if not isinstance(value, Parameter) and not is_resolved(value):
        message = "Frame bound value must be a literal."
        cursor.defer_error("_LEGACY_ERROR_TEMP_0064", start, cursor.stop, msg=message)
    return FrameBound(start, cursor.stop, kind, value)


def constant_text(node: Expression) -> str | None:
    """The value of a string literal, or of string literals concatenated with ||."""
    if isinstance(node, StringLiteral):
        return node.value
    if isinstance(node, Binary) and node.operator == "||":
        left, right = constant_text(node.left), constant_text(node.right)
        return None if left is None or right is None else left + right
    return None


_BEHIND_CALL = frozenset({"WITHIN", "FILTER", "IGNORE", "RESPECT", "OVER"})
