"""`* EXCEPT (a, s.f)`: columns that are left out, and fields that are left out of structs, at any depth."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.names import Scope, resolve
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import alike
from twinspark.analysis.structs import struct_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Column, Expression, GetField
from twinspark.types import StructType

Path = tuple[int, ...]  # a column's place in the list, then the places of fields inside of it


def without(columns: Sequence[Named], paths: Sequence[Path], settings: Settings) -> list[Named]:
    if any(a[: len(b)] == b for i, a in enumerate(paths) for j, b in enumerate(paths) if i != j):
        raise NotNative("SQL: EXCEPT of a name inside of another one")
    made = [trimmed(one, [p[1:] for p in paths if p[0] == i], settings) for i, one in enumerate(columns)]
    return [one for one in made if one is not None]


def trimmed(column: Named, paths: Sequence[Path], settings: Settings) -> Named | None:
    """A struct is made anew of the fields that stay, and so is never null."""
    if not paths:
        return column
    if () in paths:
        return None
    fields = without(fields_of(column.expression), paths, settings)
    if not fields:
        raise NotNative("SQL: EXCEPT of all fields of a struct")
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
    """Of a name as any other: with its table, or with fields after it."""
    try:
        found = resolve(scope, tuple(parts)).expression
    except SparkError as error:
        raise NotNative("SQL: EXCEPT of a name that is not there", nearest=error) from error
    ordinals: Path = ()
    while isinstance(found, GetField):
        ordinals, found = (found.ordinal, *ordinals), found.child
    places = [i for i, one in enumerate(columns) if isinstance(found, Column) and one.expression == found]
    if len(places) != 1:
        raise NotNative("SQL: EXCEPT of a name that is not there")
    return places[0], *ordinals


def path_in_struct(parts: Sequence[str], type: StructType, case_sensitive: bool) -> Path:
    """Of a name that begins with one of the struct's fields."""
    same = alike(case_sensitive)
    places = [i for i, name in enumerate(type.names) if same(name, parts[0])]
    if len(places) != 1:
        raise NotNative("SQL: EXCEPT of a name that is not there")
    inner = type.fields[places[0]].dataType
    if len(parts) == 1:
        return (places[0],)
    if not isinstance(inner, StructType):
        raise NotNative("SQL: EXCEPT of a field of what is no struct")
    return places[0], *path_in_struct(parts[1:], inner, case_sensitive)
