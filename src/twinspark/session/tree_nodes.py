"""All nodes of a syntax tree, for those who look for something in it."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from twinspark.read.sql import tree


def nodes_in(node: Any) -> Iterator[Any]:
    """The node and everything under it, queries among it."""
    yield node
    for each in fields(node):
        value = getattr(node, each.name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, tree.Node):
                yield from nodes_in(child)
