"""Which collation the strings of a call take (Spark's CollationTypeCoercion): explicit collations win over those of
columns, and these over those of constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from twinspark.analysis.expressions.casts import implicit_cast
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.functions.strings.collations import INDETERMINATE, collated_type
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
class CollationContext:
    """The collation of an expression's strings and how it came about."""

    collation: str
    strength: Strength


NAMED = Column | OuterColumn | Variable | Subquery | GetField


def has_strings(type: DataType) -> bool:
    return has_inner(type, StringType)


def context_of(expression: Expression) -> CollationContext | None:
    """None for expressions without strings (CollationTypeCoercion.findCollationContext)."""
    if not has_strings(expression.type):
        return None
    if isinstance(expression, CallNode) and expression.name == "collate":
        return CollationContext(collation_of(expression.type), Strength.EXPLICIT)
    if isinstance(expression, Cast):
        strength = Strength.IMPLICIT if has_strings(expression.child.type) else Strength.DEFAULT
        return CollationContext(collation_of(expression.type), strength)
    if isinstance(expression, Literal):
        return CollationContext(collation_of(expression.type), Strength.DEFAULT)
    if isinstance(expression, NAMED):
        return CollationContext(collation_of(expression.type), Strength.IMPLICIT)
    return context_of_children(expression)


def context_of_children(expression: Expression) -> CollationContext | None:
    """The strongest context of the children; if none has strings, the expression's own."""
    if isinstance(expression, WindowCall):
        return context_of(expression.function)
    found = [context for part in children_of(expression) if (context := context_of(part)) is not None]
    return winner(found) if found else CollationContext(collation_of(expression.type), Strength.DEFAULT)


def collation_of(type: DataType) -> str:
    """The collation of a string or of an array of strings; fields of structs and maps have collations of their own,
    which Spark compares one by one."""
    while isinstance(type, ArrayType):
        type = type.elementType
    if isinstance(type, StructType | MapType):
        raise NotNative(reasons.COLLATION_CONFLICT, "structs or maps beside strings with another collation")
    return str(type.collation) if isinstance(type, StringType) else ""


def winner(contexts: Sequence[CollationContext]) -> CollationContext:
    found = contexts[0]
    for context in contexts[1:]:
        found = stronger(found, context)
    return found


def stronger(left: CollationContext, right: CollationContext) -> CollationContext:
    if left.strength != right.strength:
        return min(left, right, key=lambda context: context.strength)
    if left.collation == right.collation:
        return left
    if left.strength == Strength.EXPLICIT:
        raise explicit_mismatch(left, right)
    return CollationContext(INDETERMINATE, Strength.INDETERMINATE)


def explicit_mismatch(*contexts: CollationContext) -> SparkError:
    shown = [f'"STRING COLLATE {context.collation}"' for context in contexts]
    error = SparkError("COLLATION_MISMATCH.EXPLICIT", explicitTypes=", ".join(shown))
    error.has_query_context = False  # QueryCompilationErrors.explicitCollationMismatchError has no query context
    return error


def common_collation(values: Sequence[Expression]) -> CollationContext | None:
    """None if there are no two collations to resolve."""
    strings = [value for value in values if has_strings(value.type)]
    if not any(has_collation(value.type) for value in strings):
        return None
    contexts = [context_of(value) for value in strings]
    return winner([context for context in contexts if context is not None])


def in_one_collation(values: Sequence[Expression], settings: Settings) -> list[Expression]:
    """The arguments of one expression with all strings cast to one collation."""
    if all(value.type == values[0].type for value in values) and not isinstance(values[0].type, StringType):
        return list(values)
    found = common_collation(values)
    if found is None:
        return list(values)
    if found.strength == Strength.INDETERMINATE:
        raise NotNative(reasons.COLLATION_CONFLICT)
    return [with_collation(value, found.collation, settings) for value in values]


def indeterminate(text: str) -> SparkError:
    if "outer(" in text:
        raise NotNative(
            reasons.ERROR_MESSAGE, "it names a column of an outer query, which Spark shows with its qualifier"
        )
    return SparkError("INDETERMINATE_COLLATION_IN_EXPRESSION", expr=quote_expression(text))


def with_collation(value: Expression, collation: str, settings: Settings) -> Expression:
    """Literals and casts get the collation themselves and show it in their text (CollationTypeCoercion.changeType)."""
    type = collated_type(value.type, collation)
    if type == value.type or not has_strings(value.type):
        return value
    if isinstance(value, Literal):
        return with_text(replace(value, type=type), literal_text(value, type))
    if isinstance(value, Cast):
        shown = value.text.replace(f" AS {sql_name(value.type)})", f" AS {sql_name(type)})")
        return with_text(replace(value, type=type), shown)
    return implicit_cast(value, type, settings)


def literal_text(value: Literal, type: DataType) -> str:
    """Automatic names omit the quotes only for literals of collation UTF8_BINARY."""
    if not isinstance(value.value, str) or not is_collated(type):
        return value.text if not isinstance(value.value, str) else value.value
    escaped = value.value.replace("\\", "\\\\").replace("'", "\\'")
    assert isinstance(type, StringType)
    return f"'{escaped}' collate {type.collation}"


def unexpected_collation(text: str, index: str, value: Expression) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quote_expression(text),
        paramIndex=index,
        inputSql=quote_expression(value.text),
        inputType=type_text(value.type),
        requiredType='"STRING"',
    )
