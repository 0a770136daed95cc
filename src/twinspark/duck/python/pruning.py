"""Removes Python calls whose results are not used, as Spark's column pruning does."""

from dataclasses import replace

from twinspark.plan.column_pruning import all_columns, prune_columns
from twinspark.plan.expressions import Expression, Literal, PythonCall
from twinspark.plan.relations import Relation, ShowString
from twinspark.plan.rewrite import walk


def prune_calls(relation: Relation) -> Relation:
    """The relation with the same columns, in which Python calls of unused columns are replaced by nulls."""
    if isinstance(relation, ShowString):
        return replace(relation, input=prune_calls(relation.input))
    return prune_columns(relation, all_columns(relation), without_calls)


def without_calls(expression: Expression) -> Expression:
    if not any(isinstance(node, PythonCall) for node in walk(expression)):
        return expression
    return Literal(type=expression.type, nullable=True, value=None, text=expression.text)
