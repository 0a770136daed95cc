"""The types of a lambda's parameters, by function: (the other arguments, how many parameters) -> types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinspark.errors import NotNative
from twinspark.types import INT, ArrayType, DataType, MapType

Types = list[tuple[DataType, bool]]


def element_of(argument: Any) -> tuple[DataType, bool]:
    if not isinstance(argument.type, ArrayType):
        raise NotNative("a lambda over what is no array")
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
        raise NotNative("a lambda over what is no map")
    return [(type.keyType, False), (type.valueType, type.valueContainsNull)]


def gathered(arguments: Sequence[Any], count: int) -> Types:
    """Of aggregate: what was gathered, which may be null whatever it began with, and an element."""
    return [(arguments[1].type, True), element_of(arguments[0])][:count]


def key_and_values(arguments: Sequence[Any], count: int) -> Types:
    """Of map_zip_with: a key, and the values that either map may lack."""
    left, right = (a.type for a in arguments[:2])
    if not isinstance(left, MapType) or not isinstance(right, MapType):
        raise NotNative("a lambda over what is no map")
    return [(left.keyType, False), (left.valueType, True), (right.valueType, True)]


PARAMETERS: dict[str, Callable[[Sequence[Any], int], Types]] = {
    "transform": element,
    "filter": element,
    "exists": element,
    "forall": element,
    "any_match": element,
    "zip_with": two_elements,
    "aggregate": gathered,
    "reduce": gathered,
    "map_zip_with": key_and_values,
    "array_sort": same_element_twice,
    "transform_keys": entry,
    "transform_values": entry,
    "map_filter": entry,
}

# Where the functions begin among the arguments, and how many parameters each takes when it is not written as a lambda.
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
