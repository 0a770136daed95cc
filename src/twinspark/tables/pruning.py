"""File pruning: translates a plan's filters to predicates and reduces its scans to files that may match."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from pyspark.sql.types import StructType

from twinspark.plan.expressions import Call, Cast, Column, Expression, GetField, Literal
from twinspark.plan.relations import Filter, Relation, Scan
from twinspark.tables.predicates import And, Comparison, In, IsNotNull, IsNull, Or, Predicate, StartsWith
from twinspark.types import is_integral

OPERATORS = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
Prune = Callable[[Scan, Predicate], Scan]


def prune_scans(plan: Relation, prune: Prune) -> Relation:
    """The plan with every scan below filters pruned by them; the filters stay, so the rows do not change."""
    conditions, bottom = filters_of(plan)
    predicate = conjunction([predicate_of(each, bottom) for each in conditions])
    if isinstance(bottom, Scan):
        return plan if predicate is None else refilter(plan, prune(bottom, predicate))
    return refilter(plan, prune_inputs(bottom, prune))


def filters_of(plan: Relation) -> tuple[list[Expression], Relation]:
    """The conditions of nested filters, and the relation below them."""
    conditions = []
    while isinstance(plan, Filter):
        conditions.append(plan.condition)
        plan = plan.input
    return conditions, plan


def refilter(plan: Relation, bottom: Relation) -> Relation:
    return replace(plan, input=refilter(plan.input, bottom)) if isinstance(plan, Filter) else bottom


def prune_inputs(relation: Relation, prune: Prune) -> Relation:
    changed: dict[str, Any] = {}
    for each in fields(relation):
        value = getattr(relation, each.name)
        if isinstance(value, Relation):
            changed[each.name] = prune_scans(value, prune)
        elif isinstance(value, tuple) and value and all(isinstance(item, Relation) for item in value):
            changed[each.name] = tuple(prune_scans(item, prune) for item in value)
    return replace(relation, **changed) if changed else relation


def conjunction(found: Sequence[Predicate | None]) -> Predicate | None:
    """Unsupported conditions are omitted: fewer conditions keep more files."""
    known = tuple(each for each in found if each is not None)
    return known[0] if len(known) == 1 else And(known) if known else None


def predicate_of(condition: Expression, relation: Relation) -> Predicate | None:
    """A predicate that is true for every row for which the condition is true, or None."""
    if not isinstance(condition, Call):
        return None
    name, arguments = condition.name, condition.arguments
    if name == "and":
        return conjunction([predicate_of(each, relation) for each in arguments])
    if name == "or":
        parts = [predicate_of(each, relation) for each in arguments]
        return Or(tuple(each for each in parts if each is not None)) if all(parts) else None
    path = path_of(arguments[0], relation) if arguments else None
    if name in OPERATORS:
        return comparison(OPERATORS[name], arguments, relation)
    if path is None:
        return None
    return on_column(name, path, arguments[1:])


def on_column(name: str, path: tuple[str, ...], rest: Sequence[Expression]) -> Predicate | None:
    if name == "isnull":
        return IsNull(path)
    if name == "isnotnull":
        return IsNotNull(path)
    values = [value for value in map(value_of, rest) if value is not None]
    if name == "in" and len(values) == len(rest):
        return In(path, tuple(values))
    if name == "startswith" and len(values) == len(rest) == 1 and isinstance(values[0], str):
        return StartsWith(path, values[0])
    return None


def comparison(operator: str, arguments: Sequence[Expression], relation: Relation) -> Predicate | None:
    """A comparison of a column and a literal of one type, in either order; a cast column is not supported."""
    left, right = arguments
    if value_of(left) is not None:
        return comparison(TURNED[operator], (right, left), relation) if value_of(right) is None else None
    path, value = path_of(left, relation), value_of(right)
    if path is None or value is None or left.type != right.type:
        return None
    return Comparison(operator, path, value)


def value_of(expression: Expression) -> Any:
    """A literal's value, also below a widening cast of an integer."""
    if isinstance(expression, Cast) and is_integral(expression.type) and is_integral(expression.child.type):
        return value_of(expression.child)
    return expression.value if isinstance(expression, Literal) else None


def path_of(expression: Expression, relation: Relation) -> tuple[str, ...] | None:
    if isinstance(expression, Column):
        return (relation.fields[expression.index].name,)
    if isinstance(expression, GetField) and isinstance(expression.child.type, StructType):
        parent = path_of(expression.child, relation)
        return None if parent is None else (*parent, expression.child.type.names[expression.ordinal])
    return None
