"""Finds all reasons why a typed plan falls back to Spark, each with its node; compilation itself stops at the first
one.

Each relation is compiled alone, over empty inputs with the same columns, and an expression that fails is compiled
operand by operand. An operand that fails is replaced by a value of its type, so that the expressions above it are
compiled as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.relations.local_data import empty
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.compile.passes import Pass, extract_python_functions, is_concerned
from twinspark.compile.pipeline import MEANING, ROW_ORDER
from twinspark.duck.write import write_sql
from twinspark.errors import NotNative
from twinspark.plan.contents import contents_of
from twinspark.plan.expressions import AggregateCall, Column, Expression, Lambda, SortOrder, Subquery, WindowCall
from twinspark.plan.relations import Aggregate, Field, Generate, OneRow, Project, Relation
from twinspark.plan.rewrite import map_children
from twinspark.types import StructType

Rule = Callable[[Expression], Expression]


def all_reasons(plan: Relation, context: Context) -> list[NotNative]:
    """The reasons in the order in which they are found, without duplicates; an empty list for a native plan."""
    search = Search(context)
    rewritten = search.after_passes(plan)
    if rewritten is not None:
        search.visit(rewritten)
    return search.found


@dataclass
class Search:
    """The reasons found so far in one plan."""

    context: Context
    found: list[NotNative] = field(default_factory=list)
    visited: dict[int, Relation | None] = field(default_factory=dict)

    def note(self, why: NotNative, where: str) -> None:
        why.at(where)
        if all(each.cause != why.cause or each.where != why.where for each in self.found):
            self.found.append(why)

    # ---- passes

    def after_passes(self, plan: Relation) -> Relation | None:
        """A check that fails does not keep the other passes from running; any other pass that fails ends the search."""
        contents = contents_of(plan)
        for each in (*MEANING, *ROW_ORDER):
            if is_concerned(each, contents):
                changed = self.run_pass(each, plan)
                if changed is None and not is_check(each):
                    return None
                plan = changed or plan
        return plan

    def run_pass(self, each: Pass, plan: Relation) -> Relation | None:
        try:
            return each(plan, self.context)
        except NotNative as why:
            self.note(why, each.__name__)
            return None

    # ---- relations

    def visit(self, relation: Relation) -> Relation | None:
        """An empty relation with the same columns; None if DuckDB has no type for one of them."""
        if id(relation) not in self.visited:
            self.visited[id(relation)] = self.compile_alone(relation)
        return self.visited[id(relation)]

    def compile_alone(self, relation: Relation) -> Relation | None:
        inputs = {id(each): self.visit(each) for each in relation.inputs}
        if all(each is not None for each in inputs.values()):
            alone = with_inputs(relation, inputs)
            if not self.is_native(alone):
                alone = self.with_native_expressions(alone)
                self.attempt(alone, type(relation).__name__)
        return self.stand_in(relation)

    def stand_in(self, relation: Relation) -> Relation | None:
        try:
            return empty(relation.schema, "")
        except NotNative as why:
            self.note(why, type(relation).__name__)
            return None

    def is_native(self, relation: Relation) -> bool:
        try:
            self.write(relation)
        except NotNative:
            return False
        return True

    def attempt(self, relation: Relation, where: str) -> bool:
        try:
            self.write(relation)
        except NotNative as why:
            self.note(why, where)
            return False
        return True

    def write(self, relation: Relation) -> None:
        contents = contents_of(relation)
        concerned = is_concerned(extract_python_functions, contents)
        write_sql(extract_python_functions(relation, self.context) if concerned else relation, contents)

    # ---- expressions

    def with_native_expressions(self, relation: Relation) -> Relation:
        if isinstance(relation, Generate):
            return relation
        scope = scope_of(relation)
        return with_expressions(relation, lambda each: self.native_expression(each, scope))

    def native_expression(self, expression: Expression, scope: Relation) -> Expression:
        """The expression itself, or a value of its type after its reasons have been recorded."""
        if isinstance(expression, Lambda | Column) or self.is_native(over(scope, expression)):
            return expression
        if isinstance(expression, Subquery):
            return self.native_subquery(expression, scope)
        parts = map_children(expression, lambda each: self.native_part(each, scope, expression))
        if self.attempt(over(scope, parts), expression.text or type(expression).__name__):
            return parts
        return self.some_value(expression)

    def native_part(self, part: Expression, scope: Relation, around: Expression) -> Expression:
        """The function of a window cannot be compiled without the window, so only its arguments are."""
        if isinstance(around, WindowCall) and part is around.function:
            return map_children(part, lambda each: self.native_expression(each, scope))
        return self.native_expression(part, scope)

    def native_subquery(self, expression: Subquery, scope: Relation) -> Expression:
        if not any(outer_columns(expression.relation)):
            self.visit(expression.relation)
        else:
            self.attempt(over(scope, expression), expression.text or "a correlated subquery")
        return self.some_value(expression)

    def some_value(self, expression: Expression) -> Expression:
        """A value that is not a constant: functions that require constants report it like any other call."""
        one = Field("value", expression.type, True)
        try:
            rows = empty(StructType([one.struct_field()]), "")
        except NotNative:
            return expression
        return Subquery(kind="scalar", relation=rows, type=expression.type, nullable=True, text=expression.text)


def is_check(each: Pass) -> bool:
    return each.__name__.startswith("check_")


def over(scope: Relation, expression: Expression) -> Relation:
    """A relation with one column, the expression over the rows of the scope."""
    made = Field("value", expression.type, expression.nullable)
    if isinstance(expression, AggregateCall):
        return Aggregate(input=scope, grouping=(), aggregates=(expression,), fields=(made,))
    return Project(input=scope, expressions=(expression,), fields=(made,))


def scope_of(relation: Relation) -> Relation:
    """The rows over which a relation's expressions are evaluated: the columns of all its inputs."""
    if not relation.inputs:
        return OneRow()
    columns = [field for each in relation.inputs for field in each.schema.fields]
    return empty(StructType(columns), "")


def with_inputs(relation: Relation, inputs: dict[int, Relation | None]) -> Relation:
    changes: dict[str, Any] = {
        each.name: inputs[id(value)]
        for each in fields(relation)
        if isinstance(value := getattr(relation, each.name), Relation) and inputs.get(id(value)) is not None
    }
    return replace(relation, **changes) if changes else relation


def with_expressions(relation: Relation, rule: Rule) -> Relation:
    changes: dict[str, Any] = {
        each.name: made
        for each in fields(relation)
        if each.name != "fields" and (made := map_expressions(getattr(relation, each.name), rule)) is not None
    }
    return replace(relation, **changes) if changes else relation


def map_expressions(value: Any, rule: Rule) -> Any:
    """Rewrites expressions, sort orders and tuples of these; returns None for anything else."""
    if isinstance(value, Expression):
        return rule(value)
    if isinstance(value, SortOrder):
        return replace(value, child=rule(value.child))
    if isinstance(value, tuple) and value and all(isinstance(each, Expression | SortOrder | tuple) for each in value):
        made = tuple(map_expressions(each, rule) for each in value)
        return None if None in made else made
    return None
