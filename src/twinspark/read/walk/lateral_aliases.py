"""Where Spark takes no name that was given in the same list: in windows, aggregate functions and generators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import LATERAL
from twinspark.analysis.relations import Named
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.types import quote_identifier

# How Spark shows them depends on what else it had resolved by then (frames, fields), so that only it tells them whole.


def check_in_window(made: Expression) -> None:
    for name in aliases_in(nodes_of(made)):
        nearest = refusal("IN_WINDOW", lca=name, windowExpr=quoted(made.text))
        raise NotNative("SQL: a name given in the same list, inside a window", nearest=nearest)


def check_in_groups(columns: Sequence[Named], has_condition: bool) -> None:
    nodes = [node for column in columns for node in nodes_of(column.expression)]
    for call in (node for node in nodes if isinstance(node, AggregateCall)):
        for name in aliases_in(part for part in nodes_of(call) if part is not call):
            nearest = refusal("IN_AGGREGATE_FUNC", lca=name, aggFunc=quoted(call.text))
            raise NotNative("SQL: a name given in the same list, inside an aggregate function", nearest=nearest)
    if has_condition and any(isinstance(node, WindowCall) for node in nodes):
        for name in aliases_in(nodes):
            nearest = refusal("IN_AGGREGATE_WITH_WINDOW_AND_HAVING", lca=name)
            raise NotNative("SQL: a name given in the same list, beside a window and HAVING", nearest=nearest)


def check_not_named_before(columns: Sequence[Named]) -> None:
    """Of |> AGGREGATE, where what stands behind such a name is no aggregate function."""
    if any(True for column in columns for _ in aliases_in(nodes_of(column.expression))):
        raise NotNative("SQL: |> AGGREGATE of a name given in the same list")


def check_in_generators(columns: Sequence[Named]) -> None:
    made = [column.expression for column in columns if has_generator(column.expression)]
    if any(True for one in made for _ in aliases_in(nodes_of(one))):
        raise NotNative("SQL: a name given in the same list, inside a generator")


def aliases_in(nodes: Iterable[Expression]) -> Iterable[str]:
    start = f"{LATERAL}("
    return (quote_identifier(node.text[len(start) : -1]) for node in nodes if node.text.startswith(start))


def refusal(kind: str, **parameters: Any) -> SparkError:
    return SparkError(f"UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_{kind}", **parameters)
