"""Builds PySpark Columns from the expression trees of JSON plans."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from twinspark.plans_json.dialect import Dialect
from twinspark.plans_json.literals import python_value
from twinspark.plans_json.operators import COLUMN_OPERATIONS
from twinspark.plans_json.special_functions import SPECIAL_FUNCTIONS
from twinspark.plans_json.tree import (
    Alias,
    Call,
    Cast,
    Expression,
    Lambda,
    Literal,
    Name,
    Operator,
    Order,
    Over,
    SessionCall,
    When,
)

NESTED = (ArrayType, MapType, StructType)


@dataclass(frozen=True)
class Scope:
    """What an expression may refer to: its input DataFrame, the two sides of a join, variables of lambda functions."""

    dialect: Dialect
    frame: Any
    sides: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def functions(self) -> Any:
        return self.dialect.functions

    def column(self, expression: Expression) -> Any:
        return column_of(expression, self)

    def columns(self, expressions: tuple[Expression, ...]) -> list[Any]:
        return [column_of(expression, self) for expression in expressions]

    def type_of(self, expression: Expression) -> DataType:
        """The type of the expression; analyzed by the session, so only used where the meaning depends on a type."""
        found: DataType = self.frame.select(self.column(expression).alias("it")).schema[0].dataType
        return found


@singledispatch
def column_of(expression: Expression, scope: Scope) -> Any:
    raise TypeError(f"{type(expression).__name__} is not allowed here")


@column_of.register
def name_column(name: Name, scope: Scope) -> Any:
    if name.name in scope.variables:
        return scope.variables[name.name]
    return scope.sides[name.side][name.name] if name.side else scope.functions.col(name.name)


@column_of.register
def literal_column(literal: Literal, scope: Scope) -> Any:
    if literal.type is None:
        return scope.functions.lit(literal.value)
    value, is_typed = python_value(literal.value, literal.type)
    column = scope.functions.lit(value)
    return column if is_typed else column.cast(cast_target(literal.type))


@column_of.register
def call_column(call: Call, scope: Scope) -> Any:
    if call.name in SPECIAL_FUNCTIONS:
        return SPECIAL_FUNCTIONS[call.name](call, scope)
    if any(isinstance(arg, Lambda) for arg in call.args):
        return getattr(scope.functions, call.name)(*(argument(arg, scope) for arg in call.args))
    return scope.functions.call_function(call.name, *scope.columns(call.args))


@column_of.register
def session_call_column(call: SessionCall, scope: Scope) -> Any:
    return scope.functions.call_function(call.name, *scope.columns(call.args))


@column_of.register
def operator_column(operator: Operator, scope: Scope) -> Any:
    plain = PLAIN_RIGHT.get(operator.name)
    if plain:
        return plain(operator, scope)
    return COLUMN_OPERATIONS[operator.name](*scope.columns(operator.args))


def text_match(operator: Operator, scope: Scope) -> Any:
    """like, ilike and rlike: PySpark's methods take the pattern as a plain string, its functions as a column."""
    left, right = operator.args
    if isinstance(right, Literal) and isinstance(right.value, str):
        return getattr(scope.column(left), operator.name)(right.value)
    return scope.functions.call_function(operator.name, scope.column(left), scope.column(right))


def get_item(operator: Operator, scope: Scope) -> Any:
    left, key = operator.args
    return scope.column(left)[key.value if isinstance(key, Literal) else scope.column(key)]


def bitwise_not(operator: Operator, scope: Scope) -> Any:
    return scope.functions.bitwise_not(scope.column(operator.args[0]))


PLAIN_RIGHT: dict[str, Callable[[Operator, Scope], Any]] = {
    **dict.fromkeys(["like", "ilike", "rlike"], text_match),
    "getItem": get_item,
    "bitwise_not": bitwise_not,
}


@column_of.register
def cast_column(cast: Cast, scope: Scope) -> Any:
    input, type = scope.column(cast.input), cast_target(cast.type)
    return input.try_cast(type) if cast.is_try else input.cast(type)


def cast_target(type: DataType) -> DataType | str:
    """The type's name: with a StringType object, the column name that Spark generates would contain the collation."""
    return type if isinstance(type, NESTED) else str(type.simpleString())


@column_of.register
def when_column(when: When, scope: Scope) -> Any:
    (condition, value), *more = when.branches
    column = scope.functions.when(scope.column(condition), scope.column(value))
    for condition, value in more:
        column = column.when(scope.column(condition), scope.column(value))
    return column if when.otherwise is None else column.otherwise(scope.column(when.otherwise))


@column_of.register
def alias_column(alias: Alias, scope: Scope) -> Any:
    return scope.column(alias.input).alias(*alias.names)


@column_of.register
def order_column(order: Order, scope: Scope) -> Any:
    nulls = {None: "", True: "_nulls_first", False: "_nulls_last"}[order.nulls_first]
    return getattr(scope.column(order.input), ("asc" if order.ascending else "desc") + nulls)()


@column_of.register
def over_column(over: Over, scope: Scope) -> Any:
    window = scope.dialect.window.partitionBy(*scope.columns(over.partition))
    if over.order:
        window = window.orderBy(*scope.columns(over.order))
    if over.frame:
        between = window.rowsBetween if over.frame.is_rows else window.rangeBetween
        window = between(over.frame.start, over.frame.end)
    return scope.column(over.function).over(window)


def argument(expression: Expression, scope: Scope) -> Any:
    """An argument of a higher-order function: PySpark takes lambdas as Python functions with that many parameters."""
    if not isinstance(expression, Lambda):
        return scope.column(expression)

    def body(*values: Any) -> Any:
        variables = {**scope.variables, **dict(zip(expression.parameters, values, strict=True))}
        return column_of(expression.body, replace(scope, variables=variables))

    shapes: dict[int, Callable[..., Any]] = {
        1: lambda x: body(x),
        2: lambda x, y: body(x, y),
        3: lambda x, y, z: body(x, y, z),
    }
    return shapes[len(expression.parameters)]
