"""Parses SQL scripts: BEGIN … END with declarations, handlers, branches and loops."""

from collections.abc import Callable
from dataclasses import replace

from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier, parse_strict_identifier
from twinspark.read.sql.lexer.strings import is_string, parse_string_value
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.variables import parse_declare, parse_set_variable
from twinspark.read.sql.tree import (
    CaseStatement,
    Command,
    Compound,
    DeclareCondition,
    DeclareHandler,
    Expression,
    For,
    HandledCondition,
    IfElse,
    Iterate,
    Leave,
    Loop,
    Repeat,
    Statement,
    While,
)

_LABELLED = ("BEGIN", "WHILE", "REPEAT", "LOOP", "FOR")


def parse_script_or_statement(cursor: Cursor) -> Statement:
    """BEGIN … END at the start of the text is a script."""
    if cursor.kinds[cursor.at] == "BEGIN":
        return _parse_block(cursor, cursor.start, None)
    return cursor.grammar.statement(cursor)


def skip_statement(cursor: Cursor) -> None:
    """Skips to the semicolon after the statement or script that starts here, or to the end."""
    start = cursor.start
    if cursor.kinds[cursor.at] == "BEGIN" and cursor.attempt(lambda cursor: _parse_block(cursor, start, None)) is None:
        cursor.at = cursor.kinds.index("eof")  # the end of a script with a syntax error is not known
    while cursor.kinds[cursor.at] not in (";", "eof"):
        cursor.at += 1


# ------------------------------------------------------------ blocks
def _parse_compound(cursor: Cursor, start: int, label: str | None) -> Compound:
    block = _parse_block(cursor, start, label)
    _parse_end_label(cursor, label, start)
    return replace(block, stop=cursor.stop)


def _parse_block(cursor: Cursor, start: int, label: str | None) -> Compound:
    """The outermost block of a script has no label after its END."""
    cursor.expect("BEGIN")
    if cursor.take("NOT"):
        cursor.expect("ATOMIC")
    cursor.script_depth += 1
    statements = () if _is_end(cursor) else _parse_body_until(cursor, "END")
    cursor.expect("END")
    cursor.script_depth -= 1
    return Compound(*cursor.span(start), label, statements)


def _is_end(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at] == "END"


def _parse_end_label(cursor: Cursor, label: str | None, begin: int) -> None:
    """If two labels differ, Spark reports the line of the first."""
    start = cursor.start
    if cursor.kinds[cursor.at] in ("eof", ";"):
        return
    found = parse_strict_identifier(cursor).lower()
    if label is None:
        labels = {"endLabel": f"`{found}`"}
        cursor.defer_plain_error("END_LABEL_WITHOUT_BEGIN_LABEL", "SqlScriptingException", start, **labels)
    elif label.lower() != found:
        labels = {"beginLabel": f"`{label.lower()}`", "endLabel": f"`{found}`"}
        cursor.defer_plain_error("LABELS_MISMATCH", "SqlScriptingException", begin, **labels)


def _parse_body_until(cursor: Cursor, *ends: str) -> tuple[Statement, ...]:
    """Statements, each with its semicolon, up to one of these keywords."""
    statements = [_parse_step(cursor)]
    cursor.expect(";")
    while cursor.kinds[cursor.at] not in ends:
        statements.append(_parse_step(cursor))
        cursor.expect(";")
    return tuple(statements)


def _parse_step(cursor: Cursor) -> Statement:
    start, label = cursor.start, None
    if cursor.is_name(cursor.at) and cursor.kinds[cursor.at + 1] == ":" and cursor.kinds[cursor.at + 2] in _LABELLED:
        label = parse_strict_identifier(cursor)
        cursor.at += 1
    kind = cursor.kinds[cursor.at]
    rule = _STEPS.get(kind)
    if rule is not None:
        return rule(cursor, start, label)
    if kind == "DECLARE":
        return _parse_declaration(cursor, start)
    if kind == "SET" and (found := cursor.attempt(lambda cursor: _parse_set_step(cursor, start))):
        return found
    return cursor.grammar.statement(cursor)


def _parse_set_step(cursor: Cursor, start: int) -> Command:
    cursor.expect("SET")
    if cursor.kinds[cursor.at] in ("VAR", "VARIABLE") and cursor.is_name(cursor.at + 1):
        cursor.at += 1
    found = parse_set_variable(cursor, start)
    if cursor.kinds[cursor.at] != ";":
        raise cursor.fail()
    return found


# ------------------------------------------------------------ declarations
def _parse_declaration(cursor: Cursor, start: int) -> Statement:
    if cursor.kinds[cursor.at + 2] == "CONDITION" and cursor.kinds[cursor.at + 3] in (";", "FOR"):
        return _parse_declare_condition(cursor, start)
    if cursor.kinds[cursor.at + 1] in ("CONTINUE", "EXIT") and cursor.kinds[cursor.at + 2] == "HANDLER":
        return _parse_declare_handler(cursor, start)
    return parse_declare(cursor)


def _parse_declare_condition(cursor: Cursor, start: int) -> Command:
    cursor.expect("DECLARE")
    name = parse_strict_identifier(cursor)
    cursor.expect("CONDITION")
    state = "45000"
    if cursor.take("FOR"):
        cursor.expect("SQLSTATE")
        cursor.take("VALUE")
        state = parse_string_value(cursor)
    return DeclareCondition(*cursor.span(start), name, state)


def _parse_declare_handler(cursor: Cursor, start: int) -> Command:
    cursor.expect("DECLARE")
    kind = cursor.expect_any("CONTINUE", "EXIT")
    cursor.expect("HANDLER", "FOR")
    conditions = cursor.list_of(_parse_handled_condition)
    begin = cursor.start
    body = _parse_compound(cursor, begin, None) if cursor.kinds[cursor.at] == "BEGIN" else _parse_step(cursor)
    return DeclareHandler(*cursor.span(start), kind, conditions, body)


def _parse_handled_condition(cursor: Cursor) -> HandledCondition:
    start = cursor.start
    if cursor.kinds[cursor.at] == "SQLSTATE" and (
        is_string(cursor, cursor.at + 1) or cursor.kinds[cursor.at + 1] == "VALUE"
    ):
        cursor.at += 1
        cursor.take("VALUE")
        state = parse_string_value(cursor)
        return HandledCondition(start, cursor.stop, "SQLSTATE", state)
    if cursor.take("SQLEXCEPTION"):
        return HandledCondition(start, cursor.stop, "SQLEXCEPTION", "")
    if cursor.take("NOT", "FOUND"):
        return HandledCondition(start, cursor.stop, "NOT FOUND", "")
    name = parse_multipart_identifier(cursor)
    return HandledCondition(start, cursor.stop, "", name)


# ------------------------------------------------------------ branches
def _parse_if(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("IF")
    branches = [_parse_branch(cursor, "ELSEIF", "ELSE", "END")]
    while cursor.take("ELSEIF"):
        branches.append(_parse_branch(cursor, "ELSEIF", "ELSE", "END"))
    otherwise = _parse_body_until(cursor, "END") if cursor.take("ELSE") else ()
    cursor.expect("END", "IF")
    return IfElse(*cursor.span(start), tuple(branches), otherwise)


def _parse_branch(cursor: Cursor, *ends: str) -> tuple[Expression, tuple[Statement, ...]]:
    condition = parse_expression(cursor)
    cursor.expect("THEN")
    return condition, _parse_body_until(cursor, *ends)


def _parse_case_statement(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("CASE")
    value = None if cursor.kinds[cursor.at] == "WHEN" else parse_expression(cursor)
    branches = []
    cursor.expect("WHEN")
    while True:
        branches.append(_parse_branch(cursor, "WHEN", "ELSE", "END"))
        if not cursor.take("WHEN"):
            break
    otherwise = _parse_body_until(cursor, "END") if cursor.take("ELSE") else ()
    cursor.expect("END", "CASE")
    return CaseStatement(*cursor.span(start), value, tuple(branches), otherwise)


# ------------------------------------------------------------ loops
def _parse_while(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("WHILE")
    condition = parse_expression(cursor)
    cursor.expect("DO")
    body = _parse_body_until(cursor, "END")
    cursor.expect("END", "WHILE")
    _parse_end_label(cursor, label, start)
    return While(*cursor.span(start), label, condition, body)


def _parse_repeat(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("REPEAT")
    body = _parse_body_until(cursor, "UNTIL")
    cursor.expect("UNTIL")
    until = parse_expression(cursor)
    cursor.expect("END", "REPEAT")
    _parse_end_label(cursor, label, start)
    return Repeat(*cursor.span(start), label, body, until)


def _parse_loop(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("LOOP")
    body = _parse_body_until(cursor, "END")
    cursor.expect("END", "LOOP")
    _parse_end_label(cursor, label, start)
    return Loop(*cursor.span(start), label, body)


def _parse_for(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("FOR")
    variable = None
    if cursor.is_name(cursor.at) and cursor.kinds[cursor.at + 1] == "AS":
        variable = parse_strict_identifier(cursor)
        cursor.at += 1
    query = parse_query(cursor)
    cursor.expect("DO")
    body = _parse_body_until(cursor, "END")
    cursor.expect("END", "FOR")
    _parse_end_label(cursor, label, start)
    return For(*cursor.span(start), label, variable, query, body)


def _parse_leave(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("LEAVE")
    target = parse_strict_identifier(cursor)
    return Leave(*cursor.span(start), target)


def _parse_iterate(cursor: Cursor, start: int, label: str | None) -> Command:
    cursor.expect("ITERATE")
    target = parse_strict_identifier(cursor)
    return Iterate(*cursor.span(start), target)


_STEPS: dict[str, Callable[[Cursor, int, str | None], Statement]] = {
    "BEGIN": _parse_compound,
    "IF": _parse_if,
    "CASE": _parse_case_statement,
    "WHILE": _parse_while,
    "REPEAT": _parse_repeat,
    "LOOP": _parse_loop,
    "FOR": _parse_for,
    "LEAVE": _parse_leave,
    "ITERATE": _parse_iterate,
}
