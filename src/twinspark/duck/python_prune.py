"""Python functions whose results nobody asks for are not called: Spark prunes such columns before it runs them."""

from twinspark.plan.asked import asked_only, every_place
from twinspark.plan.expressions import Expression, Literal, PythonCall
from twinspark.plan.relations import Relation
from twinspark.plan.rewrite import walk


def pruned(relation: Relation) -> Relation:
    """The same relation under the same columns; of those nobody asks for the calls are nulls."""
    return asked_only(relation, every_place(relation), without_calls)


def without_calls(expression: Expression) -> Expression:
    if not any(isinstance(node, PythonCall) for node in walk(expression)):
        return expression
    return Literal(type=expression.type, nullable=True, value=None, text=expression.text)
