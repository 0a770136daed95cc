"""raise_error and assert_true."""

from __future__ import annotations

from typing import Any

from twinspark.functions.notation.error_sql import error_with
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.types import BOOLEAN, NULL, STRING, BooleanType, is_null
from twinspark.types.duckdb import duck_text

CONDITION = "USER_RAISED_EXCEPTION"


def raised_type(call: Call) -> Typed:
    (message,) = call.arguments
    return Typed(NULL, True, (STRING,), text=f"raise_error({CONDITION}, map(errorMessage, {message.text}))")


def write_raise_error(call: Any, message: str) -> str:
    return error_with(CONDITION, errorMessage=message)


fn("raise_error(string)", write_raise_error, rule=raised_type, deterministic=False)


def asserted_type(call: Call) -> Typed:
    condition = call.arguments[0]
    if not isinstance(condition.type, BooleanType) and not is_null(condition.type):
        raise unexpected_input_type(call, 0, '"BOOLEAN"')
    if len(call.arguments) > 1:
        return Typed(NULL, True, (BOOLEAN, STRING))
    return Typed(NULL, True, (BOOLEAN,), text=f"assert_true({condition.text}, {not_true(condition)})")


def not_true(condition: Any) -> str:
    return f"'{condition.text}' is not true!"


def write_assert_true(call: Any, condition: str, *message: str) -> str:
    """Raises unless the condition is true; null is not true."""
    text = message[0] if message else duck_text(not_true(call.arguments[0]))
    return f"(CASE WHEN {condition} THEN NULL ELSE {error_with(CONDITION, errorMessage=text)} END)"


fn("assert_true(any)", write_assert_true, rule=asserted_type, deterministic=False)
fn("assert_true(any, string)", write_assert_true, rule=asserted_type, deterministic=False)
