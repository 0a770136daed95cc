"""unionByName: the columns of two frames, and the fields inside, brought to each other by name (ResolveUnion)."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis import build
from twinspark.analysis.lambdas import lambda_of, variables
from twinspark.analysis.relations import Named, passing, project
from twinspark.analysis.scope import Attribute, Frame, alike
from twinspark.errors import NotNative, SparkError
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression, GetField, MakeStruct
from twinspark.types import ArrayType, DataType, MapType, StructField, StructType, quote_identifier


def by_name(left: Frame, right: Frame, allow_missing: bool, settings: Settings) -> tuple[Frame, Frame]:
    """The right side's columns put in the left's order by name; missing ones null-filled on either side."""
    for side in (left, right):
        check_names([attribute.name for attribute in side.attributes], settings)
    found = [brought(attribute, right, allow_missing, settings) for attribute in left.attributes]
    used = {position for position, _ in found}
    extra = [passing(right, a) for i, a in enumerate(right.attributes) if i not in used]
    there = project(right, [*(named for _, named in found), *extra])
    if not allow_missing:
        return left, there
    here = [brought(attribute, left, allow_missing, settings) for attribute in there.attributes]
    plain = not extra and all(
        named.expression == passing(left, a).expression for (_, named), a in zip(here, left.attributes, strict=True)
    )
    return left if plain else project(left, [named for _, named in here]), there


def check_names(names: Sequence[str], settings: Settings) -> None:
    spelled = names if settings.case_sensitive else [name.lower() for name in names]
    twice = sorted({name for name in spelled if spelled.count(name) > 1})
    if len(twice) > 1:
        raise NotNative("unionByName with several names that are there twice")
    if twice:
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice[0]))


def brought(wanted: Attribute, frame: Frame, allow_missing: bool, settings: Settings) -> tuple[int | None, Named]:
    """The column of that name with the fields of the wanted type, and where it stood."""
    same = alike(settings.case_sensitive)
    at = next((i for i, a in enumerate(frame.attributes) if same(a.name, wanted.name)), None)
    if at is None:
        if not allow_missing:
            raise not_among(wanted, frame)
        return None, Named(build.literal(None, wanted.type), wanted.name)
    column = passing(frame, frame.attributes[at])
    if structurally_equal(column.expression.type, wanted.type, settings):
        return at, column
    return at, Named(merged(column.expression, wanted.type, allow_missing, settings), frame.attributes[at].name)


def not_among(wanted: Attribute, frame: Frame) -> SparkError:
    names = ", ".join(attribute.name for attribute in frame.attributes)
    return SparkError("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", colName=wanted.name, fieldNames=names)


# ---- inside


def structurally_equal(left: DataType, right: DataType, settings: Settings) -> bool:
    """The same names at the same places, whatever the types (DataType.equalsStructurallyByName)."""
    match left, right:
        case ArrayType(), ArrayType():
            return structurally_equal(left.elementType, right.elementType, settings)
        case MapType(), MapType():
            return structurally_equal(left.keyType, right.keyType, settings) and structurally_equal(
                left.valueType, right.valueType, settings
            )
        case StructType(), StructType():
            same = alike(settings.case_sensitive)
            return len(left.fields) == len(right.fields) and all(
                same(a.name, b.name) and structurally_equal(a.dataType, b.dataType, settings)
                for a, b in zip(left.fields, right.fields, strict=True)
            )
    return True


def merged(column: Expression, target: DataType, allow_missing: bool, settings: Settings) -> Expression:
    """Structs and arrays of them; of maps the union itself tells whether they fit."""
    source = column.type
    if structurally_equal(source, target, settings):
        return column
    if isinstance(source, StructType) and isinstance(target, StructType):
        return merged_struct(column, source, target, allow_missing, settings)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        (element,) = variables([(source.elementType, source.containsNull)])
        body = merged(element, target.elementType, allow_missing, settings)
        return build.call("transform", [column, lambda_of(body, [element])], settings)
    return column


def merged_struct(
    column: Expression, source: StructType, target: StructType, allow_missing: bool, settings: Settings
) -> Expression:
    """The target's fields, then those that only the source has."""
    same = alike(settings.case_sensitive)
    names = [field.name for field in target.fields]
    made = [(field.name, merged_field(column, source, field, allow_missing, settings)) for field in target.fields]
    rest = [i for i, field in enumerate(source.fields) if not any(same(field.name, name) for name in names)]
    made += [(source.fields[i].name, inner(column, source, i)) for i in rest]
    fields = [StructField(name, e.type, e.nullable, metadata_of(e, source)) for name, e in made]
    packed = MakeStruct(type=StructType(fields), nullable=False, text=column.text, values=tuple(e for _, e in made))
    if not column.nullable:
        return packed
    known = build.call("isnotnull", [column], settings)
    return build.case_when([(known, packed)], None, settings)


def merged_field(
    column: Expression, source: StructType, field: StructField, allow_missing: bool, settings: Settings
) -> Expression:
    same = alike(settings.case_sensitive)
    at = next((i for i, own in enumerate(source.fields) if same(own.name, field.name)), None)
    if at is not None:
        return merged(inner(column, source, at), field.dataType, allow_missing, settings)
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
    """A field that is passed on keeps what is known of it."""
    return dict(source.fields[value.ordinal].metadata or {}) if isinstance(value, GetField) else {}
