"""Arithmetic of decimals: result types (DecimalType.adjustPrecisionScale) and SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.types import DecimalType, adjusted_decimal, bounded_decimal


def fit_decimal(precision: int, scale: int, loses: bool) -> DecimalType:
    """Limits the type to 38 digits, with a smaller scale if precision may be lost
    (spark.sql.decimalOperations.allowPrecisionLoss)."""
    return adjusted_decimal(precision, scale) if loses else bounded_decimal(precision, scale)


def add_type(a: DecimalType, b: DecimalType, loses: bool) -> DecimalType:
    scale = max(a.scale, b.scale)
    return fit_decimal(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale, loses)


def multiply_type(a: DecimalType, b: DecimalType, loses: bool) -> DecimalType:
    return fit_decimal(a.precision + b.precision + 1, a.scale + b.scale, loses)


def divide_type(a: DecimalType, b: DecimalType, loses: bool) -> DecimalType:
    whole, scale = a.precision - a.scale + b.scale, max(6, a.scale + b.precision + 1)
    if loses:
        return adjusted_decimal(whole + scale, scale)
    whole, scale = min(38, whole), min(38, scale)
    # both the integral digits and the scale give up half of the excess (Divide.resultDecimalType)
    if whole + scale > 38:
        scale -= (whole + scale - 38) // 2 + 1
        whole = 38 - scale
    return bounded_decimal(whole + scale, scale)


def remainder_type(a: DecimalType, b: DecimalType, loses: bool) -> DecimalType:
    scale = max(a.scale, b.scale)
    return fit_decimal(min(a.precision - a.scale, b.precision - b.scale) + scale, scale, loses)


def decimal_call(spell: Callable[..., str], call: Any, left: str, right: str) -> str:
    a, b = (argument.type for argument in call.arguments)
    result = (call.type.precision, call.type.scale)
    return spell(left, (a.precision, a.scale), right, (b.precision, b.scale), result, call.settings.ansi)
