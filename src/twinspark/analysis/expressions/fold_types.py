"""The result type of `aggregate` and `reduce`: Spark compares the merge function's type with that of the initial value
by structure and ignores field names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twinspark.analysis.expressions.casts import cast, implicit_cast, may_raise
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Case, Cast, GetField, Lambda, Literal, MakeStruct, Variable
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DataType, MapType, StructField, StructType, is_null, same_spelling

SEES_NO_NULLABILITY = frozenset({"+", "-", "*", "/", "struct", "named_struct", "concat", "greatest", "least"})
PLAIN = (Case, Cast, GetField, Literal, MakeStruct, Variable)


def merged_as(
    zero: DataType, functions: list[Lambda], settings: Settings, without_nulls: Callable[[], Lambda]
) -> Lambda:
    """Gives the first of `functions`, the merge, the field names of the initial value `zero`, if the structures
    agree."""
    merge = functions[0]
    if is_null(merge.type):
        if may_raise(merge.body):
            raise NotNative(reasons.ERROR_TIMING, "a fold whose untyped function raises an error")
        return replace(merge, body=implicit_cast(merge.body, zero, settings), type=zero)
    names = with_names_of(merge.type, zero)
    if names is None:
        return merge
    if loses_nulls(merge.type, zero) and is_lossy(without_nulls(), zero):
        check_nulls_are_kept(functions)
    body = merge.body if same_spelling(merge.type, names) else cast(merge.body, names, settings, shown=False)
    return replace(merge, body=body, type=zero)


def is_lossy(merge: Lambda, zero: DataType) -> bool:
    return merge.nullable or loses_nulls(merge.type, zero)


def check_nulls_are_kept(functions: list[Lambda]) -> None:
    """If the merge may return null where the type of `zero` has none, only functions that do not depend on nullability
    give the same result as Spark's interpreter."""
    if len(functions) < 2 or not functions[-1].nullable:
        raise NotNative(
            reasons.LAMBDA, "the lambda of aggregate() may return null although its start value is not nullable"
        )
    for function in functions:
        for node in walk(function.body):
            if not isinstance(node, PLAIN) and not (isinstance(node, Call) and node.name in SEES_NO_NULLABILITY):
                raise NotNative(
                    reasons.LAMBDA, "the lambda of aggregate() may return null although its start value is not nullable"
                )


def with_names_of(type: DataType, like: DataType) -> DataType | None:
    """`type` with the field names of a type of the same structure (DataType.equalsStructurally); None if they
    differ."""
    if isinstance(type, StructType) and isinstance(like, StructType) and len(type.fields) == len(like.fields):
        return struct_with_names_of(type, like)
    if isinstance(type, ArrayType) and isinstance(like, ArrayType):
        element = with_names_of(type.elementType, like.elementType)
        return None if element is None else ArrayType(element, type.containsNull)
    if isinstance(type, MapType) and isinstance(like, MapType):
        key, value = with_names_of(type.keyType, like.keyType), with_names_of(type.valueType, like.valueType)
        return None if key is None or value is None else MapType(key, value, type.valueContainsNull)
    return type if type == like else None


def struct_with_names_of(type: StructType, like: StructType) -> StructType | None:
    types = [with_names_of(a.dataType, b.dataType) for a, b in zip(type.fields, like.fields, strict=True)]
    fields = [
        StructField(b.name, found, a.nullable)
        for a, b, found in zip(type.fields, like.fields, types, strict=True)
        if found is not None
    ]
    return StructType(fields) if len(fields) == len(types) else None


def loses_nulls(type: DataType, like: DataType) -> bool:
    """Whether a nested value may be null where `like` allows no null."""
    if isinstance(type, StructType) and isinstance(like, StructType):
        pairs = zip(type.fields, like.fields, strict=True)
        return any((a.nullable and not b.nullable) or loses_nulls(a.dataType, b.dataType) for a, b in pairs)
    if isinstance(type, ArrayType) and isinstance(like, ArrayType):
        return (type.containsNull and not like.containsNull) or loses_nulls(type.elementType, like.elementType)
    if isinstance(type, MapType) and isinstance(like, MapType):
        lost = type.valueContainsNull and not like.valueContainsNull
        return lost or loses_nulls(type.keyType, like.keyType) or loses_nulls(type.valueType, like.valueType)
    return False
