"""Nullability of an array element, by its index and its array (GetArrayItemUtil)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.typing import Call, is_foldable
from twinspark.types import ArrayType


def constant_index(argument: Any) -> int | None:
    """The index if it is a literal; falls back for an index that is computed from constants."""
    plain = getattr(argument, "child", argument)
    if isinstance(getattr(plain, "value", None), int):
        return int(plain.value)
    if is_foldable(argument) and argument.nullable is False:
        raise NotNative(reasons.ARRAY_INDEX, "an index computed from constants")
    return None


# (index, size) -> the element's position from zero, or None if it is outside
Position = Callable[[int, int], int | None]


def from_zero(index: int, size: int) -> int | None:
    return index if 0 <= index < size else None


def from_one(index: int, size: int) -> int | None:
    position = index - 1 if index > 0 else size + index
    return position if 0 <= position < size else None


def element_nullable(call: Call, fails: bool, position: Position) -> bool:
    """GetArrayItemUtil.computeNullabilityFromArray."""
    array, index = call.arguments[0], constant_index(call.arguments[1])
    assert isinstance(array.type, ArrayType)
    if index is None:
        nullable = bool(array.type.containsNull or array.nullable) if fails else True
        if not nullable and call.arguments[1].nullable:
            raise NotNative(reasons.ARRAY_INDEX, "an index that may be null, for an element that is never null")
        return nullable
    if getattr(array, "name", "") == "getarraystructfields" and getattr(array.arguments[0], "name", "") == "array":
        return field_nullable(array) or indexed_nullable(array.arguments[0], index, fails, position)
    if getattr(array, "name", "") != "array" or is_lateral_alias(array):
        return True
    return indexed_nullable(array, index, fails, position)


def is_lateral_alias(array: Any) -> bool:
    """A column of the same SELECT list: to Spark an attribute of a projection below."""
    return bool(array.text.startswith("lateralAliasReference("))


def field_nullable(fields: Any) -> bool:
    """Whether a field of the structs in an array may be null."""
    element = fields.arguments[0].type.elementType
    return bool(element[fields.arguments[1].value].nullable)


def indexed_nullable(array: Any, index: int, fails: bool, position: Position) -> bool:
    if index == 0 and position is from_one:
        return False
    return array_call_nullable(array.arguments, position(index, len(array.arguments)), fails)


def array_call_nullable(elements: Sequence[Any], index: int | None, fails: bool) -> bool:
    return not fails if index is None else bool(elements[index].nullable)
