"""Constants that Spark computes while it plans (ConstantFolding): one that fails is an error, with rows or without."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.duck.early_rows import may_raise
from twinspark.functions.registry import SCALAR
from twinspark.plan.expressions import Call, Case, Cast, Column, Expression, Literal, children_of
from twinspark.plan.relations import Field, OneRow, Project, Relation, own_expressions, relations_in
from twinspark.plan.rewrite import walk

# Of these Spark computes the first argument always, the others only for rows that come to them.
CONDITIONAL = {"if", "coalesce", "nvl", "nvl2", "ifnull", "nullif", "iff"}


def constants_of(plan: Relation) -> Project | None:
    """All constants of the plan that may fail, as one row; None where there are none, or a row surely fails itself."""
    if is_one_row(plan):
        return None
    found: list[Expression] = []
    tops = (top for relation in relations_in(plan) for top in own_expressions(relation) if top.__class__ is not Column)
    known: Known = {}
    for each in (each for top in tops for each in within(top, known)):
        if each not in found:
            found.append(each)
    fields = tuple(Field(f"_{place}", each.type, each.nullable) for place, each in enumerate(found))
    return Project(input=OneRow(), expressions=tuple(found), fields=fields) if found else None


def is_one_row(plan: Relation) -> bool:
    while isinstance(plan, Project):
        plan = plan.input
    return isinstance(plan, OneRow)


def within(expression: Expression, known: Known) -> Iterator[Expression]:
    """The largest constants in an expression that are computed whatever the rows are."""
    if is_constant(expression, known):
        if any(map(may_raise, walk(expression))):
            yield expression
        return
    for child in always(expression):
        yield from within(child, known)


def always(expression: Expression) -> tuple[Expression, ...]:
    if isinstance(expression, Case):
        return (expression.branches[0][0],)
    if isinstance(expression, Call) and expression.name in CONDITIONAL:
        return expression.arguments[:1]
    return tuple(children_of(expression))


Known = dict[int, bool]  # by the node's identity: a deep expression is asked about at every level


def is_constant(expression: Expression, known: Known) -> bool:
    """Calls and casts of literals alone, of which none is chosen by another."""
    if isinstance(expression, Literal):
        return True
    if not isinstance(expression, Call | Cast):
        return False
    found = known.get(id(expression))
    if found is None:
        chosen = isinstance(expression, Call) and (expression.name in CONDITIONAL or not is_plain(expression))
        found = not chosen and all(is_constant(child, known) for child in children_of(expression))
        known[id(expression)] = found
    return found


def is_plain(call: Call) -> bool:
    return call.signature.deterministic and call.signature.kind == SCALAR
