"""Whether two expressions are semantically equal (Spark's semanticEquals): the order of commutative operands and the
names of lambda parameters do not matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from twinspark.plan.expressions import Call, Expression, Lambda, Variable
from twinspark.plan.rewrite import map_children, walk

COMMUTATIVE = frozenset({"+", "*", "and", "or", "&", "|", "^", "==", "=", "<=>"})
FLIPPED = {">": "<", ">=": "<="}
ORDERED = COMMUTATIVE | {"<", "<=", ">", ">="}


def canonical(expression: Expression) -> Expression:
    """The expression without its text, with numbered lambda parameters and sorted operands."""
    return sort_operands(number_parameters(expression, {}))


def number_parameters(expression: Expression, keys: dict[str, str]) -> Expression:
    """Replaces the names of lambda parameters by numbers, since each lambda that is read has unique names."""
    if isinstance(expression, Variable):
        return replace(expression, key=keys.get(expression.key, expression.key))
    if isinstance(expression, Lambda):
        keys = keys | {each.key: f"#{len(keys) + index}" for index, each in enumerate(expression.parameters)}
        named = tuple(replace(each, key=keys[each.key], text="") for each in expression.parameters)
        expression = replace(expression, parameters=named)
    return map_children(expression, lambda child: number_parameters(child, keys))


def sort_operands(expression: Expression) -> Expression:
    made = replace(map_children(expression, sort_operands), text="")
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


def has_other_spellings(expression: Expression) -> bool:
    return any(
        isinstance(node, Lambda) or (isinstance(node, Call) and node.name in ORDERED) for node in walk(expression)
    )


def position(expression: Expression, among: Sequence[Expression]) -> int | None:
    """The index of a semantically equal expression, if there is one."""
    for index, one in enumerate(among):
        if one == expression:
            return index
    if all(one.__class__ is not expression.__class__ for one in among) or not has_other_spellings(expression):
        return None
    wanted = canonical(expression)
    for index, one in enumerate(among):
        if one.type == expression.type and has_other_spellings(one) and canonical(one) == wanted:
            return index
    return None
