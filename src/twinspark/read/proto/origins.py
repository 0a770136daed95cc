"""The location in the client's program where an expression was created, to which errors of the DataFrame API point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis.relations.basics import Named
from twinspark.errors import QueryContext, SparkError
from twinspark.plan.expressions import Call, Case, Cast, Subquery
from twinspark.read.sql import ParseError


@contextmanager
def called_from(message: expressions_pb2.Expression) -> Iterator[QueryContext]:
    """Errors raised inside point at the innermost call that created a part of the expression."""
    python = message.common.origin.python_origin
    origin = QueryContext(python.fragment, call_site=python.call_site, is_dataframe=True)
    try:
        yield origin
    except SparkError as error:
        if not error.contexts and has_place(error):
            error.contexts = (origin,)
        raise


def has_place(error: SparkError) -> bool:
    """Whether the error has a location; errors of data types have none in Spark."""
    of_type = isinstance(error, ParseError) or error.condition == "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"
    return error.has_query_context and not of_type


def with_origin(named: Named, origin: QueryContext) -> Named:
    """Gives an expression that may fail at run time its location."""
    expression = named.expression
    if expression.origin is not None or not isinstance(expression, Cast | Call | Case | Subquery):
        return named
    return replace(named, expression=replace(expression, origin=origin))
