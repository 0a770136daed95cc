"""DataFrame.to(schema): orders columns by name, casts them by ANSI store assignment, and fills in missing ones with
null."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.lambdas import lambda_of, variables
from twinspark.analysis.relations.basics import Metadata, Named, project
from twinspark.analysis.scope.frames import Frame, alike
from twinspark.analysis.scope.suggestions import suggestions
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_store
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Column, Expression, GetField, MakeStruct, Variable
from twinspark.types import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_string,
    nested_types,
    quote_identifier,
)

Path = tuple[str, ...]


def to_schema(frame: Frame, target: StructType, settings: Settings) -> Frame:
    """An identical schema adds no projection; a missing nullable column is null (Project.matchSchema)."""
    if frame.plain().schema == target:
        return frame
    sources = [Named(frame.column(a), a.name, a.metadata, a) for a in frame.attributes]
    return project(frame, [match_field(sources, field, (), settings) for field in target.fields])


def match_field(sources: Sequence[Named], field: StructField, path: Path, settings: Settings) -> Named:
    same = alike(settings.case_sensitive)
    found = [source for source in sources if same(source.name, field.name)]
    if len(found) > 1:
        raise SparkError("AMBIGUOUS_COLUMN_OR_FIELD", name=quoted_path((*path, field.name)), n=len(found))
    wanted: Metadata = tuple((field.metadata or {}).items())
    if not found:
        return missing(sources, field, path, wanted)
    source = found[0]
    made = reconcile(source.expression, (*path, source.name), field.dataType, field.nullable, settings)
    metadata = tuple({**dict(source.metadata), **dict(wanted)}.items())
    if isinstance(made, Column) and source.passes is not None:
        return Named(made, field.name, metadata, replace(source.passes, metadata=metadata))
    return Named(made, field.name, metadata)


def missing(sources: Sequence[Named], field: StructField, path: Path, metadata: Metadata) -> Named:
    if field.nullable:
        return Named(build.literal(None, field.dataType), field.name, metadata)
    names = [source.name for source in sources]
    if not path:
        proposal = suggestions([field.name], [(name,) for name in names])
        raise not_found("UNRESOLVED_COLUMN", proposal[:5], objectName=quote_identifier(field.name))
    raise not_found(
        "UNRESOLVED_FIELD",
        [quote_identifier(name) for name in names],
        fieldName=quote_identifier(field.name),
        columnPath=quoted_path(path),
    )


def not_found(condition: str, proposal: Sequence[str], **parameters: Any) -> SparkError:
    if not proposal:
        return SparkError(f"{condition}.WITHOUT_SUGGESTION", **parameters)
    return SparkError(f"{condition}.WITH_SUGGESTION", proposal=", ".join(proposal), **parameters)


def quoted_path(path: Path) -> str:
    return ".".join(map(quote_identifier, path))


def reconcile(column: Expression, path: Path, target: DataType, nullable: bool, settings: Settings) -> Expression:
    if column.nullable and not nullable:
        raise SparkError("NULLABLE_COLUMN_OR_FIELD", name=quoted_path(path))
    source = column.type
    if isinstance(source, StructType) and isinstance(target, StructType):
        return struct(column, source, target, path, settings)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return array(column, source, target, path, settings)
    if isinstance(source, MapType) and isinstance(target, MapType):
        return map_of(column, source, target, path, settings)
    if source == target:
        return column
    if not can_store(source, target):
        if any(map(is_string, nested_types(target))):
            raise NotNative(reasons.ERROR_MESSAGE, "DataFrame.to shows the collation of the client's string types")
        raise SparkError(
            "INVALID_COLUMN_OR_FIELD_DATA_TYPE",
            name=quoted_path(path),
            type=type_text(source),
            expectedType=type_text(target),
        )
    return build.cast(column, target, settings, "ansi")


def struct(column: Expression, source: StructType, target: StructType, path: Path, settings: Settings) -> Expression:
    fields = [
        Named(
            GetField(child=column, ordinal=i, type=f.dataType, nullable=f.nullable, text=f.name),
            f.name,
            tuple((f.metadata or {}).items()),
        )
        for i, f in enumerate(source.fields)
    ]
    made = [match_field(fields, field, path, settings) for field in target.fields]
    type = StructType([StructField(m.name, m.expression.type, m.expression.nullable, dict(m.metadata)) for m in made])
    packed = MakeStruct(type=type, nullable=False, text=column.text, values=tuple(m.expression for m in made))
    if not column.nullable:
        return packed
    known = build.call("isnotnull", [column], settings)
    return replace(build.case_when([(known, packed)], None, settings), type=target)


def array(column: Expression, source: ArrayType, target: ArrayType, path: Path, settings: Settings) -> Expression:
    if source.containsNull and not target.containsNull:
        raise SparkError("NOT_NULL_CONSTRAINT_VIOLATION.ARRAY_ELEMENT", columnPath=quoted_path(path))
    (element,) = variables([(source.elementType, source.containsNull)])
    body = reconcile(element, (*path, "element"), target.elementType, target.containsNull, settings)
    if body is element:
        return replace(column, type=ArrayType(source.elementType, source.containsNull))
    return build.call("transform", [column, lambda_of(body, [element])], settings)


def map_of(column: Expression, source: MapType, target: MapType, path: Path, settings: Settings) -> Expression:
    if source.valueContainsNull and not target.valueContainsNull:
        raise SparkError("NOT_NULL_CONSTRAINT_VIOLATION.MAP_VALUE", columnPath=quoted_path(path))
    if source.keyType == target.keyType and source.valueType == target.valueType:
        return column
    (key,) = variables([(source.keyType, False)])
    keys = reconcile(key, (*path, "key"), target.keyType, False, settings)
    (value,) = variables([(source.valueType, source.valueContainsNull)])
    values = reconcile(value, (*path, "value"), target.valueType, target.valueContainsNull, settings)
    parts = [
        transform_entries("map_keys", column, keys, key, settings),
        transform_entries("map_values", column, values, value, settings),
    ]
    return build.call("map_from_arrays", parts, settings)


def transform_entries(
    function: str, column: Expression, body: Expression, variable: Variable, settings: Settings
) -> Expression:
    """The keys or values of a map, transformed where they need a cast."""
    every = build.call(function, [column], settings)
    return every if body is variable else build.call("transform", [every, lambda_of(body, [variable])], settings)
