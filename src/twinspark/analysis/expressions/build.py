"""Creates expression nodes: the only module that decides their types, casts, nullability and automatic names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinspark.analysis.collations.coercion import in_one_collation
from twinspark.analysis.expressions import calls
from twinspark.analysis.expressions.casts import cast as cast
from twinspark.analysis.expressions.casts import implicit_cast as implicit_cast
from twinspark.analysis.expressions.casts import unwrap
from twinspark.analysis.expressions.literals import literal as literal
from twinspark.analysis.expressions.uniform import uniform
from twinspark.analysis.plan_limits import check_type_levels
from twinspark.errors import SparkError
from twinspark.functions.casts.common_types import common_type
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import ordinal, quote_expression, type_text
from twinspark.plan.expressions import (
    Case,
    Expression,
    GetField,
    Literal,
)
from twinspark.types import (
    BOOLEAN,
    NESTED,
    BooleanType,
    StructType,
    UserType,
    has_collation,
    is_null,
)


def call(name: str, arguments: Sequence[Expression], settings: Settings, **facts: Any) -> Expression:
    """A call by any of the function's names (calls.call), or the expression that Spark replaces it with."""
    if name.lower() == "uniform":
        return uniform(arguments, settings)
    if any(isinstance(argument.type, UserType) for argument in arguments):
        arguments = unwrap_arguments(name.lower(), arguments)
        if name.lower() == "unwrap_udt" and len(arguments) == 1:
            return calls.call("coalesce", arguments, settings, text=f"unwrap_udt({arguments[0].text})")
    made = calls.call(name, arguments, settings, **facts)
    if isinstance(made.type, NESTED):
        check_type_levels(made.type)
    return made


def unwrap_arguments(name: str, arguments: Sequence[Expression]) -> Sequence[Expression]:
    """unwrap_udt and to_pretty_string see the storage type of a user-defined type; the latter not that of JVM
    classes."""
    if name == "unwrap_udt":
        return [unwrap(argument) for argument in arguments]
    if name == "to_pretty_string":
        return [
            unwrap(argument) if isinstance(argument.type, UserType) and not argument.type.jvm_class else argument
            for argument in arguments
        ]
    return arguments


def case_when(
    branches: Sequence[tuple[Expression, Expression]], otherwise: Expression | None, settings: Settings
) -> Expression:
    values = [value for _, value in branches] + ([otherwise] if otherwise is not None else [])
    if any(has_collation(value.type) for value in values):
        values = in_one_collation(values, settings)
        branches = [(condition, value) for (condition, _), value in zip(branches, values, strict=False)]
        otherwise = values[-1] if otherwise is not None else None
    text = case_text(branches, otherwise)
    for index, (condition, _) in enumerate(branches):
        if not isinstance(condition.type, BooleanType) and not is_null(condition.type):
            raise condition_not_boolean(text, condition, 2 * index)
    found = common_type([value.type for value in values], settings.ansi)
    if found is None:
        raise SparkError(
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            sqlExpr=quote_expression(text),
            functionName="`casewhen`",
            dataType="[" + ", ".join(type_text(v.type) for v in values) + "]",
        )
    made = [implicit_cast(value, found, settings) for value in values]
    pairs = tuple(
        (implicit_cast(condition, BOOLEAN, settings), value)
        for (condition, _), value in zip(branches, made, strict=False)
    )
    last = made[-1] if otherwise is not None else None
    return Case(type=found, nullable=case_nullable(pairs, last), text=text, branches=pairs, otherwise=last)


def case_nullable(branches: Sequence[tuple[Expression, Expression]], otherwise: Expression | None) -> bool:
    """Branches after a literal TRUE do not count (CaseWhen.nullable)."""
    reached = []
    for condition, value in branches:
        reached.append(value)
        if isinstance(condition, Literal) and condition.value is True:
            return any(each.nullable for each in reached)
    return otherwise is None or any(each.nullable for each in (*reached, otherwise))


def condition_not_boolean(text: str, condition: Expression, index: int) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quote_expression(text),
        paramIndex=ordinal(index),
        inputSql=quote_expression(condition.text),
        inputType=type_text(condition.type),
        requiredType='"BOOLEAN"',
    )


def case_text(branches: Sequence[tuple[Expression, Expression]], otherwise: Expression | None) -> str:
    parts = [f"WHEN {condition.text} THEN {value.text}" for condition, value in branches]
    return " ".join(["CASE", *parts, *([f"ELSE {otherwise.text}"] if otherwise is not None else []), "END"])


def get_field(child: Expression, name: str, settings: Settings) -> Expression:
    """A field of a struct, by name."""
    assert isinstance(child.type, StructType)
    found = [
        i
        for i, field in enumerate(child.type.fields)
        if field.name == name or (not settings.case_sensitive and field.name.lower() == name.lower())
    ]
    if not found:
        names = ", ".join(f"`{field.name}`" for field in child.type.fields)
        raise SparkError("FIELD_NOT_FOUND", fieldName=f"`{name}`", fields=names)
    if len(found) > 1:
        raise SparkError("AMBIGUOUS_REFERENCE_TO_FIELDS", field=f"`{name}`", count=len(found))
    return field_at(child, found[0], name)


def field_at(child: Expression, ordinal: int, name: str) -> Expression:
    """A field of a struct, by its position; `name` is how the automatic column name spells it."""
    assert isinstance(child.type, StructType)
    field = child.type.fields[ordinal]
    nullable = child.nullable or field.nullable
    return GetField(child=child, ordinal=ordinal, type=field.dataType, nullable=nullable, text=f"{child.text}.{name}")
