"""Falls back for comparisons of CHAR columns of different lengths, since Spark pads the shorter side with blanks.

With equal lengths nothing needs padding: stored values have the declared length already (ApplyCharTypePadding)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Call, Column, Expression, Literal, OuterColumn, Subquery
from twinspark.plan.relations import Field, Relation, Scan, own_expressions
from twinspark.plan.rewrite import walk

DECLARED = "__CHAR_VARCHAR_TYPE_STRING"
CHAR = re.compile(r"char\((\d+)\)")
COMPARISONS = frozenset({"==", "<=>", "<", "<=", ">", ">=", "in"})


def check_char_compares(plan: Relation) -> None:
    """Raises NotNative if a CHAR column is compared with a constant or another CHAR column of a different length."""
    if has_char(plan):
        check(plan)


def has_char(plan: Relation) -> bool:
    if isinstance(plan, Scan):
        return any(length_of(each) is not None for each in plan.fields)
    return any(map(has_char, relations_below(plan)))


def relations_below(plan: Relation) -> Iterator[Relation]:
    yield from plan.inputs
    for each in own_expressions(plan):
        if each.__class__ is not Column:
            yield from (node.relation for node in walk(each) if isinstance(node, Subquery))


def check(plan: Relation) -> None:
    columns = [field for below in plan.inputs for field in below.fields]
    for each in own_expressions(plan):
        for node in walk(each):
            if isinstance(node, Call) and node.name in COMPARISONS:
                check_lengths([length(argument, columns) for argument in node.arguments])
    for below in relations_below(plan):
        check(below)


def check_lengths(lengths: list[tuple[bool, int | None]]) -> None:
    """`lengths`: for each side, whether it is a CHAR column, and its length if known."""
    if any(is_char for is_char, _ in lengths) and len({size for _, size in lengths if size is not None}) > 1:
        raise NotNative(reasons.CHAR_PADDING)


def length(expression: Expression, columns: list[Field]) -> tuple[bool, int | None]:
    if isinstance(expression, Column) and expression.index < len(columns):
        size = length_of(columns[expression.index])
        return size is not None, size
    if isinstance(expression, OuterColumn):
        return False, -1  # the declared length is not known here
    value = expression.value if isinstance(expression, Literal) else None
    return False, len(value) if isinstance(value, str) else None


def length_of(field: Field) -> int | None:
    found = CHAR.fullmatch(str(dict(field.metadata).get(DECLARED, "")))
    return int(found[1]) if found else None
