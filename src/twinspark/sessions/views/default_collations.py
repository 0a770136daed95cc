"""Which queries of views with DEFAULT COLLATION are native: those whose strings are literals, casts or columns."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes

# Functions that neither return strings of the default collation (DefaultStringProducingExpression) nor have literals
# of their own, whose collation Spark would change as well.
PLAIN_FUNCTIONS = frozenset(
    {"array", "avg", "coalesce", "concat", "count", "length", "lower", "max", "min", "sum", "upper"}
)


def check_query(query: Any, collation: str) -> None:
    for node in tree_nodes(query) if collation else ():
        if isinstance(node, tree.InlineTable | tree.TableFunction | tree.Lambda | tree.CurrentLike):
            raise NotNative(reasons.SQL_CLAUSE, f"{type(node).__name__} in a view with DEFAULT COLLATION")
        if isinstance(node, tree.Function) and not is_plain_function(node):
            raise NotNative(reasons.SQL_CLAUSE, "this function in a view with DEFAULT COLLATION")


def is_plain_function(node: tree.Function) -> bool:
    name = node.name
    return isinstance(name, tree.Name) and len(name.parts) == 1 and name.parts[0].lower() in PLAIN_FUNCTIONS
