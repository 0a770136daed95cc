"""Where in the client's program an expression was made: errors of the DataFrame API point there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from twinspark.analysis.relations import Named
from twinspark.errors import QueryContext, SparkError
from twinspark.plan.expressions import Call, Case, Cast, Subquery


@contextmanager
def called_from(message: Any) -> Iterator[QueryContext]:
    """Errors of what is read inside point at the innermost call that made a part of it."""
    python = message.common.origin.python_origin
    origin = QueryContext(python.fragment, call_site=python.call_site, is_dataframe=True)
    try:
        yield origin
    except SparkError as error:
        error.contexts = error.contexts or (origin,)
        raise


def with_origin(named: Named, origin: QueryContext) -> Named:
    """What may fail while it runs knows where it was made."""
    expression = named.expression
    if expression.origin is not None or not isinstance(expression, Cast | Call | Case | Subquery):
        return named
    return replace(named, expression=replace(expression, origin=origin))
