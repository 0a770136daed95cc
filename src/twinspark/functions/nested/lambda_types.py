"""The types of the parameters of lambda functions, for each higher-order function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.types import INT, ArrayType, DataType, MapType

Types = list[tuple[DataType, bool]]


def element_of(argument: Any) -> tuple[DataType, bool]:
    if not isinstance(argument.type, ArrayType):
        raise NotNative(reasons.LAMBDA, "over a value that is not an array")
    return argument.type.elementType, argument.type.containsNull


def element(arguments: Sequence[Any], count: int) -> Types:
    return [element_of(arguments[0]), (INT, False)][:count]


def two_elements(arguments: Sequence[Any], count: int) -> Types:
    return [(element_of(a)[0], True) for a in arguments[:2]]


def same_element_twice(arguments: Sequence[Any], count: int) -> Types:
    return [element_of(arguments[0])] * 2


def entry(arguments: Sequence[Any], count: int) -> Types:
    type = arguments[0].type
    if not isinstance(type, MapType):
        raise NotNative(reasons.LAMBDA, "over a value that is not a map")
    return [(type.keyType, False), (type.valueType, type.valueContainsNull)]


def aggregate_parameters(arguments: Sequence[Any], count: int) -> Types:
    """For `aggregate`: the accumulator, which is always nullable, and an element."""
    return [(arguments[1].type, True), element_of(arguments[0])][:count]


def key_and_values(arguments: Sequence[Any], count: int) -> Types:
    """For map_zip_with: a key, and the values of both maps, which may be missing."""
    left, right = (a.type for a in arguments[:2])
    if not isinstance(left, MapType) or not isinstance(right, MapType):
        raise NotNative(reasons.LAMBDA, "over a value that is not a map")
    return [(left.keyType, False), (left.valueType, True), (right.valueType, True)]


PARAMETERS: dict[str, Callable[[Sequence[Any], int], Types]] = {
    "transform": element,
    "filter": element,
    "exists": element,
    "forall": element,
    "any_match": element,
    "zip_with": two_elements,
    "aggregate": aggregate_parameters,
    "reduce": aggregate_parameters,
    "map_zip_with": key_and_values,
    "array_sort": same_element_twice,
    "transform_keys": entry,
    "transform_values": entry,
    "map_filter": entry,
}

# For each function: the index of its first lambda argument, and how many parameters a lambda takes if it is given by
# name.
FUNCTION_PLACES: dict[str, tuple[int, ...]] = {
    "transform": (1, 1),
    "filter": (1, 1),
    "exists": (1, 1),
    "forall": (1, 1),
    "any_match": (1, 1),
    "zip_with": (2, 2),
    "aggregate": (2, 2, 1),
    "reduce": (2, 2, 1),
    "map_zip_with": (2, 3),
    "array_sort": (1, 2),
    "transform_keys": (1, 2),
    "transform_values": (1, 2),
    "map_filter": (1, 2),
}
