"""Walks through nested types: one fold over arrays, maps and structs, and the tests and rewrites built on it."""

from collections.abc import Callable, Iterable, Sequence
from operator import eq
from typing import Any, TypeVar

from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimeType,
    UserDefinedType,
    VarcharType,
    VariantType,
)

from twinspark.types.values import GEOSPATIAL, OPAQUE, is_collated

NESTED = (ArrayType, MapType, StructType)
Result = TypeVar("Result")


# ---- the fold


def inner_types(type: DataType) -> list[DataType]:
    """The element type of an array, the key and value types of a map, the field types of a struct, else nothing."""
    if isinstance(type, ArrayType):
        return [type.elementType]
    if isinstance(type, MapType):
        return [type.keyType, type.valueType]
    return [field.dataType for field in type.fields] if isinstance(type, StructType) else []


def with_inner_types(type: DataType, inner: Sequence[DataType]) -> DataType:
    """The same array, map or struct with other inner types; names, metadata and nullability do not change."""
    if isinstance(type, ArrayType):
        return ArrayType(inner[0], type.containsNull)
    if isinstance(type, MapType):
        return MapType(inner[0], inner[1], type.valueContainsNull)
    if isinstance(type, StructType):
        pairs = zip(type.fields, inner, strict=True)
        return StructType([StructField(f.name, each, f.nullable, f.metadata) for f, each in pairs])
    return type


def fold_type(type: DataType, make: Callable[[DataType, list[Result]], Result]) -> Result:
    """Calls `make` from the leaves up, with each type and the results for the types directly inside it."""
    return make(type, [fold_type(inner, make) for inner in inner_types(type)])


def rewrite_leaves(type: DataType, rewrite: Callable[[DataType], DataType]) -> DataType:
    """The type with every atomic type inside it rewritten."""
    if not isinstance(type, NESTED):
        return rewrite(type)
    return with_inner_types(type, [rewrite_leaves(inner, rewrite) for inner in inner_types(type)])


def nested_types(type: DataType) -> Iterable[DataType]:
    """The type itself and every type inside it."""
    yield type
    if isinstance(type, NESTED):
        for inner in inner_types(type):
            yield from nested_types(inner)


def agree(
    left: DataType,
    right: DataType,
    leaves: Callable[[DataType, DataType], bool],
    names: Callable[[str, str], bool] = lambda left, right: True,
) -> bool:
    """Whether both types have the same structure, and `names` holds for field names and `leaves` for atomic types."""
    if not isinstance(left, NESTED) or left.__class__ is not right.__class__:
        return leaves(left, right)
    if isinstance(left, StructType) and isinstance(right, StructType):
        pairs = list(zip(left.fields, right.fields, strict=False))
        return len(left.fields) == len(right.fields) and all(
            names(a.name, b.name) and agree(a.dataType, b.dataType, leaves, names) for a, b in pairs
        )
    pairs_inside = zip(inner_types(left), inner_types(right), strict=True)
    return all(agree(a, b, leaves, names) for a, b in pairs_inside)


# ---- tests


def has_inner(type: DataType, kinds: Any) -> bool:
    """Whether the type, or a type inside it, is of the given classes. Atomic types
    are checked first, since this is called often."""
    if isinstance(type, NESTED):
        return any(isinstance(inner, kinds) for inner in nested_types(type))
    return isinstance(type, kinds)


def has_collation(type: DataType) -> bool:
    """Whether the type contains strings with another collation than UTF8_BINARY."""
    if isinstance(type, NESTED):
        return any(map(is_collated, nested_types(type)))
    return isinstance(type, StringType) and is_collated(type)


def has_time(type: DataType) -> bool:
    return has_inner(type, TimeType)


def has_geospatial(type: DataType) -> bool:
    return has_inner(type, GEOSPATIAL)


def has_opaque(type: DataType) -> bool:
    """Whether the type contains geospatial or user-defined types, which few functions accept."""
    return has_inner(type, OPAQUE)


def has_user_type(type: DataType) -> bool:
    return has_inner(type, UserDefinedType)


def has_variant(type: DataType) -> bool:
    """Whether the type contains variants, which have no order and cannot be compared."""
    return has_inner(type, VariantType)


def has_length_limit(type: DataType) -> bool:
    """Whether the type contains CHAR(n) or VARCHAR(n)."""
    return has_inner(type, CharType | VarcharType)


def same_type(left: DataType, right: DataType) -> bool:
    """Whether both types are equal, ignoring inner nullability and the case of field names (DataTypeUtils.sameType)."""
    if not isinstance(left, NESTED):
        return left == right
    return agree(left, right, eq, lambda a, b: a.lower() == b.lower())


def same_spelling(left: DataType, right: DataType) -> bool:
    """Like `same_type`, but with the same case of field names: DuckDB treats structs with `x` and `X` as different."""
    return same_type(left, right) and (not isinstance(left, NESTED) or left.simpleString() == right.simpleString())


def same_structure(left: DataType, right: DataType) -> bool:
    """Whether both have the same types in the same order, ignoring field names (DataType.equalsStructurally)."""
    return agree(left, right, eq)


# ---- rewrites


def stored_type(type: DataType) -> DataType:
    """The type with every user-defined type in it replaced by its SQL type."""
    if not has_user_type(type):
        return type
    return rewrite_leaves(type, lambda t: stored_type(t.sqlType()) if isinstance(t, UserDefinedType) else t)


def plain_type(type: DataType) -> DataType:
    """The type with STRING instead of CHAR and VARCHAR."""
    return rewrite_leaves(type, lambda t: StringType() if isinstance(t, CharType | VarcharType) else t)


def as_nullable(type: DataType) -> DataType:
    """The type with all its elements, values and fields nullable (DataType.asNullable)."""
    return fold_type(type, nullable_of)


def nullable_of(type: DataType, inner: list[DataType]) -> DataType:
    if isinstance(type, ArrayType):
        return ArrayType(inner[0], True)
    if isinstance(type, MapType):
        return MapType(inner[0], inner[1], True)
    if isinstance(type, StructType):
        pairs = zip(type.fields, inner, strict=True)
        return StructType([StructField(f.name, each, True, f.metadata) for f, each in pairs])
    return type
