"""Which expressions Spark can evaluate while it parses: those without names, calls and subqueries."""

from collections.abc import Iterator
from dataclasses import fields

from twinspark.read.sql.tree import (
    Column,
    CurrentLike,
    Dereference,
    Exists,
    Expression,
    FirstLast,
    Function,
    IdentifierClause,
    InSubquery,
    Lambda,
    Node,
    Parameter,
    Query,
    Star,
    Subquery,
    Subscript,
)

_UNRESOLVED = (
    Column,
    CurrentLike,
    Dereference,
    Exists,
    FirstLast,
    Function,
    IdentifierClause,
    InSubquery,
    Lambda,
    Parameter,
    Star,
    Subquery,
    Subscript,
)


def is_resolved(expression: Expression) -> bool:
    return not any(isinstance(node, _UNRESOLVED) for node in nodes_of(expression))


def nodes_of(node: Node) -> Iterator[Node]:
    """The node and all its descendants, without subqueries."""
    yield node
    for field in fields(node):
        value = getattr(node, field.name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, Node) and not isinstance(child, Query):
                yield from nodes_of(child)
