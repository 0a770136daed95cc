"""When two expressions mean the same: whatever the order of commutative operands, or the names of lambdas' parameters
(Spark's semanticEquals)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from twinspark.plan.expressions import Call, Expression, Lambda, Variable
from twinspark.plan.rewrite import map_children, walk

COMMUTATIVE = frozenset({"+", "*", "and", "or", "&", "|", "^", "==", "=", "<=>"})
FLIPPED = {">": "<", ">=": "<="}
ORDERED = COMMUTATIVE | {"<", "<=", ">", ">="}


def canonical(expression: Expression) -> Expression:
    """Without the text it was written as, parameters numbered, operands in one order."""
    return in_order(numbered(expression, {}))


def numbered(expression: Expression, keys: dict[str, str]) -> Expression:
    """The parameters of lambdas by their numbers: every lambda that is read has names of its own."""
    if isinstance(expression, Variable):
        return replace(expression, key=keys.get(expression.key, expression.key))
    if isinstance(expression, Lambda):
        keys = keys | {each.key: f"#{len(keys) + index}" for index, each in enumerate(expression.parameters)}
        named = tuple(replace(each, key=keys[each.key], text="") for each in expression.parameters)
        expression = replace(expression, parameters=named)
    return map_children(expression, lambda child: numbered(child, keys))


def in_order(expression: Expression) -> Expression:
    made = replace(map_children(expression, in_order), text="")
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


def may_be_written_otherwise(expression: Expression) -> bool:
    return any(
        isinstance(node, Lambda) or (isinstance(node, Call) and node.name in ORDERED) for node in walk(expression)
    )


def position(expression: Expression, among: Sequence[Expression]) -> int | None:
    """Where an expression that means the same stands, if anywhere."""
    for index, one in enumerate(among):
        if one == expression:
            return index
    if all(one.__class__ is not expression.__class__ for one in among) or not may_be_written_otherwise(expression):
        return None
    wanted = canonical(expression)
    for index, one in enumerate(among):
        if one.type == expression.type and may_be_written_otherwise(one) and canonical(one) == wanted:
            return index
    return None
