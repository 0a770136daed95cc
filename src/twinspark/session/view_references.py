"""Which tables, views and functions a query names, and whether a view would come to read itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import SparkError
from twinspark.read.sql import ParserConfig, parse_query, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.session.sql_names import Found, TemporaryView, find, quoted
from twinspark.session.text_views import TextView, text_view

if TYPE_CHECKING:
    from twinspark.session.session import Session


def tables_named(query: Any) -> list[tuple[str, ...]]:
    """Names in FROM that are not those of a WITH."""
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
class Seen:
    """A view on the way: its name as Spark tells it, and its query."""

    name: str
    query: Any
    context: Context


def check_not_recursive(target: str, query: Any, context: Context, session: "Session") -> None:
    path = path_to(target, query, context, session, (target,))
    if path is not None:
        raise SparkError("RECURSIVE_VIEW", viewIdent=target, newPath=" -> ".join(path))


def path_to(
    target: str, query: Any, context: Context, session: "Session", path: tuple[str, ...]
) -> tuple[str, ...] | None:
    for parts in tables_named(query):
        seen = view_seen(parts, context, session)
        if seen is None:
            continue
        if seen.name == target:
            return (*path, seen.name)
        if seen.query is not None and seen.name not in path:
            found = path_to(target, seen.query, seen.context, session, (*path, seen.name))
            if found is not None:
                return found
    return None


def view_seen(parts: Sequence[str], context: Context, session: "Session") -> Seen | None:
    found = find(parts, context, session)
    if isinstance(found, TemporaryView):
        inner = found.view if isinstance(found.view, TextView) else None
        return seen_text(quoted((*found.namespace, found.name)), inner, context)
    if isinstance(found, Found) and found.view is not None:
        return seen_text(quoted(found.name.qualifier), text_view(found.view), context)
    return None


def seen_text(name: str, view: TextView | None, context: Context) -> Seen:
    if view is None:
        return Seen(name, None, context)
    return Seen(name, parse_query(view.text, ParserConfig.of(view.config)), context)
