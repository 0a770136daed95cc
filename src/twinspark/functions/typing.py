"""What a Python typing rule sees and says, and the errors that rules raise in Spark's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from twinspark.errors import SparkError
from twinspark.functions.registry import Writer
from twinspark.functions.settings import Settings
from twinspark.types import DataType, UserDefinedType, sql_name


class Argument(Protocol):
    """A typed expression, as far as a rule may look."""

    @property
    def type(self) -> DataType: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Call:
    """The call a rule types: its arguments before any cast, and the text Spark would show for it."""

    name: str
    arguments: Sequence[Any]
    settings: Settings
    text: str
    distinct: bool = False
    ordering: Sequence[Any] = ()  # of an aggregate: WITHIN GROUP (ORDER BY …)

    @property
    def types(self) -> list[DataType]:
        return [argument.type for argument in self.arguments]

    @property
    def any_nullable(self) -> bool:
        return any(argument.nullable for argument in self.arguments)


@dataclass(frozen=True)
class Typed:
    """A rule's answer: the result, what each argument is cast to (None: nothing), another right half or text."""

    type: DataType
    nullable: bool
    casts: Sequence[DataType | None] | None = None
    writer: Writer | None = None
    text: str | None = None
    add_nullable_casts: bool = False  # the casts' own nullability counts for the result


ORDINALS = ("first", "second", "third")


def ordinal(index: int) -> str:
    return ORDINALS[index] if index < len(ORDINALS) else f"{index + 1}th"


def quoted(text: str) -> str:
    return f'"{text}"'


def type_text(type: DataType) -> str:
    """A type as error messages show it: `"ARRAY<INT>"`."""
    shown = quoted(sql_name(type))
    return f"UDT({shown})" if isinstance(type, UserDefinedType) else shown


def unexpected_input_type(call: Call, index: int, required: str) -> SparkError:
    argument = call.arguments[index]
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quoted(call.text),
        paramIndex=ordinal(index),
        inputSql=quoted(argument.text),
        inputType=type_text(argument.type),
        requiredType=required,
    )


def different_operand_types(call: Call) -> SparkError:
    left, right = call.types
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        sqlExpr=quoted(call.text),
        left=type_text(left),
        right=type_text(right),
    )


def wrong_operand_type(call: Call, required: str, actual: DataType) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
        sqlExpr=quoted(call.text),
        inputType=required,
        actualDataType=type_text(actual),
    )


def different_data_types(call: Call, name: str) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        sqlExpr=quoted(call.text),
        functionName=f"`{name}`",
        dataType=listed_types(call),
    )


def listed_types(call: Call) -> str:
    """Two ways to list types, depending on the function; the condition of IF is not among them."""
    texts = [type_text(type) for type in call.types[call.name == "if" :]]
    return f"[{', '.join(texts)}]" if call.name in BRACKETED else f"({' or '.join(texts)})"


BRACKETED = frozenset({"in", "if", "greatest", "least"})
