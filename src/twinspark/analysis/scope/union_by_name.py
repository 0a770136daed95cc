"""unionByName: matches the columns of two frames and their nested fields by name (ResolveUnion)."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.lambdas import lambda_of, variables
from twinspark.analysis.relations.basics import Named, passed_column, project
from twinspark.analysis.scope.frames import Attribute, Frame, alike
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, GetField, MakeStruct
from twinspark.types import ArrayType, DataType, StructField, StructType, agree, quote_identifier


def by_name(left: Frame, right: Frame, allow_missing: bool, settings: Settings) -> tuple[Frame, Frame]:
    """Orders the right side's columns like the left's, by name; with `allow_missing`, missing ones are null on either
    side."""
    for side in (left, right):
        check_names([attribute.name for attribute in side.attributes], settings)
    found = [matching_column(attribute, right, allow_missing, settings) for attribute in left.attributes]
    used = {position for position, _ in found}
    extra = [passed_column(right, a) for i, a in enumerate(right.attributes) if i not in used]
    there = project(right, [*(named for _, named in found), *extra])
    if not allow_missing:
        return left, there
    here = [matching_column(attribute, left, allow_missing, settings) for attribute in there.attributes]
    plain = not extra and all(
        named.expression == passed_column(left, a).expression
        for (_, named), a in zip(here, left.attributes, strict=True)
    )
    return left if plain else project(left, [named for _, named in here]), there


def check_names(names: Sequence[str], settings: Settings) -> None:
    spelled = names if settings.case_sensitive else [name.lower() for name in names]
    twice = sorted({name for name in spelled if spelled.count(name) > 1})
    if len(twice) > 1:
        raise NotNative(reasons.COLUMN_NAME_AMBIGUOUS, "unionByName with several duplicate column names")
    if twice:
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice[0]))


def matching_column(
    wanted: Attribute, frame: Frame, allow_missing: bool, settings: Settings
) -> tuple[int | None, Named]:
    """The column of that name with the fields of the wanted type, and its index."""
    same = alike(settings.case_sensitive)
    at = next((i for i, a in enumerate(frame.attributes) if same(a.name, wanted.name)), None)
    if at is None:
        if not allow_missing:
            raise not_among(wanted, frame)
        return None, Named(build.literal(None, wanted.type), wanted.name)
    column = passed_column(frame, frame.attributes[at])
    if structurally_equal(column.expression.type, wanted.type, settings):
        return at, column
    return at, Named(merge_fields(column.expression, wanted.type, allow_missing, settings), frame.attributes[at].name)


def not_among(wanted: Attribute, frame: Frame) -> SparkError:
    names = ", ".join(attribute.name for attribute in frame.attributes)
    return SparkError("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", colName=wanted.name, fieldNames=names)


# ---- nested fields


def structurally_equal(left: DataType, right: DataType, settings: Settings) -> bool:
    """The same field names in the same order, whatever the types (DataType.equalsStructurallyByName)."""
    return agree(left, right, lambda a, b: True, alike(settings.case_sensitive))


def merge_fields(column: Expression, target: DataType, allow_missing: bool, settings: Settings) -> Expression:
    """Matches fields of structs and of arrays of structs; for maps the union itself checks the types."""
    source = column.type
    if structurally_equal(source, target, settings):
        return column
    if isinstance(source, StructType) and isinstance(target, StructType):
        return merge_struct(column, source, target, allow_missing, settings)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        (element,) = variables([(source.elementType, source.containsNull)])
        body = merge_fields(element, target.elementType, allow_missing, settings)
        return build.call("transform", [column, lambda_of(body, [element])], settings)
    return column


def merge_struct(
    column: Expression, source: StructType, target: StructType, allow_missing: bool, settings: Settings
) -> Expression:
    """The target's fields, then those that only the source has."""
    same = alike(settings.case_sensitive)
    names = [field.name for field in target.fields]
    made = [(field.name, merge_field(column, source, field, allow_missing, settings)) for field in target.fields]
    rest = [i for i, field in enumerate(source.fields) if not any(same(field.name, name) for name in names)]
    made += [(source.fields[i].name, inner(column, source, i)) for i in rest]
    fields = [StructField(name, e.type, e.nullable, metadata_of(e, source)) for name, e in made]
    packed = MakeStruct(type=StructType(fields), nullable=False, text=column.text, values=tuple(e for _, e in made))
    if not column.nullable:
        return packed
    known = build.call("isnotnull", [column], settings)
    return build.case_when([(known, packed)], None, settings)


def merge_field(
    column: Expression, source: StructType, field: StructField, allow_missing: bool, settings: Settings
) -> Expression:
    same = alike(settings.case_sensitive)
    at = next((i for i, own in enumerate(source.fields) if same(own.name, field.name)), None)
    if at is not None:
        return merge_fields(inner(column, source, at), field.dataType, allow_missing, settings)
    if not allow_missing:
        names = ", ".join(quote_identifier(own.name) for own in source.fields)
        raise SparkError("FIELD_NOT_FOUND", fieldName=quote_identifier(field.name), fields=names)
    return build.literal(None, field.dataType)


def inner(column: Expression, source: StructType, at: int) -> GetField:
    field = source.fields[at]
    return GetField(
        child=column, ordinal=at, type=field.dataType, nullable=column.nullable or field.nullable, text=field.name
    )


def metadata_of(value: Expression, source: StructType) -> dict[str, object]:
    """A field that is passed on keeps its metadata."""
    return dict(source.fields[value.ordinal].metadata or {}) if isinstance(value, GetField) else {}
