"""Reads SQL texts inside Connect messages: expressions and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twinspark.analysis.context import Context
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.read.sql import ParseError, ParserConfig, parameter_markers, parse_expression, parse_statement, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.views import with_files
from twinspark.read.walk import Walk, read_query
from twinspark.read.walk.first_error import first_error
from twinspark.read.walk.functions import is_builtin
from twinspark.read.walk.unsupported_settings import check_settings


def read_expression_text(text: str, scope: Scope) -> Named:
    node = parse_expression(text, parser_config(scope.context))
    return Walk(text, scope.context).column(node, scope)


def is_aliased(text: str, scope: Scope) -> bool:
    """Whether the expression text has an alias."""
    return len(text.split(None, 1)) > 1 and isinstance(parse_expression(text, parser_config(scope.context)), tree.Alias)


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
    """Reads a query; other statements are commands, which are not read here."""
    check_settings(context.config)
    config = parser_config(context)
    text = config.substitute_variables(text)
    statement = parse(text, config, bool(parameters or positional))
    if not isinstance(statement, tree.Query):
        raise NotNative(reasons.SQL_STATEMENT, type(statement).__name__)
    positions = parameter_values(text, positional, config) if positional else {}
    walk = Walk(text, context, parameters=parameters or {}, positions=positions)
    around, context.views_read = context.views_read, {}
    try:
        return with_files(context, lambda: read_query(statement, walk))
    except SparkError as error:
        check_functions_known(statement, walk, error)
        error = first_error(statement, walk, error)
        if not error.has_exact_message:
            raise NotNative(
                reasons.ERROR_MESSAGE, "the order of the names that Spark suggests", likely_error=error
            ) from error
        raise error from None
    finally:
        context.views_read = around


def check_functions_known(statement: tree.Query, walk: Walk, error: SparkError) -> None:
    """Spark checks that all functions exist before it checks anything else (LookupFunctions)."""
    functions = walk.context.functions
    if functions is None or error.condition == "UNRESOLVED_ROUTINE":
        return
    for node in tree_nodes(statement):
        if not isinstance(node, tree.Function) or not isinstance(node.name, tree.Name) or is_builtin(node.name.parts):
            continue
        if not functions.has(node.name.parts, walk.context):
            unknown = functions.unresolved_error(node.name.parts, walk.context)
            nearest = walk.with_context(unknown, node) if unknown is not None else error
            raise NotNative(
                reasons.ERROR_ORDER,
                "a function that does not exist, which Spark reports before other errors",
                likely_error=nearest,
            )


def parse(text: str, config: ParserConfig, has_parameters: bool) -> tree.Statement:
    """Spark inserts parameters before it parses, so a marker may be where the grammar here does not allow one."""
    try:
        return parse_statement(text, config)
    except ParseError as error:
        if has_parameters:
            raise NotNative(
                reasons.PARAMETER, "a text that can be parsed only after its parameters are inserted"
            ) from error
        raise


def parameter_values(text: str, positional: Sequence[Expression], config: ParserConfig) -> dict[int, Expression]:
    """The values of `?` parameters, by their character offset in the text."""
    offsets = [start for start, _, name in parameter_markers(text, config) if not name]
    return dict(zip(offsets, positional, strict=False))


def parser_config(context: Context) -> ParserConfig:
    return ParserConfig.of(context.config)
