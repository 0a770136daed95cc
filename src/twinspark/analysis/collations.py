"""Which collation a call's strings take, after Spark's CollationTypeCoercion: explicit ones win over those of columns,
and those over constants'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from twinspark.analysis.casts import implicit_cast
from twinspark.errors import NotNative, SparkError
from twinspark.functions.collations import INDETERMINATE, collated
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted, type_text
from twinspark.plan.expressions import Call as CallNode
from twinspark.plan.expressions import (
    Cast,
    Column,
    Expression,
    GetField,
    Literal,
    OuterColumn,
    Subquery,
    Variable,
    WindowCall,
    children_of,
    with_text,
)
from twinspark.types import (
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructType,
    has_collation,
    has_inner,
    is_collated,
    sql_name,
)


class Strength(IntEnum):
    EXPLICIT = 0
    INDETERMINATE = 1
    IMPLICIT = 2
    DEFAULT = 3


@dataclass(frozen=True)
class Context:
    """What an expression says about the collation of its strings."""

    collation: str
    strength: Strength


NAMED = Column | OuterColumn | Variable | Subquery | GetField


def has_strings(type: DataType) -> bool:
    return has_inner(type, StringType)


def context_of(expression: Expression) -> Context | None:
    """None for what has no strings (CollationTypeCoercion.findCollationContext)."""
    if not has_strings(expression.type):
        return None
    if isinstance(expression, CallNode) and expression.name == "collate":
        return Context(collation_of(expression.type), Strength.EXPLICIT)
    if isinstance(expression, Cast):
        strength = Strength.IMPLICIT if has_strings(expression.child.type) else Strength.DEFAULT
        return Context(collation_of(expression.type), strength)
    if isinstance(expression, Literal):
        return Context(collation_of(expression.type), Strength.DEFAULT)
    if isinstance(expression, NAMED):
        return Context(collation_of(expression.type), Strength.IMPLICIT)
    return context_of_parts(expression)


def context_of_parts(expression: Expression) -> Context | None:
    """Where no part has strings, they are the expression's own."""
    if isinstance(expression, WindowCall):
        return context_of(expression.function)
    found = [context for part in children_of(expression) if (context := context_of(part)) is not None]
    return winner(found) if found else Context(collation_of(expression.type), Strength.DEFAULT)


def collation_of(type: DataType) -> str:
    """Of a string or an array of them; parts of structs and maps have collations of their own, which Spark weighs
    one by one."""
    while isinstance(type, ArrayType):
        type = type.elementType
    if isinstance(type, StructType | MapType):
        raise NotNative("the collation of structs and maps among other strings")
    return str(type.collation) if isinstance(type, StringType) else ""


def winner(contexts: Sequence[Context]) -> Context:
    found = contexts[0]
    for context in contexts[1:]:
        found = stronger(found, context)
    return found


def stronger(left: Context, right: Context) -> Context:
    if left.strength != right.strength:
        return min(left, right, key=lambda context: context.strength)
    if left.collation == right.collation:
        return left
    if left.strength == Strength.EXPLICIT:
        raise explicit_mismatch(left, right)
    return Context(INDETERMINATE, Strength.INDETERMINATE)


def explicit_mismatch(*contexts: Context) -> SparkError:
    shown = [f'"STRING COLLATE {context.collation}"' for context in contexts]
    refused = SparkError("COLLATION_MISMATCH.EXPLICIT", explicitTypes=", ".join(shown))
    refused.has_place = False  # QueryCompilationErrors.explicitCollationMismatchError
    return refused


def common_collation(values: Sequence[Expression]) -> Context | None:
    """None where there is nothing to settle."""
    strings = [value for value in values if has_strings(value.type)]
    if not any(has_collation(value.type) for value in strings):
        return None
    contexts = [context_of(value) for value in strings]
    return winner([context for context in contexts if context is not None])


def in_one_collation(values: Sequence[Expression], settings: Settings) -> list[Expression]:
    """The values of one expression, their strings of one collation."""
    if all(value.type == values[0].type for value in values) and not isinstance(values[0].type, StringType):
        return list(values)
    found = common_collation(values)
    if found is None:
        return list(values)
    if found.strength == Strength.INDETERMINATE:
        raise NotNative("strings of no certain collation")
    return [recollated(value, found.collation, settings) for value in values]


def indeterminate(text: str) -> SparkError:
    if "outer(" in text:
        raise NotNative("a column of an outer query, which Spark shows with its qualifier")
    return SparkError("INDETERMINATE_COLLATION_IN_EXPRESSION", expr=quoted(text))


def recollated(value: Expression, collation: str, settings: Settings) -> Expression:
    """Constants and casts take the collation themselves, and show it (CollationTypeCoercion.changeType)."""
    type = collated(value.type, collation)
    if type == value.type or not has_strings(value.type):
        return value
    if isinstance(value, Literal):
        return with_text(replace(value, type=type), literal_text(value, type))
    if isinstance(value, Cast):
        shown = value.text.replace(f" AS {sql_name(value.type)})", f" AS {sql_name(type)})")
        return with_text(replace(value, type=type), shown)
    return implicit_cast(value, type, settings)


def literal_text(value: Literal, type: DataType) -> str:
    """Only of constants of UTF8_BINARY do automatic names leave out the quotes."""
    if not isinstance(value.value, str) or not is_collated(type):
        return value.text if not isinstance(value.value, str) else value.value
    escaped = value.value.replace("\\", "\\\\").replace("'", "\\'")
    assert isinstance(type, StringType)
    return f"'{escaped}' collate {type.collation}"


def unexpected_collation(text: str, place: str, value: Expression) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quoted(text),
        paramIndex=place,
        inputSql=quoted(value.text),
        inputType=type_text(value.type),
        requiredType='"STRING"',
    )
