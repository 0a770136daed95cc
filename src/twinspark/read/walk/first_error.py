"""Determines which of several errors in a query Spark reports first, or falls back to Spark."""

from __future__ import annotations

from typing import TypeGuard

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.all_errors import Search, search_query
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import function_name, is_aggregate_node, is_generator_node

AT_ONCE = ("WRONG_NUM_ARGS.",)
IN_THE_END = ("UNRESOLVED_COLUMN.", "DATATYPE_MISMATCH.", "TABLE_OR_VIEW_NOT_FOUND")
# Spark reports this error only if the rest of the query is resolved.
LATER = "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"


def first_error(query: tree.Query, walk: Walk, error: SparkError) -> SparkError:
    """The error that Spark reports first."""
    search = Search(walk.text, walk.context, walk.ctes, walk.outer, walk.parameters, walk.positions)
    search_query(query, search)
    found = [one for one in search.problems.found if isinstance(one, SparkError)]
    unsure = NotNative(reasons.ERROR_ORDER, likely_error=error)
    at_once = [one for one in found if one.condition.startswith(AT_ONCE)]
    in_the_end = [one for one in found if one.condition.startswith(IN_THE_END) and one.condition != LATER]
    if error.condition == "TRAILING_COMMA_IN_SELECT" and len(in_the_end) == len(search.problems.found):
        return error  # reported before the others of CheckAnalysis
    if not found or len(found) < len(search.problems.found) or hides_more(query, error, walk):
        raise unsure
    if search.problems.is_partial and has_other_call(query, error, walk):
        raise unsure
    if len(found) == 1 and (at_once or in_the_end or not search.problems.unchecked):
        return found[0]
    if len(at_once) > 1 or len(at_once) + len(in_the_end) < len(found):
        raise unsure
    if not at_once and (not walk.settings.ansi or is_in_subquery(query, found[0])):
        raise unsure  # operands are cast in several rounds; the other side of a subquery is checked first
    return (at_once or in_the_end)[0]


def hides_more(query: tree.Query, error: SparkError, walk: Walk) -> bool:
    """Whether the query may have errors that the search does not find."""
    if error.condition == "NESTED_AGGREGATE_FUNCTION" and not is_listed(query, error):
        return True
    for node in tree_nodes(query):
        match node:
            case tree.Select() if error.condition != "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE":
                if any(map(is_windowed, tree_nodes((node.where, node.having)))):
                    return True
            case tree.SortItem() if any(isinstance(one, tree.Star) for one in tree_nodes(node)):
                return True
            case tree.Query() if is_in_order(node, error, walk):
                return True
            case tree.Lambda() if any(isinstance(one, QUERIES) for one in tree_nodes(node.body)):
                return True
            case tree.Function() if error.condition != "UNSUPPORTED_GROUPING_EXPRESSION":
                if function_name(node, walk) in GROUPINGS:
                    return True
    return bool(nested_generators(query, walk))


def is_in_order(node: tree.Query, error: SparkError, walk: Walk) -> bool:
    """For ORDER BY, Spark looks for names below the SELECT list in several rounds and suggests the names found
    there."""
    order = node.organization
    items = [item.child for item in (*order.order_by, *order.sort_by)] if order is not None else []
    offset = error.contexts[0].start_index if error.contexts else -1
    if not any(item.start <= offset < item.stop for item in items) or error.condition.startswith("ORDER_BY_POS"):
        return False
    parts = [part for item in items for part in tree_nodes(item)]
    shown = listed_names(node.body) if isinstance(node.body, tree.Select) else frozenset()
    hidden = [one for one in parts if isinstance(one, tree.Column) and one.parts[-1].lower() not in shown]
    if any(one.start != offset for one in hidden):
        return True
    calls = [one for one in parts if isinstance(one, tree.Function) and not is_aggregate_node(one, walk)]
    return bool(calls) and error.condition.startswith("UNRESOLVED_COLUMN.")


def listed_names(node: tree.Select) -> frozenset[str]:
    projections = node.projections if isinstance(node.projections, tuple) else ()
    named = [one.names[0] for one in projections if isinstance(one, tree.Alias)]
    return frozenset(name.lower() for name in (*named, *(one.parts[-1] for one in projections if is_column(one))))


def is_column(node: tree.Expression) -> TypeGuard[tree.Column]:
    return isinstance(node, tree.Column)


def is_in_subquery(query: tree.Query, error: SparkError) -> bool:
    offset = error.contexts[0].start_index if error.contexts else -1
    return any(isinstance(node, QUERIES) and node.start <= offset < node.stop for node in tree_nodes(query))


def has_other_call(query: tree.Query, error: SparkError, walk: Walk) -> bool:
    """Whether another call may have an error: not an aggregate of a column, which every PIVOT has."""
    offset = error.contexts[0].start_index if error.contexts else -1
    calls = [one for one in tree_nodes(query) if isinstance(one, tree.Function) and one.start != offset]
    return not all(is_aggregate_node(one, walk) and list(map(type, one.arguments)) == [tree.Column] for one in calls)


QUERIES = (tree.Subquery, tree.Exists, tree.InSubquery)
GROUPINGS = frozenset({"grouping", "grouping_id"})


def is_windowed(node: tree.Node) -> bool:
    return isinstance(node, tree.Function) and node.over is not None


def listed_nodes(node: tree.Select) -> list[tree.Expression]:
    projections = node.projections if isinstance(node.projections, tuple) else ()
    return [one.child if isinstance(one, tree.Alias) else one for one in projections]


def is_listed(query: tree.Query, error: SparkError) -> bool:
    """Whether the outermost call around the error is a column of its own, so that nothing else can be wrong with it."""
    offset = error.contexts[0].start_index if error.contexts else -1
    calls = [
        call
        for node in tree_nodes(query)
        if isinstance(node, tree.Select)
        for call in listed_nodes(node)
        if isinstance(call, tree.Function)
    ]
    around = [call for call in calls if call.start < offset < call.stop]
    return bool(around) and not any(isinstance(one, tree.Lambda) for one in tree_nodes(tuple(around)))


def nested_generators(query: tree.Query, walk: Walk) -> list[tree.Node]:
    """Generators that are not directly columns of a SELECT list."""
    nodes = list(tree_nodes(query))
    listed = {id(one) for node in nodes if isinstance(node, tree.Select) for one in listed_nodes(node)}
    return [node for node in nodes if is_generator_node(node, walk) and id(node) not in listed]
