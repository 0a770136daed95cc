"""Finds the tables, views and functions that a query references, and cycles of views."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.names import CatalogEntry, TemporaryView, find, quoted
from twinspark.errors import SparkError
from twinspark.read.sql import ParserConfig, parse_query, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.sessions.services import Services
from twinspark.sessions.views.sql_views import TextView, text_view


def tables_named(query: Any) -> list[tuple[str, ...]]:
    """Names in FROM that do not refer to a WITH clause."""
    nodes = list(tree_nodes(query))
    own = {each.name.lower() for each in nodes if isinstance(each, tree.NamedQuery)}
    named = [each.name.parts for each in nodes if isinstance(each, tree.Table) and isinstance(each.name, tree.Name)]
    return [parts for parts in named if len(parts) > 1 or parts[0].lower() not in own]


def functions_named(query: Any) -> list[tuple[str, ...]]:
    calls = [each for each in tree_nodes(query) if isinstance(each, tree.Function | tree.TableFunction)]
    return [each.name.parts for each in calls if isinstance(each.name, tree.Name)]


def columns_named(query: Any) -> list[tuple[str, ...]]:
    return [each.parts for each in tree_nodes(query) if isinstance(each, tree.Column)]


@dataclass(frozen=True)
class ViewOnPath:
    """A view on the path of a search for cycles: its name as Spark prints it, and its query."""

    name: str
    query: Any
    context: Context


def check_not_recursive(target: str, query: Any, context: Context, services: Services) -> None:
    path = path_to(target, query, context, services, (target,))
    if path is not None:
        raise SparkError("RECURSIVE_VIEW", viewIdent=target, newPath=" -> ".join(path))


def path_to(
    target: str, query: Any, context: Context, services: Services, path: tuple[str, ...]
) -> tuple[str, ...] | None:
    for parts in tables_named(query):
        seen = find_view(parts, context, services)
        if seen is None:
            continue
        if seen.name == target:
            return (*path, seen.name)
        if seen.query is not None and seen.name not in path:
            found = path_to(target, seen.query, seen.context, services, (*path, seen.name))
            if found is not None:
                return found
    return None


def find_view(parts: Sequence[str], context: Context, services: Services) -> ViewOnPath | None:
    found = find(parts, context, services)
    if isinstance(found, TemporaryView):
        inner = found.view if isinstance(found.view, TextView) else None
        return seen_text(quoted((*found.namespace, found.name)), inner, context)
    if isinstance(found, CatalogEntry) and found.view is not None:
        return seen_text(quoted(found.name.qualifier), text_view(found.view), context)
    return None


def seen_text(name: str, view: TextView | None, context: Context) -> ViewOnPath:
    if view is None:
        return ViewOnPath(name, None, context)
    return ViewOnPath(name, parse_query(view.text, ParserConfig.of(view.config)), context)
