"""The entry points of the SQL parser: each parses one text into a tree."""

from collections.abc import Mapping, Sequence

from twinspark.read.sql.expressions.precedence import parse_named_expression
from twinspark.read.sql.grammar import GRAMMAR
from twinspark.read.sql.lexer import identifiers
from twinspark.read.sql.lexer.config import DEFAULT, ParserConfig
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.syntax_errors import parse_all
from twinspark.read.sql.parse_cache import RECENT
from twinspark.read.sql.statements import iceberg
from twinspark.read.sql.statements.scripts import parse_script_or_statement, skip_statement
from twinspark.read.sql.tree import Expression, OrderField, Query, Statement


def parse_statement(text: str, config: ParserConfig = DEFAULT) -> Statement:
    """One statement or one script, as spark.sql takes it."""
    known = RECENT.find(text, config)
    if known is not None:
        return known
    cursor = Cursor(config.substitute_variables(text), config, GRAMMAR)
    statement = parse_all(cursor, parse_script_or_statement, semicolons=True)
    RECENT.keep(text, config, statement)
    return statement


def parse_query(text: str, config: ParserConfig = DEFAULT) -> Query:
    """A query and nothing else, such as the text of a view."""
    return parse_all(Cursor(text, config, GRAMMAR), GRAMMAR.query)


def parse_expression(text: str, config: ParserConfig = DEFAULT) -> Expression:
    """An expression with an optional alias, as selectExpr and expr take it."""
    return parse_all(Cursor(text, config, GRAMMAR), parse_named_expression)


def parse_multipart_identifier(text: str, config: ParserConfig = DEFAULT) -> tuple[str, ...]:
    """The parts of a name such as `db`.`t`."""
    return parse_all(Cursor(text, config, GRAMMAR), identifiers.parse_multipart_identifier).parts


def parse_sort_order(text: str, config: ParserConfig = DEFAULT) -> tuple[OrderField, ...]:
    """The fields of a sort order, as Iceberg's procedures take it."""
    return parse_all(Cursor(text, config, GRAMMAR), iceberg.parse_sort_order)


def parameter_markers(text: str, config: ParserConfig = DEFAULT) -> list[tuple[int, int, str]]:
    """Start, stop and name of the parameter markers of a statement, in order; `?` has an empty name."""
    cursor = Cursor(text, config, GRAMMAR)
    cursor.looks_for_markers = True
    parse_all(cursor, parse_script_or_statement, semicolons=True)
    return sorted(set(cursor.markers))


def bind_parameters(
    text: str,
    named: Mapping[str, str],
    positional: Sequence[str] = (),
    config: ParserConfig = DEFAULT,
) -> str:
    """Replaces the markers of a statement by SQL literals, as Spark does before it parses.

    Markers without a literal are not changed, so that analysis reports them."""
    parts, end, unnamed = [], 0, iter(positional)
    for start, stop, name in parameter_markers(text, config):
        literal = named.get(name) if name else next(unnamed, None)
        parts += [text[end:start], text[start:stop] if literal is None else literal]
        end = stop
    return "".join([*parts, text[end:]])


def split_statements(text: str, config: ParserConfig = DEFAULT) -> list[str]:
    """The statements of a file, without their semicolons; a script from BEGIN to END is one statement."""
    cursor = Cursor(text, config, GRAMMAR)
    statements = []
    while cursor.kinds[cursor.at] != "eof":
        begin = cursor.at
        skip_statement(cursor)
        if cursor.at > begin:
            statements.append(text[cursor.starts[begin] : cursor.stop])
        cursor.take(";")
    return statements
