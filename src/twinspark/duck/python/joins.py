"""Moves Python functions out of the condition of an outer, semi or anti join, below the side that they use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Column, Expression, PythonCall, children_of
from twinspark.plan.relations import Field, Join, Project, Relation
from twinspark.plan.rewrite import map_children, replace_columns, walk

Evaluate = Callable[[Relation, tuple[Expression, ...]], tuple[Relation, tuple[Expression, ...]]]
JOINS = {
    "left": "LEFT OUTER",
    "right": "RIGHT OUTER",
    "full": "FULL OUTER",
    "semi": "LEFT SEMI",
    "anti": "LEFT ANTI",
}


def evaluate_sides(relation: Join, evaluate: Evaluate) -> Relation:
    """Adds the calls' results as columns of the sides, and drops them after the join."""
    assert relation.condition is not None
    width = len(relation.left.fields)
    calls = outermost(relation.condition)
    lefts = [call for call in calls if is_within(call, range(width))]
    rights = [call for call in calls if is_within(call, range(width, width + len(relation.right.fields)))]
    check(relation, calls, lefts, rights)
    left, left_results = evaluate(relation.left, tuple(lefts))
    right, right_results = evaluate(relation.right, tuple(shift_columns(call, -width) for call in rights))
    results = dict(zip(lefts, left_results, strict=True))
    results |= {call: shift_columns(made, len(left.fields)) for call, made in zip(rights, right_results, strict=True)}
    condition = over(relation.condition, results, width, len(left.fields) - width)
    return drop_results(replace(relation, left=left, right=right, condition=condition), relation)


def outermost(expression: Expression) -> list[PythonCall]:
    if isinstance(expression, PythonCall):
        return [expression]
    return list(dict.fromkeys(call for child in children_of(expression) for call in outermost(child)))


def is_within(call: PythonCall, places: range) -> bool:
    columns = [node.index for node in walk(call) if isinstance(node, Column)]
    return bool(columns) and all(index in places for index in columns)


def check(relation: Join, calls: Sequence[PythonCall], *sides: Sequence[PythonCall]) -> None:
    """A function of columns of both sides cannot be evaluated before the join (ExtractPythonUDFFromJoinCondition)."""
    if any(not node.function.deterministic for call in calls for node in walk(call) if isinstance(node, PythonCall)):
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a nondeterministic Python function in a join condition")
    if len(calls) == sum(map(len, sides)):
        return
    if any(not any(isinstance(node, Column) for node in walk(call)) for call in calls):
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a Python function of constants in a join condition")
    joined = JOINS.get(relation.kind)
    if joined is None:
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, f"a Python function in a join of the kind {relation.kind}")
    raise SparkError("UNSUPPORTED_FEATURE.PYTHON_UDF_IN_ON_CLAUSE", joinType=joined)


def shift_columns(expression: Expression, by: int) -> Expression:
    return replace_columns(expression, lambda column: replace(column, index=column.index + by))


def over(expression: Expression, results: dict[PythonCall, Expression], width: int, more: int) -> Expression:
    """The condition over the extended sides; the columns of the right side are shifted."""

    def rule(node: Expression) -> Expression:
        if isinstance(node, PythonCall):
            return replace(results[node], text=node.text)
        if isinstance(node, Column):
            return node if node.index < width else replace(node, index=node.index + more)
        return map_children(node, rule)

    return rule(expression)


def drop_results(made: Join, relation: Join) -> Relation:
    width, wide = len(relation.left.fields), len(made.left.fields)
    kept = list(range(width))
    fields = [*relation.fields[:width], *optional(made.left.fields[width:])]
    if len(relation.fields) > width:
        count = len(relation.right.fields)
        kept += range(wide, wide + count)
        fields += [*relation.fields[width:], *optional(made.right.fields[count:])]
    joined = replace(made, fields=tuple(fields))
    return Project(input=joined, expressions=tuple(map(joined.column, kept)), fields=relation.fields)


def optional(fields: Sequence[Field]) -> list[Field]:
    return [replace(field, nullable=True) for field in fields]
