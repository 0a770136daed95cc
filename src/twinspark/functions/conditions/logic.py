"""AND, OR, NOT, and tests for null and NaN."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import tightest_common_type
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, is_foldable
from twinspark.functions.numbers.operands import invalid_operands, operand_types
from twinspark.types import (
    BOOLEAN,
    BooleanType,
    DecimalType,
    is_null,
    is_string,
)


def has_decimal(call: Call) -> bool:
    return any(isinstance(type, DecimalType) for type in call.types) and not any(map(is_string, call.types))


def logical(call: Call) -> Typed:
    left, right = operand_types(call) if call.settings.ansi or has_decimal(call) else call.types
    found = tightest_common_type(left, right, call.settings.ansi)
    if found is None or not (isinstance(found, BooleanType) or is_null(found)):
        raise invalid_operands(call, left, right, '"BOOLEAN"')
    return Typed(BOOLEAN, False, (BOOLEAN, BOOLEAN), add_nullable_casts=True)


fn("and(any, any)", "({0} AND {1})", rule=logical)
fn("or(any, any)", "({0} OR {1})", rule=logical)
fn("not(boolean) -> boolean", "(NOT {0})", "!")


MADE = {"array", "struct", "named_struct", "coalesce"}


def is_computed(argument: Any) -> bool:
    """Whether evaluating the argument may fail, because it is more than a column or constant."""
    if is_foldable(argument):
        return False
    if getattr(argument, "name", "") in MADE:
        return any(map(is_computed, argument.arguments))
    return hasattr(argument, "arguments") or hasattr(argument, "child")


def null_test(keywords: str, of_map: str) -> Any:
    """Spark does not build a map to test it for null, so invalid keys do not raise. DuckDB does not build an array,
    which Spark may do and fail."""

    def write(call: Any, value: str) -> str:
        made = call.arguments[0]
        if call.settings.ansi and not made.nullable and getattr(made, "name", "") in MADE and is_computed(made):
            raise NotNative(reasons.ERROR_TIMING, "IS NULL of a nested value whose elements may fail")
        if getattr(call.arguments[0], "name", "") != "map":
            return f"({value} {keywords})"
        if not is_foldable(call.arguments[0]):
            raise NotNative(reasons.ERROR_TIMING, "IS NULL of a map built in the query")
        return of_map

    return write


fn("isnull(any?) -> boolean!", null_test("IS NULL", "false"))
fn("isnotnull(any?) -> boolean!", null_test("IS NOT NULL", "true"))


def not_a_number(call: Any, value: str) -> str:
    return f"coalesce(isnan({value}), false)"


fn("isnan(double|float?) -> boolean!", not_a_number)
