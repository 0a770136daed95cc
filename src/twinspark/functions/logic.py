"""AND, OR, NOT and the tests for null and NaN."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.common_types import tightest_common_type
from twinspark.functions.elements import is_foldable
from twinspark.functions.operands import (
    operand_types,
    refused_operands,
)
from twinspark.functions.registry import fn
from twinspark.functions.typing import (
    Call,
    Typed,
)
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
        raise refused_operands(call, left, right, '"BOOLEAN"')
    return Typed(BOOLEAN, False, (BOOLEAN, BOOLEAN), add_nullable_casts=True)


fn("and(any, any)", "({0} AND {1})", rule=logical)
fn("or(any, any)", "({0} OR {1})", rule=logical)
fn("not(boolean) -> boolean", "(NOT {0})", "!")


MADE = {"array", "struct", "named_struct", "coalesce"}


def is_computed(argument: Any) -> bool:
    """Whether something inside may fail, more than taking what columns hold."""
    if is_foldable(argument):
        return False
    if getattr(argument, "name", "") in MADE:
        return any(map(is_computed, argument.arguments))
    return hasattr(argument, "arguments") or hasattr(argument, "child")


def null_test(words: str, of_map: str) -> Any:
    """A map is never null, and Spark does not make it to find out: its keys may be wrong. Nor does DuckDB make an
    array to find out, which Spark may do, and fail."""

    def write(call: Any, value: str) -> str:
        made = call.arguments[0]
        if call.settings.ansi and not made.nullable and getattr(made, "name", "") in MADE and is_computed(made):
            raise NotNative("whether what is made in place, and may fail, is null")
        if getattr(call.arguments[0], "name", "") != "map":
            return f"({value} {words})"
        if not is_foldable(call.arguments[0]):
            raise NotNative("whether a map made in place is null")
        return of_map

    return write


fn("isnull(any?) -> boolean!", null_test("IS NULL", "false"))
fn("isnotnull(any?) -> boolean!", null_test("IS NOT NULL", "true"))


def not_a_number(call: Any, value: str) -> str:
    return f"coalesce(isnan({value}), false)"


fn("isnan(double|float?) -> boolean!", not_a_number)
