"""`* EXCEPT (a, s.f)`: removes columns, and fields of structs at any depth."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.expressions.structs import struct_of
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import alike
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Column, Expression, GetField
from twinspark.types import StructType

Path = tuple[int, ...]  # the index of a column in the list, then the indexes of nested fields


def without(columns: Sequence[Named], paths: Sequence[Path], settings: Settings) -> list[Named]:
    if any(a[: len(b)] == b for i, a in enumerate(paths) for j, b in enumerate(paths) if i != j):
        raise NotNative(reasons.STAR, "EXCEPT with a name inside another one")
    made = [without_fields(one, [p[1:] for p in paths if p[0] == i], settings) for i, one in enumerate(columns)]
    return [one for one in made if one is not None]


def without_fields(column: Named, paths: Sequence[Path], settings: Settings) -> Named | None:
    """A struct is rebuilt from the remaining fields, and so is never null."""
    if not paths:
        return column
    if () in paths:
        return None
    fields = without(fields_of(column.expression), paths, settings)
    if not fields:
        raise NotNative(reasons.STAR, "EXCEPT with all fields of a struct")
    return Named(struct_of(fields, settings), column.name)


def fields_of(struct: Expression) -> list[Named]:
    assert isinstance(struct.type, StructType)
    return [
        Named(
            GetField(
                child=struct,
                ordinal=i,
                type=field.dataType,
                nullable=struct.nullable or field.nullable,
                text=f"{struct.text}.{field.name}",
            ),
            field.name,
        )
        for i, field in enumerate(struct.type.fields)
    ]


def path_in_frame(parts: Sequence[str], columns: Sequence[Named], scope: Scope) -> Path:
    """Resolves a name that may have a table qualifier and nested fields."""
    try:
        found = resolve(scope, tuple(parts)).expression
    except SparkError as error:
        raise NotNative(reasons.ERROR_MESSAGE, "EXCEPT with a name that does not exist", likely_error=error) from error
    ordinals: Path = ()
    while isinstance(found, GetField):
        ordinals, found = (found.ordinal, *ordinals), found.child
    indexes = [i for i, one in enumerate(columns) if isinstance(found, Column) and one.expression == found]
    if len(indexes) != 1:
        raise NotNative(reasons.ERROR_MESSAGE, "EXCEPT with a name that does not exist")
    return indexes[0], *ordinals


def path_in_struct(parts: Sequence[str], type: StructType, case_sensitive: bool) -> Path:
    """Resolves a name that begins with one of the struct's fields."""
    same = alike(case_sensitive)
    indexes = [i for i, name in enumerate(type.names) if same(name, parts[0])]
    if len(indexes) != 1:
        raise NotNative(reasons.ERROR_MESSAGE, "EXCEPT with a name that does not exist")
    inner = type.fields[indexes[0]].dataType
    if len(parts) == 1:
        return (indexes[0],)
    if not isinstance(inner, StructType):
        raise NotNative(reasons.ERROR_MESSAGE, "EXCEPT with a field of a value that is not a struct")
    return indexes[0], *path_in_struct(parts[1:], inner, case_sensitive)
