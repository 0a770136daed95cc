"""Lateral joins with Python table functions become one relation that sends the arguments of each row."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.scope.outer_references import map_expression, outer_columns
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Column, Expression, OuterColumn
from twinspark.plan.python_relations import PythonTable
from twinspark.plan.relations import Filter, Join, Project, Relation
from twinspark.plan.rewrite import replace_columns


def is_lateral_table(relation: Relation) -> bool:
    """A lateral join whose right side is a table function with columns of the left side among its arguments."""
    if not isinstance(relation, Join) or not relation.lateral or relation.kind not in ("inner", "cross"):
        return False
    table = below(relation.right)
    return isinstance(table, PythonTable) and not table.width and any(outer_columns(table))


def below(relation: Relation) -> Relation:
    while isinstance(relation, Project):
        relation = relation.input
    return relation


def join_table(relation: Join) -> Relation:
    made = beside(relation.left, relation.right)
    if relation.condition is not None:
        made = Filter(input=made, condition=relation.condition, fields=made.fields)
    own = tuple(map(made.column, range(len(made.fields))))
    return Project(input=made, expressions=own, fields=relation.fields)


def beside(left: Relation, right: Relation) -> Relation:
    """The left side's columns, then the right side's (OptimizeOneRowRelationSubquery)."""
    width, kept = len(left.fields), tuple(map(left.column, range(len(left.fields))))

    def shift_columns(expression: Expression) -> Expression:
        shifted = replace_columns(expression, lambda column: replace(column, index=column.index + width))
        return map_expression(shifted, column_of, 1)

    if isinstance(right, Project):
        input = beside(left, right.input)
        own = tuple(map(input.column, range(width)))
        return replace(
            right,
            input=input,
            expressions=(*own, *map(shift_columns, right.expressions)),
            fields=(*left.fields, *right.fields),
        )
    assert isinstance(right, PythonTable) and isinstance(right.input, Project)
    if right.has_table:
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "this kind of function in a lateral join")
    arguments = tuple(map_expression(each, column_of, 1) for each in right.input.expressions)
    source = Project(input=left, expressions=(*kept, *arguments), fields=(*left.fields, *right.input.fields))
    return replace(right, input=source, width=width, fields=(*left.fields, *right.fields))


def column_of(outer: OuterColumn) -> Expression:
    return Column(type=outer.type, nullable=outer.nullable, text=outer.text, index=outer.index)
