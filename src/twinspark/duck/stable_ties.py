"""Keeps the input order of ties in sorts and windows, since Spark's sorts are stable and DuckDB's are not.

Only where the input order equals Spark's and costs little: local rows, constants, ranges, and one small file, with
only projections and filters between. In other plans Spark's order of ties depends on its partitions.
"""

from __future__ import annotations

from twinspark.plan.expressions import Expression, WindowCall
from twinspark.plan.relations import Filter, LocalData, Project, Range, Relation, Scan, Values
from twinspark.plan.rewrite import walk
from twinspark.spark_order.unobserved_order import has_no_ties

SMALL_FILE = 32 * 1024 * 1024  # numbering rows limits DuckDB to one thread
MANY_ROWS = 1_000_000
PLACE = "place"
# Window functions whose results depend on the order of ties.
BY_ROW = frozenset({"row_number", "ntile", "lag", "lead"})
OF_EQUALS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
BY_FIRST = frozenset({"first", "last", "any_value", "nth_value", "collect_list"})


def keeps_order(relation: Relation) -> bool:
    """Whether the rows come in Spark's order."""
    while isinstance(relation, Project | Filter):
        if isinstance(relation, Project) and any(map(has_window, relation.expressions)):
            return False
        relation = relation.input
    if isinstance(relation, Scan):
        return len(relation.input_files) == 1 and relation.size_in_bytes < SMALL_FILE
    if isinstance(relation, Range):
        return abs(relation.end - relation.start) < MANY_ROWS
    return isinstance(relation, LocalData | Values)


def has_window(expression: Expression) -> bool:
    return any(isinstance(node, WindowCall) for node in walk(expression))


def is_sensitive(window: WindowCall) -> bool:
    """Whether the result depends on the order of ties."""
    name = window.function.name
    if not window.ordering or name in OF_EQUALS:
        return False
    return name in BY_ROW or name in BY_FIRST or (window.frame is not None and window.frame.rows)


def numbers_rows(relation: Project) -> bool:
    windows = (node for e in relation.expressions for node in walk(e) if isinstance(node, WindowCall))
    sensitive = [window for window in windows if is_sensitive(window)]
    return (
        bool(sensitive)
        and keeps_order(relation.input)
        and not all(has_no_ties(window, relation.input) for window in sensitive)
    )
