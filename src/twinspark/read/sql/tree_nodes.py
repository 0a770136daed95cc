"""All nodes of a syntax tree, for those who look for something in it."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from twinspark.read.sql import tree


def tree_nodes(node: Any) -> Iterator[tree.Node]:
    """The node and everything under it, queries among it; branches are pairs, and so are assignments."""
    if isinstance(node, tree.Node):
        yield node
        node = tuple(getattr(node, each.name) for each in fields(node))
    if isinstance(node, tuple):
        for child in node:
            yield from tree_nodes(child)
