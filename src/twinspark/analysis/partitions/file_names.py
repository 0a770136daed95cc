"""Replaces input_file_name and related functions by constants for rows that come from one small file."""

from __future__ import annotations

import re
from typing import Any

from twinspark.analysis.expressions.literals import literal
from twinspark.plan.expressions import Call, Expression
from twinspark.plan.relations import Filter, Project, Relation, Scan
from twinspark.plan.rewrite import map_children
from twinspark.types import LONG

PLAIN = re.compile(r"file:///[A-Za-z0-9/_.-]+")  # other characters are percent-encoded


def with_files(expression: Expression, relation: Relation) -> Expression:
    """Returns the same expression if the file of a row is not known."""

    def rule(node: Expression) -> Expression:
        if not isinstance(node, Call) or not node.name.startswith("input_file_"):
            return map_children(node, rule)
        found = file_fact(node.name, scan_of(relation))
        return node if found is None else literal(found, None if isinstance(found, str) else LONG)

    return rule(expression)


def file_fact(name: str, scan: Scan | None) -> Any:
    if scan is None or not scan.is_whole_file or not PLAIN.fullmatch(scan.input_files[0]):
        return None
    facts = {
        "input_file_name": scan.input_files[0],
        "input_file_block_start": 0,
        "input_file_block_length": scan.size_in_bytes,
    }
    return facts.get(name)


def scan_of(relation: Relation) -> Scan | None:
    """The scan below projections and filters, which run in the task that reads the file."""
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return relation if isinstance(relation, Scan) else None
