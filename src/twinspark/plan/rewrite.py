"""Walks through expressions and rewrites them; subtrees that do not change are shared."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import is_

from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    GetField,
    Lambda,
    MakeStruct,
    PythonCall,
    SortOrder,
    Subquery,
    WindowCall,
    children_of,
)

Rule = Callable[[Expression], Expression]


def map_children(expression: Expression, rule: Rule) -> Expression:
    """The expression with its children rewritten; the same object if nothing changed."""
    match expression:
        case WindowCall(function=function, partition=partition, ordering=ordering):
            called = rule(function)
            assert isinstance(called, Call)
            return replace(
                expression,
                function=called,
                partition=tuple(map(rule, partition)),
                ordering=map_orders(ordering, rule),
            )
        case AggregateCall(arguments=arguments, filter=filter, ordering=ordering):
            return replace(
                expression,
                arguments=tuple(map(rule, arguments)),
                filter=None if filter is None else rule(filter),
                ordering=map_orders(ordering, rule),
            )
        case Call(arguments=arguments) | PythonCall(arguments=arguments):
            made = tuple(map(rule, arguments))
            return expression if all_same(made, arguments) else replace(expression, arguments=made)
        case Cast(child=child) | GetField(child=child):
            below = rule(child)
            return expression if below is child else replace(expression, child=below)
        case Case(branches=branches, otherwise=otherwise):
            return replace(
                expression,
                branches=tuple((rule(when), rule(then)) for when, then in branches),
                otherwise=None if otherwise is None else rule(otherwise),
            )
        case MakeStruct(values=values) | Subquery(values=values):
            made = tuple(map(rule, values))
            return expression if all_same(made, values) else replace(expression, values=made)
        case Lambda(body=body):
            return replace(expression, body=rule(body))
        case _:
            return expression


def all_same(made: tuple[Expression, ...], were: tuple[Expression, ...]) -> bool:
    return all(map(is_, made, were))


def map_orders(ordering: tuple[SortOrder, ...], rule: Rule) -> tuple[SortOrder, ...]:
    return tuple(replace(order, child=rule(order.child)) for order in ordering)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all below it in preorder; a loop instead of recursion, since expressions may be deep."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        if below := children_of(node):
            pending.extend(below[::-1])


def replace_columns(expression: Expression, by: Callable[[Column], Expression]) -> Expression:
    """Replaces every Column of the expression, but not those inside subqueries."""

    def rule(node: Expression) -> Expression:
        return by(node) if isinstance(node, Column) else map_children(node, rule)

    return rule(expression)


def shift_columns(expression: Expression, offset: int) -> Expression:
    """The expression with all its column indexes increased by the offset."""
    return replace_columns(expression, lambda column: replace(column, index=column.index + offset))
