"""Where in the client's program an expression was made: errors of the DataFrame API point there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from twinspark.analysis.relations import Named
from twinspark.errors import QueryContext, SparkError
from twinspark.plan.expressions import Call, Case, Cast, Subquery
from twinspark.read.sql import ParseError


@contextmanager
def called_from(message: Any) -> Iterator[QueryContext]:
    """Errors of what is read inside point at the innermost call that made a part of it."""
    python = message.common.origin.python_origin
    origin = QueryContext(python.fragment, call_site=python.call_site, is_dataframe=True)
    try:
        yield origin
    except SparkError as error:
        if not error.contexts and has_place(error):
            error.contexts = (origin,)
        raise


def has_place(error: SparkError) -> bool:
    """Types are read where Spark does not look at the call around them."""
    of_type = isinstance(error, ParseError) or error.condition == "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"
    return error.has_place and not of_type


def with_origin(named: Named, origin: QueryContext) -> Named:
    """What may fail while it runs knows where it was made."""
    expression = named.expression
    if expression.origin is not None or not isinstance(expression, Cast | Call | Case | Subquery):
        return named
    return replace(named, expression=replace(expression, origin=origin))
