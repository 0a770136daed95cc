"""Computes sums of decimal products with 18 digits, which DuckDB multiplies four times as fast as 38; overflows
raise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from twinspark.functions.notation.registry import Signature
from twinspark.plan.expressions import AggregateCall, Call, Expression
from twinspark.types import DecimalType

SHORT = 18  # digits that DuckDB stores in 64 bits; a longer product raises the error TOO_LONG
TOO_LONG = "Overflow in multiplication of DECIMAL(18)"


def short_sum(node: AggregateCall) -> AggregateCall | None:
    """The same sum over a product of 18 digits, if it is a sum of a product that is not rounded."""
    if node.name != "sum" or node.distinct or not isinstance(node.type, DecimalType):
        return None
    (argument,) = node.arguments
    short = short_product(argument)
    return None if short is argument else replace(node, arguments=(short,))


def short_product(expression: Expression) -> Expression:
    if not isinstance(expression, Call) or expression.name != "*" or not isinstance(expression.type, DecimalType):
        return expression
    factors = tuple(map(short_product, expression.arguments))
    types = [factor.type for factor in factors]
    if not all(isinstance(type, DecimalType) and type.precision <= SHORT for type in types):
        return expression
    scale = sum(type.scale for type in types if isinstance(type, DecimalType))
    if scale > SHORT or scale != expression.type.scale:
        return expression
    return replace(expression, type=DecimalType(SHORT, scale), signature=plain_product(), arguments=factors)


@cache
def plain_product() -> Signature:
    return Signature("*", (), "any", None, "({0} * {1})")
