"""Builds set operations over frames: matches columns by position or name and casts them to common types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import distinct_ids, positions
from twinspark.analysis.relations.joins import merged_plans
from twinspark.analysis.scope.frames import Attribute, Attributes, Frame, deeper
from twinspark.errors import QueryContext, SparkError
from twinspark.functions.casts.common_types import wider_type
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Column
from twinspark.plan.relations import Field, Project, Relation, SetOperation
from twinspark.types import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    has_collation,
    is_string,
    same_spelling,
    same_structure,
    same_type,
)


def set_operation(
    left: Frame, right: Frame, kind: str, all: bool, settings: Settings, context: QueryContext | None = None
) -> Frame:
    a, b = left.plain(), right.plain()
    if len(a.fields) != len(b.fields):
        raise different_widths(kind, len(a.fields), len(b.fields))
    types = [common_column(kind, i, x, y, settings) for i, (x, y) in enumerate(zip(a.fields, b.fields, strict=True))]
    a, b = widen_columns(a, types, settings, context), widen_columns(b, types, settings, context)
    fields = tuple(
        Field(x.name, common_nullability(x.type, y.type), merged_nullable(kind, x, y), x.metadata)
        for x, y in zip(a.fields, b.fields, strict=True)
    )
    relation = SetOperation(left=a, right=b, kind=kind, all=all, fields=fields)
    attributes = tuple(
        replace(old, type=field.type, nullable=field.nullable) if same_type(old.type, type) else attribute_of(field)
        for old, field, type in zip(left.attributes, fields, types, strict=True)
    )
    attributes = distinct_ids(attributes)
    return Frame(relation, attributes, positions(attributes), plans=set_plans(left, right, kind, attributes))


def attribute_of(field: Field) -> Attribute:
    return Attribute(field.name, field.type, field.nullable, field.metadata)


def set_plans(left: Frame, right: Frame, kind: str, attributes: Attributes) -> Any:
    """The result has the columns of the left side; plan ids below a union cannot be referenced."""
    return {} if kind == "union" else deeper(merged_plans(left, right), attributes)


def common_nullability(left: DataType, right: DataType) -> DataType:
    """A type with the nullability of both sides; the names of nested fields are the left side's."""
    match left, right:
        case ArrayType(), ArrayType():
            return ArrayType(
                common_nullability(left.elementType, right.elementType), left.containsNull or right.containsNull
            )
        case MapType(), MapType():
            nulls = left.valueContainsNull or right.valueContainsNull
            return MapType(
                common_nullability(left.keyType, right.keyType),
                common_nullability(left.valueType, right.valueType),
                nulls,
            )
        case StructType(), StructType():
            return StructType(list(map(merged_field, left.fields, right.fields)))
    return left


def merged_field(left: StructField, right: StructField) -> StructField:
    type = common_nullability(left.dataType, right.dataType)
    return StructField(left.name, type, left.nullable or right.nullable, left.metadata)


def merged_nullable(kind: str, x: Field, y: Field) -> bool:
    if kind == "intersect":
        return x.nullable and y.nullable
    return x.nullable if kind == "except" else x.nullable or y.nullable


def are_apart(left: DataType, right: DataType) -> bool:
    """Strings of two collations: in a set operation neither has precedence."""
    both = is_string(left) and is_string(right) and left != right
    return both and (has_collation(left) or has_collation(right))


def common_column(kind: str, index: int, x: Field, y: Field, settings: Settings) -> DataType:
    found = None if are_apart(x.type, y.type) else wider_type(x.type, y.type, settings.ansi)
    if found is None and kind == "union" and same_structure(x.type, y.type):
        return x.type
    if found is None:
        ordinals = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
        raise SparkError(
            "INCOMPATIBLE_COLUMN_TYPE",
            operator=kind.upper(),
            columnOrdinalNumber=ordinals[index] if index < 10 else f"{index + 1}th",
            tableOrdinalNumber="second",
            dataType1=type_text(y.type),
            dataType2=type_text(x.type),
            hint="",
        )
    return found


def different_widths(kind: str, first: int, second: int) -> SparkError:
    return SparkError(
        "NUM_COLUMNS_MISMATCH",
        operator=kind.upper(),
        firstNumColumns=first,
        invalidOrdinalNum="second",
        invalidNumColumns=second,
    )


def widen_columns(
    relation: Relation, types: Sequence[DataType], settings: Settings, context: QueryContext | None = None
) -> Relation:
    """Casts columns; a cast column loses its metadata, and its errors have the query context of the whole operation."""
    if all_same(relation, types):
        return relation
    casts = [
        build.implicit_cast(column, type, settings) for column, type in zip(relation.columns(), types, strict=True)
    ]
    expressions = tuple(e if isinstance(e, Column) else replace(e, origin=context) for e in casts)
    fields = tuple(
        Field(f.name, e.type, e.nullable, f.metadata if same_type(f.type, e.type) else ())
        for f, e in zip(relation.fields, expressions, strict=True)
    )
    return Project(input=relation, expressions=expressions, fields=fields)


def all_same(relation: Relation, types: Sequence[DataType]) -> bool:
    return all(same_spelling(f.type, t) for f, t in zip(relation.fields, types, strict=True))
