"""When two expressions mean the same: operands of commutative operators in one order (Spark's semanticEquals)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from twinspark.plan.expressions import Call, Expression
from twinspark.plan.rewrite import map_children, walk

COMMUTATIVE = frozenset({"+", "*", "and", "or", "&", "|", "^", "==", "=", "<=>"})
FLIPPED = {">": "<", ">=": "<="}
ORDERED = COMMUTATIVE | {"<", "<=", ">", ">="}


def canonical(expression: Expression) -> Expression:
    """Without the text it was written as, operands in one order."""
    made = replace(map_children(expression, canonical), text="")
    if not isinstance(made, Call):
        return made
    if made.name in COMMUTATIVE:
        return replace(made, arguments=tuple(sorted(operands(made), key=repr)))
    if made.name in FLIPPED:
        return replace(made, name=FLIPPED[made.name], arguments=made.arguments[::-1])
    return made


def operands(call: Call) -> Iterator[Expression]:
    for argument in call.arguments:
        if isinstance(argument, Call) and argument.name == call.name and argument.type == call.type:
            yield from operands(argument)
        else:
            yield argument


def may_differ_in_order(expression: Expression) -> bool:
    return any(isinstance(node, Call) and node.name in ORDERED for node in walk(expression))


def position(expression: Expression, among: Sequence[Expression]) -> int | None:
    """Where an expression that means the same stands, if anywhere."""
    for index, one in enumerate(among):
        if one == expression:
            return index
    if not may_differ_in_order(expression):
        return None
    wanted = canonical(expression)
    for index, one in enumerate(among):
        if one.type == expression.type and may_differ_in_order(one) and canonical(one) == wanted:
            return index
    return None
