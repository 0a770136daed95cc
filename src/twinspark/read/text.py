"""SQL texts inside Connect messages: expressions and queries, through the parser and the same builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.read.sql import ParserConfig, parse_expression, parse_statement, tree
from twinspark.read.walk import Walk, read_query
from twinspark.read.walk.meanings import check_meaning


def read_expression_text(text: str, scope: Scope) -> Named:
    node = parse_expression(text, parser_config(scope.context))
    return Walk(text, scope.context).column(node, scope)


def read_columns_text(text: str, scope: Scope) -> list[Named]:
    """An expression of a SELECT list, which may be a star."""
    node = parse_expression(text, parser_config(scope.context))
    return Walk(text, scope.context).columns([node], scope)


def read_query_text(
    text: str,
    context: Context,
    parameters: Mapping[str, Expression] | None = None,
    positional: Sequence[Expression] = (),
) -> Frame:
    """A query; anything else that a statement may be is a command, and not read here."""
    check_meaning(context.config)
    config = parser_config(context)
    text = config.substituted(text)
    statement = parse_statement(text, config)
    if not isinstance(statement, tree.Query):
        raise NotNative(f"SQL: {type(statement).__name__}")
    if positional:
        raise NotNative("SQL: positional parameters")
    walk = Walk(text, context, parameters=parameters or {})
    return read_query(statement, walk)


def parser_config(context: Context) -> ParserConfig:
    return ParserConfig.of(context.config)
