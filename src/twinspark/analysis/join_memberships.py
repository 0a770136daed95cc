"""NOT IN in a join's condition: where it cannot be a filter of one side, a null is just not found (ExistenceJoin)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.relations import Join
from twinspark.plan.rewrite import walk

# Of a join of a kind: the sides whose conditions are filters below it; what is asked of the others stays in the join.
PUSHED = {"inner": "lr", "cross": "lr", "semi": "lr", "left": "r", "right": "l", "full": "", "anti": "r"}


def with_existence(condition: Expression, kind: str, sides: Frame, settings: Settings) -> Expression:
    """Each part that is a NOT IN: as it is for a filter; else true unless an equal value is found."""
    if isinstance(condition, Call) and condition.name == "and":
        parts = tuple(with_existence(part, kind, sides, settings) for part in condition.arguments)
        return replace(condition, arguments=parts)
    membership = negated_membership(condition)
    if membership is None or side_of(membership, sides) in PUSHED[kind]:
        return condition
    found = build.call("coalesce", [membership, build.literal(False)], settings)
    return build.call("not", [found], settings)


def negated_membership(condition: Expression) -> Subquery | None:
    """Of NOT IN, which a filter takes for false where it is not known."""
    match condition:
        case Call(name="coalesce", arguments=(Call(name="not", arguments=(Subquery(kind="in") as found,)), *_)):
            return found
    return None


def side_of(membership: Subquery, sides: Frame) -> str:
    assert isinstance(sides.relation, Join)
    width = len(sides.relation.left.fields)
    nodes = (node for value in membership.values for node in walk(value))
    found = {"l" if node.index < width else "r" for node in nodes if isinstance(node, Column)}
    if len(found) != 1:
        raise NotNative("SQL: NOT IN of both sides, or of none, as a join condition")
    return found.pop()
