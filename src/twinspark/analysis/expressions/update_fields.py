"""Builds structs with fields added, replaced or dropped (Column.withField, Column.dropFields)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import alike
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Call, Case, Expression, GetField, MakeStruct
from twinspark.plan.rewrite import walk
from twinspark.types import StructField, StructType


@dataclass(frozen=True)
class FieldUpdate:
    """One update: the field's path and its new value; without a value the field is dropped."""

    path: tuple[str, ...]
    value: Expression | None


Fields = list[tuple[StructField, Expression]]


def update_fields(child: Expression, updates: Sequence[FieldUpdate], settings: Settings) -> Expression:
    """Consecutive updates are one expression: each sees the result of the previous ones (OptimizeUpdateFields)."""
    if any(isinstance(node, Call) and not node.signature.deterministic for node in walk(child)):
        raise NotNative(
            reasons.NONDETERMINISTIC, "withField or dropFields on a struct that a nondeterministic expression computes"
        )
    if not isinstance(child.type, StructType):
        raise no_struct(child, [update_text(each.path, each.value, child.text) for each in updates])
    fields = existing(child)
    texts: list[str] = []
    made = child
    for update in updates:
        value, text = new_value(made, update, settings)
        texts.append(text)
        fields = update_field(fields, update.path[0], value, settings)
        made = struct_of(child, fields, texts)
    return made


def existing(child: Expression) -> Fields:
    assert isinstance(child.type, StructType)
    return [
        (f, GetField(child=child, ordinal=i, type=f.dataType, nullable=child.nullable or f.nullable))
        for i, f in enumerate(child.type.fields)
    ]


def new_value(child: Expression, update: FieldUpdate, settings: Settings) -> tuple[Expression | None, str]:
    """The field's new value, and the update's text; a longer path updates a nested struct."""
    if len(update.path) == 1:
        return update.value, update_text(update.path, update.value, "")
    inner = build.get_field(child, update.path[0], settings)
    value = update_fields(inner, [FieldUpdate(update.path[1:], update.value)], settings)
    return value, f"WithField({value.text})"


def update_text(path: tuple[str, ...], value: Expression | None, child: str) -> str:
    if len(path) > 1:
        inner = f"{child}.{path[0]}"
        return f"WithField(update_fields({inner}, {update_text(path[1:], value, inner)}))"
    return "dropfield()" if value is None else f"WithField({value.text})"


def update_field(fields: Fields, name: str, value: Expression | None, settings: Settings) -> Fields:
    same = alike(settings.case_sensitive)
    if value is None:
        return [each for each in fields if not same(each[0].name, name)]
    new = (StructField(name, value.type, value.nullable), value)
    out = [new if same(each[0].name, name) else each for each in fields]
    return out if any(each is new for each in out) else [*out, new]


def struct_of(child: Expression, fields: Fields, texts: Sequence[str]) -> Expression:
    text = f"update_fields({child.text}, {', '.join(texts)})"
    if not fields:
        raise SparkError("DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS", sqlExpr=quote_expression(text))
    type = StructType([field for field, _ in fields])
    made = MakeStruct(type=type, nullable=False, text=text, values=tuple(value for _, value in fields))
    if not child.nullable:
        return made
    present = build.call("isnotnull", [child], Settings())
    return Case(type=type, nullable=True, text=text, branches=((present, made),), otherwise=None)


def no_struct(child: Expression, texts: Sequence[str]) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quote_expression(f"update_fields({child.text}, {', '.join(texts)})"),
        paramIndex="first",
        requiredType='"STRUCT"',
        inputSql=quote_expression(child.text),
        inputType=type_text(child.type),
    )
