"""Iterates over all nodes of a syntax tree."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from twinspark.read.sql import tree


def tree_nodes(node: Any) -> Iterator[tree.Node]:
    """The node and all its descendants, including subqueries; branches and assignments are pairs."""
    if isinstance(node, tree.Node):
        yield node
        node = tuple(getattr(node, each.name) for each in fields(node))
    if isinstance(node, tuple):
        for child in node:
            yield from tree_nodes(child)
