"""A test as a WHERE takes it: unknown drops a row as false does, so nothing need tell the two apart."""

from __future__ import annotations

from dataclasses import replace

from twinspark.plan.expressions import Call, Expression, Literal, Subquery


def kept_if_true(test: Expression) -> Expression:
    """IN without the coalesce of its unknown answer is a semi join for DuckDB, with it a slower one that marks rows."""
    if isinstance(test, Call) and test.name == "and":
        return replace(test, arguments=tuple(map(kept_if_true, test.arguments)))
    if isinstance(test, Call) and test.name == "coalesce" and is_membership(test.arguments[0]) and ends_false(test):
        return test.arguments[0]
    return test


def is_membership(test: Expression) -> bool:
    inner = test.arguments[0] if isinstance(test, Call) and test.name == "not" else test
    return isinstance(inner, Subquery) and inner.kind == "in"


def ends_false(test: Call) -> bool:
    last = test.arguments[-1]
    return len(test.arguments) == 2 and isinstance(last, Literal) and last.value is False
