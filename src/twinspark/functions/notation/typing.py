"""The input and output of typing rules, and the errors that they raise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from twinspark.errors import SparkError
from twinspark.functions.notation.registry import Writer
from twinspark.functions.notation.settings import Settings
from twinspark.types import DataType, UserDefinedType, sql_name


class Argument(Protocol):
    """The part of a typed expression that a rule may use."""

    @property
    def type(self) -> DataType: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Call:
    """The call that a rule types: its arguments before any cast, and its text in column names."""

    name: str
    arguments: Sequence[Any]
    settings: Settings
    text: str
    distinct: bool = False
    ordering: Sequence[Any] = ()  # for an aggregate: WITHIN GROUP (ORDER BY …)
    tries: bool = False  # for try_add and similar: null where the operator raises

    @property
    def types(self) -> list[DataType]:
        return [argument.type for argument in self.arguments]

    @property
    def any_nullable(self) -> bool:
        return any(argument.nullable for argument in self.arguments)

    def failure(self, error: str) -> str:
        """SQL for a result that does not fit: the error, or null for a function such as try_add."""
        return "NULL" if self.tries else error


@dataclass(frozen=True)
class Typed:
    """The result of a rule: result type, the cast of each argument (None for no cast), and another writer or text if
    needed."""

    type: DataType
    nullable: bool
    casts: Sequence[DataType | None] | None = None
    writer: Writer | None = None
    text: str | None = None
    add_nullable_casts: bool = False  # the nullability of the casts counts for the result
    knows_limits: bool = False  # the writer itself checks whether the result fits, rather than DuckDB


def is_foldable(expression: Any) -> bool:
    if hasattr(expression, "value"):
        return True
    if hasattr(expression, "arguments"):
        return bool(expression.signature.deterministic) and all(map(is_foldable, expression.arguments))
    return hasattr(expression, "child") and is_foldable(expression.child)


def is_null_constant(argument: Any) -> bool:
    """Whether an argument is NULL, or NULL cast to a type."""
    plain = getattr(argument, "child", argument)
    return hasattr(plain, "value") and plain.value is None


ORDINALS = ("first", "second", "third")


def ordinal(index: int) -> str:
    return ORDINALS[index] if index < len(ORDINALS) else f"{index + 1}th"


def quote_expression(text: str) -> str:
    return f'"{text}"'


def type_text(type: DataType) -> str:
    """The type in error messages: `"ARRAY<INT>"`."""
    shown = quote_expression(sql_name(type))
    return f"UDT({shown})" if isinstance(type, UserDefinedType) else shown


def any_of(types: Sequence[DataType]) -> str:
    """The required type in error messages, where several may be accepted (TypeCollection)."""
    shown = [type_text(type) for type in types]
    return shown[0] if len(shown) == 1 else f"({' or '.join(shown)})"


def unexpected_input_type(call: Call, index: int, required: str) -> SparkError:
    argument = call.arguments[index]
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quote_expression(call.text),
        paramIndex=ordinal(index),
        inputSql=quote_expression(argument.text),
        inputType=type_text(argument.type),
        requiredType=required,
    )


def non_foldable_input(call: Call, index: int, name: str, shown_type: str = "") -> SparkError:
    """The error for an argument that must be constant; `name` is the parameter's name, `shown_type` its type after an
    implicit cast."""
    argument = call.arguments[index]
    return SparkError(
        "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
        sqlExpr=quote_expression(call.text),
        inputName=f"`{name}`",
        inputType=shown_type or type_text(argument.type),
        inputExpr=quote_expression(argument.text),
    )


def wrong_number_of_arguments(call: Call, expected: str) -> SparkError:
    return SparkError(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        functionName=f"`{call.name}`",
        expectedNum=expected,
        actualNum=len(call.arguments),
        docroot="https://spark.apache.org/docs/latest",
    )


def non_foldable_argument(function: str, name: str, type: DataType) -> SparkError:
    """The error of functions that check a constant argument while the expression is built (ExpressionBuilder)."""
    return SparkError(
        "NON_FOLDABLE_ARGUMENT", funcName=f"`{function}`", paramName=f"`{name}`", paramType=type_text(type)
    )


def value_out_of_range(call: Call, name: str, valid: str, value: object) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        sqlExpr=quote_expression(call.text),
        exprName=name,
        valueRange=valid,
        currentValue=value,
    )


def unexpected_null(call: Call, name: str) -> SparkError:
    return SparkError("DATATYPE_MISMATCH.UNEXPECTED_NULL", sqlExpr=quote_expression(call.text), exprName=name)


def different_operand_types(call: Call) -> SparkError:
    left, right = call.types
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        sqlExpr=quote_expression(call.text),
        left=type_text(left),
        right=type_text(right),
    )


def wrong_operand_type(call: Call, required: str, actual: DataType) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
        sqlExpr=quote_expression(call.text),
        inputType=required,
        actualDataType=type_text(actual),
    )


def different_data_types(call: Call, name: str) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        sqlExpr=quote_expression(call.text),
        functionName=f"`{name}`",
        dataType=listed_types(call),
    )


def listed_types(call: Call) -> str:
    """The list of types in error messages, whose format depends on the function; the condition of IF is not listed."""
    texts = [type_text(type) for type in call.types[call.name == "if" :]]
    return f"[{', '.join(texts)}]" if call.name in BRACKETED else f"({' or '.join(texts)})"


BRACKETED = frozenset({"in", "if", "greatest", "least"})
