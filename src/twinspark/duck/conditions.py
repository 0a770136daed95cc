"""Simplifies WHERE conditions: NULL drops a row just as false does, so that they need not be distinguished."""

from __future__ import annotations

from dataclasses import replace

from twinspark.plan.expressions import Call, Expression, Literal, Subquery


def simplify_condition(test: Expression) -> Expression:
    """Removes coalesce(… IN …, false): without it DuckDB plans a semi join, with it a slower mark join."""
    if isinstance(test, Call) and test.name == "and":
        return replace(test, arguments=tuple(map(simplify_condition, test.arguments)))
    if isinstance(test, Call) and test.name == "coalesce" and is_membership(test.arguments[0]) and ends_false(test):
        return test.arguments[0]
    return test


def is_membership(test: Expression) -> bool:
    inner = test.arguments[0] if isinstance(test, Call) and test.name == "not" else test
    return isinstance(inner, Subquery) and inner.kind == "in"


def ends_false(test: Call) -> bool:
    last = test.arguments[-1]
    return len(test.arguments) == 2 and isinstance(last, Literal) and last.value is False
