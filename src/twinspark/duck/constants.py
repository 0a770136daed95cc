"""Finds constants that Spark evaluates while planning (ConstantFolding): their errors occur even without rows."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.duck.eager_rows import may_raise
from twinspark.errors import reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import SCALAR
from twinspark.plan.contents import Contents
from twinspark.plan.expressions import Call, Case, Cast, Column, Expression, Lambda, Literal, children_of
from twinspark.plan.relations import Field, OneRow, Project, Relation, own_expressions, relations_in
from twinspark.plan.rewrite import walk
from twinspark.types import DateType, IntegerType, LongType, TimestampNTZType, TimestampType, is_string

# Spark always evaluates the first argument of these functions, the others only for some rows.
CONDITIONAL = {"if", "coalesce", "nvl", "nvl2", "ifnull", "nullif", "iff"}


def constants_of(plan: Relation) -> Project | None:
    """All constants of the plan that may fail, as a one-row projection; None if there are none. A plan of one row
    evaluates its constants itself, but not those in lambda functions over arrays that are null or empty."""
    found: list[Expression] = []
    tops = (top for relation in relations_in(plan) for top in own_expressions(relation) if top.__class__ is not Column)
    if is_one_row(plan):
        tops = (body for top in tops for body in lambda_bodies(top))
    known: Known = {}
    for each in (each for top in tops for each in constants_in(top, known)):
        if each not in found:
            found.append(each)
    fields = tuple(Field(f"_{place}", each.type, each.nullable) for place, each in enumerate(found))
    return Project(input=OneRow(), expressions=tuple(found), fields=fields) if found else None


def has_fallible_constants(contents: Contents) -> bool:
    """Whether some constant of the plan may fail; a constant that fails contains one that fails by itself."""
    known: Known = {}
    return any(
        is_constant(each, known) and may_raise(each) and not is_small_arithmetic(each) for each in contents.computed
    )


SMALL = 1 << 15  # sums, differences and products of smaller numbers are in the range of INT


def is_small_arithmetic(expression: Call | Cast) -> bool:
    """Whether it adds, subtracts or multiplies small whole numbers, which does not fail."""
    if not isinstance(expression, Call) or not isinstance(expression.type, IntegerType | LongType):
        return False
    return expression.name in ("+", "-", "*") and all(map(is_small_number, expression.arguments))


def is_small_number(argument: Expression) -> bool:
    while isinstance(argument, Cast) and isinstance(argument.type, IntegerType | LongType):
        argument = argument.child
    return isinstance(argument, Literal) and isinstance(argument.value, int) and abs(argument.value) < SMALL


def is_one_row(plan: Relation) -> bool:
    while isinstance(plan, Project):
        plan = plan.input
    return isinstance(plan, OneRow)


def constants_in(expression: Expression, known: Known) -> Iterator[Expression]:
    """The largest constants in an expression that are evaluated whatever the rows are."""
    if is_constant(expression, known):
        if any(map(may_raise, walk(expression))):
            yield expression
        return
    for child in evaluated_children(expression):
        yield from constants_in(child, known)


def lambda_bodies(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Lambda):
        yield expression.body
        return
    for child in evaluated_children(expression):
        yield from lambda_bodies(child)


def evaluated_children(expression: Expression) -> tuple[Expression, ...]:
    if isinstance(expression, Case):
        return (expression.branches[0][0],)
    if isinstance(expression, Call) and expression.name in CONDITIONAL:
        return expression.arguments[:1]
    return tuple(children_of(expression))


Known = dict[int, bool]  # by the node's identity: a deep expression is tested at every level


def is_constant(expression: Expression, known: Known) -> bool:
    """Whether it consists of calls and casts of literals without conditional evaluation."""
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


# ---- special datetime strings

MOMENTS = DateType | TimestampType | TimestampNTZType
IS_SPECIAL = r"regexp_matches({0}, '^\s*(epoch|now|today|tomorrow|yesterday)\b', 'i')"
ONLY_SPARK_KNOWS = not_native(reasons.DATETIME_SPECIAL, "a cast of a constant that is computed")


def without_special_moments(cast: Cast, sql: str) -> str:
    """Spark replaces constant strings such as 'now' in casts (SpecialDatetimeValues): a computed constant of that kind
    falls back to Spark. Literals were handled in analysis, and strings of rows are not special."""
    if isinstance(cast.child, Literal) or not is_string(cast.child.type) or not isinstance(cast.type, MOMENTS):
        return sql
    if not is_constant(cast.child, {}):
        return sql
    return f"(CASE WHEN {IS_SPECIAL.format(sql)} THEN {ONLY_SPARK_KNOWS} ELSE {sql} END)"
