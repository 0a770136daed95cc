"""Tells which of several mistakes in a query Spark tells first, or leaves it to Spark."""

from __future__ import annotations

from typing import TypeGuard

from twinspark.errors import NotNative, SparkError
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import function_name, is_aggregate_node, is_generator_node
from twinspark.read.walk.mistakes import Search, search_query

AT_ONCE = ("WRONG_NUM_ARGS.",)
IN_THE_END = ("UNRESOLVED_COLUMN.", "DATATYPE_MISMATCH.", "TABLE_OR_VIEW_NOT_FOUND")
# What Spark finds in a query in which everything has a meaning, and what stands above it as well.
LATER = "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"


def check_first(query: tree.Query, walk: Walk, told: SparkError) -> SparkError:
    """The mistake that Spark tells first."""
    search = Search(walk.text, walk.context, walk.ctes, walk.outer, walk.parameters, walk.positions)
    search_query(query, search)
    found = [one for one in search.mistakes.found if isinstance(one, SparkError)]
    unsure = NotNative("SQL: which of several mistakes is told first", nearest=told)
    at_once = [one for one in found if one.condition.startswith(AT_ONCE)]
    in_the_end = [one for one in found if one.condition.startswith(IN_THE_END) and one.condition != LATER]
    if told.condition == "TRAILING_COMMA_IN_SELECT" and len(in_the_end) == len(search.mistakes.found):
        return told  # the first that is told in the end
    if not found or len(found) < len(search.mistakes.found) or hides_more(query, told, walk):
        raise unsure
    if search.mistakes.is_partial and has_other_call(query, told, walk):
        raise unsure
    if len(found) == 1 and (at_once or in_the_end or not search.mistakes.unchecked):
        return found[0]
    if len(at_once) > 1 or len(at_once) + len(in_the_end) < len(found):
        raise unsure
    if not at_once and (not walk.settings.ansi or is_in_subquery(query, found[0])):
        raise unsure  # operands are cast in rounds, one by one; a query's other side comes first
    return (at_once or in_the_end)[0]


def hides_more(query: tree.Query, told: SparkError, walk: Walk) -> bool:
    """What Spark refuses in ways that are not searched for here."""
    if told.condition == "NESTED_AGGREGATE_FUNCTION" and not is_listed(query, told):
        return True
    for node in tree_nodes(query):
        match node:
            case tree.Select() if told.condition != "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE":
                if any(map(is_windowed, tree_nodes((node.where, node.having)))):
                    return True
            case tree.SortItem() if any(isinstance(one, tree.Star) for one in tree_nodes(node)):
                return True
            case tree.Query() if is_in_order(node, told, walk):
                return True
            case tree.Lambda() if any(isinstance(one, QUERIES) for one in tree_nodes(node.body)):
                return True
            case tree.Function() if told.condition != "UNSUPPORTED_GROUPING_EXPRESSION":
                if function_name(node, walk) in GROUPINGS:
                    return True
    return bool(nested_generators(query, walk))


def is_in_order(node: tree.Query, told: SparkError, walk: Walk) -> bool:
    """For orders Spark looks for names below the list, round by round, and suggests what it has found there."""
    order = node.organization
    items = [item.child for item in (*order.order_by, *order.sort_by)] if order is not None else []
    place = told.contexts[0].start_index if told.contexts else -1
    if not any(item.start <= place < item.stop for item in items) or told.condition.startswith("ORDER_BY_POS"):
        return False
    parts = [part for item in items for part in tree_nodes(item)]
    shown = listed_names(node.body) if isinstance(node.body, tree.Select) else frozenset()
    hidden = [one for one in parts if isinstance(one, tree.Column) and one.parts[-1].lower() not in shown]
    if any(one.start != place for one in hidden):
        return True
    calls = [one for one in parts if isinstance(one, tree.Function) and not is_aggregate_node(one, walk)]
    return bool(calls) and told.condition.startswith("UNRESOLVED_COLUMN.")


def listed_names(node: tree.Select) -> frozenset[str]:
    projections = node.projections if isinstance(node.projections, tuple) else ()
    named = [one.names[0] for one in projections if isinstance(one, tree.Alias)]
    return frozenset(name.lower() for name in (*named, *(one.parts[-1] for one in projections if is_column(one))))


def is_column(node: tree.Expression) -> TypeGuard[tree.Column]:
    return isinstance(node, tree.Column)


def is_in_subquery(query: tree.Query, told: SparkError) -> bool:
    place = told.contexts[0].start_index if told.contexts else -1
    return any(isinstance(node, QUERIES) and node.start <= place < node.stop for node in tree_nodes(query))


def has_other_call(query: tree.Query, told: SparkError, walk: Walk) -> bool:
    """One that may be a mistake: not an aggregate of a column, as a PIVOT always has."""
    place = told.contexts[0].start_index if told.contexts else -1
    calls = [one for one in tree_nodes(query) if isinstance(one, tree.Function) and one.start != place]
    return not all(is_aggregate_node(one, walk) and list(map(type, one.arguments)) == [tree.Column] for one in calls)


QUERIES = (tree.Subquery, tree.Exists, tree.InSubquery)
GROUPINGS = frozenset({"grouping", "grouping_id"})


def is_windowed(node: tree.Node) -> bool:
    return isinstance(node, tree.Function) and node.over is not None


def listed_nodes(node: tree.Select) -> list[tree.Expression]:
    projections = node.projections if isinstance(node.projections, tuple) else ()
    return [one.child if isinstance(one, tree.Alias) else one for one in projections]


def is_listed(query: tree.Query, told: SparkError) -> bool:
    """Whether the outermost call around the place is a column of its own: nothing else can be wrong with it."""
    place = told.contexts[0].start_index if told.contexts else -1
    calls = [
        call
        for node in tree_nodes(query)
        if isinstance(node, tree.Select)
        for call in listed_nodes(node)
        if isinstance(call, tree.Function)
    ]
    around = [call for call in calls if call.start < place < call.stop]
    return bool(around) and not any(isinstance(one, tree.Lambda) for one in tree_nodes(tuple(around)))


def nested_generators(query: tree.Query, walk: Walk) -> list[tree.Node]:
    """Generators that are no column of a list of their own."""
    nodes = list(tree_nodes(query))
    listed = {id(one) for node in nodes if isinstance(node, tree.Select) for one in listed_nodes(node)}
    return [node for node in nodes if is_generator_node(node, walk) and id(node) not in listed]
