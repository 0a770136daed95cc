"""The nodes of an executed plan, from a typed plan, from DuckDB's profile, or from the metrics that Spark reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.connect.proto import base_pb2

from twinspark.compile.describe import describe
from twinspark.errors.marker import without_token
from twinspark.plan.relations import Relation

MOST_NODES = 300
MOST_DETAIL = 200
ROWS = ("numOutputRows", "number of output rows")
# Spark's SQLMetrics of kind `timing` are milliseconds, those of kind `nsTiming` nanoseconds.
TIMES = {"timing": 1e-3, "nsTiming": 1e-9}


@dataclass(frozen=True, slots=True)
class Node:
    """One operator; `parent` is the number of the node that reads its rows, -1 for the root."""

    number: int
    parent: int
    name: str
    detail: str
    engine: str
    rows: int | None = None
    seconds: float | None = None


def nodes_of_plan(plan: Relation) -> tuple[Node, ...]:
    """The relations of a typed plan, which DuckDB runs as one query: there are no numbers for single ones."""
    found: list[Node] = []
    waiting: list[tuple[Relation, int]] = [(plan, -1)]
    while waiting and len(found) < MOST_NODES:
        relation, parent = waiting.pop()
        name, _, detail = describe(relation).partition(" ")
        found.append(Node(len(found), parent, name, cut(detail.strip("[]")), "duckdb"))
        waiting += [(each, found[-1].number) for each in reversed(relation.inputs)]
    return tuple(found)


def nodes_of_profile(profile: str) -> tuple[Node, ...]:
    """The physical operators of DuckDB's JSON profile, without the one that collects the result."""
    found: list[Node] = []
    waiting = [(each, -1) for each in operators_below(json.loads(profile).get("operator", []))]
    while waiting and len(found) < MOST_NODES:
        operator, parent = waiting.pop()
        found.append(
            Node(
                len(found),
                parent,
                operator["type"],
                cut(without_token(", ".join(shown_details(operator.get("extra_info", {}))))),
                "duckdb",
                operator.get("intermediate_rows"),
                operator.get("timing"),
            )
        )
        waiting += [(each, found[-1].number) for each in reversed(operator.get("children", []))]
    return tuple(found)


def operators_below(operators: list[dict[str, Any]]) -> list[dict[str, Any]]:
    while len(operators) == 1 and operators[0]["type"] in ("RESULT_COLLECTOR", "EXPLAIN_ANALYZE"):
        operators = operators[0].get("children", [])
    return operators


def shown_details(extra: Mapping[str, Any]) -> Iterator[str]:
    for key, value in extra.items():
        if key != "Estimated Cardinality" and value:
            yield f"{key}: {'; '.join(value) if isinstance(value, list) else value}"


def nodes_of_spark(data: bytes) -> tuple[Node, ...]:
    """The operators of Spark's physical plan, with the SQL metrics that its server sends after the rows."""
    metrics = base_pb2.ExecutePlanResponse.Metrics.FromString(data).metrics
    numbers = {each.plan_id: number for number, each in enumerate(metrics)}
    return tuple(
        Node(
            number,
            numbers.get(each.parent, -1) if each.parent != each.plan_id else -1,
            each.name,
            cut(", ".join(f"{value.name}: {value.value}" for value in each.execution_metrics.values())),
            "spark",
            rows_of_metrics(each.execution_metrics),
            seconds_of_metrics(each.execution_metrics),
        )
        for number, each in enumerate(metrics[:MOST_NODES])
    )


def rows_of_metrics(metrics: Mapping[str, Any]) -> int | None:
    return next((int(metrics[name].value) for name in ROWS if name in metrics), None)


def seconds_of_metrics(metrics: Mapping[str, Any]) -> float | None:
    times = [each.value * TIMES[each.metric_type] for each in metrics.values() if each.metric_type in TIMES]
    return sum(times) if times else None


def cut(text: str) -> str:
    return text if len(text) <= MOST_DETAIL else text[: MOST_DETAIL - 1] + "…"
