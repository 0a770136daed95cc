"""SQL texts inside Connect messages: expressions and queries, through the parser and the same builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression
from twinspark.read.sql import ParseError, ParserConfig, parameter_markers, parse_expression, parse_statement, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.views import with_files
from twinspark.read.walk import Walk, read_query
from twinspark.read.walk.first_mistake import check_first
from twinspark.read.walk.functions import is_builtin
from twinspark.read.walk.meanings import check_meaning


def read_expression_text(text: str, scope: Scope) -> Named:
    node = parse_expression(text, parser_config(scope.context))
    return Walk(text, scope.context).column(node, scope)


def is_aliased(text: str, scope: Scope) -> bool:
    """Whether an expression's text gives it a name."""
    return " " in text and isinstance(parse_expression(text, parser_config(scope.context)), tree.Alias)


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
    statement = parsed(text, config, bool(parameters or positional))
    if not isinstance(statement, tree.Query):
        raise NotNative(f"SQL: {type(statement).__name__}")
    positions = marked(text, positional, config) if positional else {}
    walk = Walk(text, context, parameters=parameters or {}, positions=positions)
    around, context.views_read = context.views_read, {}
    try:
        return with_files(context, lambda: read_query(statement, walk))
    except SparkError as error:
        check_functions_known(statement, walk, error)
        error = check_first(statement, walk, error)
        if not error.is_sure:
            raise NotNative("SQL: the order of the names that are suggested", nearest=error) from error
        raise error from None
    finally:
        context.views_read = around


def check_functions_known(statement: tree.Query, walk: Walk, error: SparkError) -> None:
    """Spark looks whether it knows all functions before it looks at anything else (LookupFunctions)."""
    functions = walk.context.functions
    if functions is None or error.condition == "UNRESOLVED_ROUTINE":
        return
    for node in tree_nodes(statement):
        if not isinstance(node, tree.Function) or not isinstance(node.name, tree.Name) or is_builtin(node.name.parts):
            continue
        if not functions.has(node.name.parts, walk.context):
            unknown = functions.unresolved(node.name.parts, walk.context)
            nearest = walk.located(unknown, node) if unknown is not None else error
            raise NotNative("SQL: a function that is not known, which comes before other errors", nearest=nearest)


def parsed(text: str, config: ParserConfig, has_parameters: bool) -> tree.Statement:
    """Spark puts parameters in before it reads: a marker may stand where our grammar knows none."""
    try:
        return parse_statement(text, config)
    except ParseError as error:
        if has_parameters:
            raise NotNative("SQL: a text that reads only with its parameters put in") from error
        raise


def marked(text: str, positional: Sequence[Expression], config: ParserConfig) -> dict[int, Expression]:
    """The values of `?`, by where they stand."""
    places = [start for start, _, name in parameter_markers(text, config) if not name]
    return dict(zip(places, positional, strict=False))


def parser_config(context: Context) -> ParserConfig:
    return ParserConfig.of(context.config)
