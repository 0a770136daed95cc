"""input_file_name and its kin of rows that come from one small file: every row has the same."""

from __future__ import annotations

import re
from typing import Any

from twinspark.analysis.literals import literal
from twinspark.plan.expressions import Call, Expression
from twinspark.plan.relations import Filter, Project, Relation, Scan
from twinspark.plan.rewrite import map_children
from twinspark.types import LONG

PLAIN = re.compile(r"file:///[A-Za-z0-9/_.-]+")  # others are shown in an encoding of their own


def with_files(expression: Expression, relation: Relation) -> Expression:
    """Such calls as constants; the same expression where the file of a row is not known."""

    def rule(node: Expression) -> Expression:
        if not isinstance(node, Call) or not node.name.startswith("input_file_"):
            return map_children(node, rule)
        found = known(node.name, scan_of(relation))
        return node if found is None else literal(found, None if isinstance(found, str) else LONG)

    return rule(expression)


def known(name: str, scan: Scan | None) -> Any:
    if scan is None or not scan.is_whole_file or not PLAIN.fullmatch(scan.input_files[0]):
        return None
    facts = {
        "input_file_name": scan.input_files[0],
        "input_file_block_start": 0,
        "input_file_block_length": scan.size_in_bytes,
    }
    return facts.get(name)


def scan_of(relation: Relation) -> Scan | None:
    """Below what is done row by row, in the task that reads the file."""
    while isinstance(relation, Project | Filter):
        relation = relation.input
    return relation if isinstance(relation, Scan) else None
