"""NOT IN in a join condition: where it is not pushed down as a filter, a null does not match (ExistenceJoin)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.relations import Join
from twinspark.plan.rewrite import walk

# By join type: the sides whose conditions are pushed down as filters; other conditions stay in the join.
PUSHED = {"inner": "lr", "cross": "lr", "semi": "lr", "left": "r", "right": "l", "full": "", "anti": "r"}


def with_existence(condition: Expression, kind: str, sides: Frame, settings: Settings) -> Expression:
    """Rewrites each conjunct that is a NOT IN and not a filter of one side: true unless an equal value is found."""
    if isinstance(condition, Call) and condition.name == "and":
        parts = tuple(with_existence(part, kind, sides, settings) for part in condition.arguments)
        return replace(condition, arguments=parts)
    membership = negated_membership(condition)
    if membership is None or side_of(membership, sides) in PUSHED[kind]:
        return condition
    found = build.call("coalesce", [membership, build.literal(False)], settings)
    return build.call("not", [found], settings)


def negated_membership(condition: Expression) -> Subquery | None:
    """The subquery of a NOT IN, whose unknown result a filter treats as false."""
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
        raise NotNative(reasons.JOIN_CONDITION, "NOT IN over columns of both sides or of neither side")
    return found.pop()
