"""spark.sql.legacy.ctePrecedencePolicy = EXCEPTION: a nested WITH query must not have the name of an outer one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from twinspark.errors import SparkError
from twinspark.read.sql import tree

SUBQUERIES = (tree.Subquery, tree.Exists, tree.InSubquery)


def check_cte_names(node: tree.Node, outer: tuple[str, ...] = (), starts_query: bool = True) -> None:
    """CTESubstitution.assertNoNameConflictsInCTE: only names at the start of a query are compared, since Spark before
    3.0 had no WITH in a FROM clause."""
    if isinstance(node, tree.Query) and node.ctes is not None:
        outer = outer + tuple(check_named_queries(node.ctes, outer, starts_query))
    within_query = isinstance(node, tree.Query) and node.ctes is None and starts_query
    for child in child_nodes(node):
        starts = (isinstance(node, SUBQUERIES) or within_query) and isinstance(child, tree.Query)
        if not isinstance(child, tree.With):
            check_cte_names(child, outer, starts)


def check_named_queries(node: tree.With, outer: tuple[str, ...], starts_query: bool) -> Iterator[str]:
    names = outer
    for named in node.queries:
        if starts_query and any(named.name.lower() == name.lower() for name in outer):
            raise ambiguous_alias(named.name)
        check_cte_names(named.query, names)
        names = (*names, named.name)
        yield named.name


def child_nodes(node: Any) -> Iterator[tree.Node]:
    """The nodes directly below a node; branches and assignments are pairs."""
    values = tuple(getattr(node, each.name) for each in fields(node)) if isinstance(node, tree.Node) else node
    for value in values:
        if isinstance(value, tree.Node):
            yield value
        elif isinstance(value, tuple):
            yield from child_nodes(value)


def ambiguous_alias(name: str) -> SparkError:
    return SparkError(
        "AMBIGUOUS_ALIAS_IN_NESTED_CTE",
        name=f"`{name}`",
        config='"spark.sql.legacy.ctePrecedencePolicy"',
        docroot="https://spark.apache.org/docs/latest",
    )
