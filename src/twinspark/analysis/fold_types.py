"""What a merge gives, taken as what the fold began with: Spark looks at the parts of the types, not at their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twinspark.analysis.casts import cast, implicit_cast
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Case, Cast, GetField, Lambda, Literal, MakeStruct, Variable
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DataType, MapType, StructField, StructType, is_null, same_letters

SEES_NO_NULLABILITY = frozenset({"+", "-", "*", "/", "struct", "named_struct", "concat", "greatest", "least"})
PLAIN = (Case, Cast, GetField, Literal, MakeStruct, Variable)


def merged_as(
    zero: DataType, functions: list[Lambda], settings: Settings, without_nulls: Callable[[], Lambda]
) -> Lambda:
    """The merge of `functions`, the first one, with its body under the names of `zero`; else as it is."""
    merge = functions[0]
    if is_null(merge.type):
        return replace(merge, body=implicit_cast(merge.body, zero, settings), type=zero)
    names = renamed(merge.type, zero)
    if names is None:
        return merge
    if loses_nulls(merge.type, zero) and is_lossy(without_nulls(), zero):
        check_nulls_are_kept(functions)
    body = merge.body if same_letters(merge.type, names) else cast(merge.body, names, settings, shown=False)
    return replace(merge, body=body, type=zero)


def is_lossy(merge: Lambda, zero: DataType) -> bool:
    return merge.nullable or loses_nulls(merge.type, zero)


def check_nulls_are_kept(functions: list[Lambda]) -> None:
    """A null where the type says there is none: only what never asks the type gives what Spark's interpreter does."""
    if len(functions) < 2 or not functions[-1].nullable:
        raise NotNative("aggregate of what may be null where its beginning says it is not")
    for function in functions:
        for node in walk(function.body):
            if not isinstance(node, PLAIN) and not (isinstance(node, Call) and node.name in SEES_NO_NULLABILITY):
                raise NotNative("aggregate of what may be null where its beginning says it is not")


def renamed(type: DataType, like: DataType) -> DataType | None:
    """The type with the names of another of the same parts (DataType.equalsStructurally); None if they differ."""
    if isinstance(type, StructType) and isinstance(like, StructType) and len(type.fields) == len(like.fields):
        return renamed_struct(type, like)
    if isinstance(type, ArrayType) and isinstance(like, ArrayType):
        element = renamed(type.elementType, like.elementType)
        return None if element is None else ArrayType(element, type.containsNull)
    if isinstance(type, MapType) and isinstance(like, MapType):
        key, value = renamed(type.keyType, like.keyType), renamed(type.valueType, like.valueType)
        return None if key is None or value is None else MapType(key, value, type.valueContainsNull)
    return type if type == like else None


def renamed_struct(type: StructType, like: StructType) -> StructType | None:
    types = [renamed(a.dataType, b.dataType) for a, b in zip(type.fields, like.fields, strict=True)]
    fields = [
        StructField(b.name, found, a.nullable)
        for a, b, found in zip(type.fields, like.fields, types, strict=True)
        if found is not None
    ]
    return StructType(fields) if len(fields) == len(types) else None


def loses_nulls(type: DataType, like: DataType) -> bool:
    """Whether somewhere inside a null may stand where `like` has none."""
    if isinstance(type, StructType) and isinstance(like, StructType):
        pairs = zip(type.fields, like.fields, strict=True)
        return any((a.nullable and not b.nullable) or loses_nulls(a.dataType, b.dataType) for a, b in pairs)
    if isinstance(type, ArrayType) and isinstance(like, ArrayType):
        return (type.containsNull and not like.containsNull) or loses_nulls(type.elementType, like.elementType)
    if isinstance(type, MapType) and isinstance(like, MapType):
        lost = type.valueContainsNull and not like.valueContainsNull
        return lost or loses_nulls(type.keyType, like.keyType) or loses_nulls(type.valueType, like.valueType)
    return False
