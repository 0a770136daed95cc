"""Checks that there is enough memory for a value before it is built (duck/native/core/memory_check.c).

DuckDB builds strings and lists outside of the memory that it counts against its limit. A function whose result may be
much larger than its arguments passes a number through `spark_room`, with the bytes that it is about to need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from twinspark.functions.notation.sql_text import MARK, LambdaText
from twinspark.types import ArrayType, BinaryType, DataType, MapType, StructType, is_string

SHORT = 16 * 1024  # bytes of a value for which memory is not checked: a vector has 2,048 of them
COPIES = 3  # how many times the bytes of its arguments a call needs: the result is copied once into the vector
FEW = 16  # how often a value of any size may be repeated without a check
# Functions that make large values, as they appear in SQL, and how often || may occur (each may double the size).
GROWING = (
    "spark_room(",
    "spark_room_unfolded(",
    "spark_sequence_unfolded(",
    "list_reduce(",
    "RECURSIVE ",
    "string_agg(",
    "list(",
    "spark_regexp_replace(",
)
MANY_JOINTS = 12
TEXT = re.compile(r"'(?:[^']|'')*'")
COLUMN = re.compile(rf'\bt\d+\.|\bc\d+\b|"|{MARK}|\bvariable_\d')  # t1.id, c0, "name", a lambda's parameter
LONG_LITERAL = 64 * 1024  # characters of a text whose parts are not folded into constants


def room(count: str, bytes: str) -> str:
    """The count as a BIGINT, after a check that there is memory for this many bytes (SQL) in each row of the vector."""
    return f"spark_room(CAST({count} AS BIGINT), CAST({bytes} AS BIGINT))"


def room_unfolded(count: str, bytes: str) -> str:
    """The same for the number that decides how large the value is: DuckDB does not fold what is computed from it."""
    return f"spark_room_unfolded(CAST({count} AS BIGINT), CAST({bytes} AS BIGINT))"


def room_for(value: str, bytes: str) -> str:
    """The value itself, after a check that there is memory for the bytes; for arguments that are not numbers."""
    return f"(CASE WHEN {room('0', bytes)} = 0 THEN {value} END)"


def prevent_folding(value: str) -> str:
    """The value itself, in an expression that DuckDB does not fold."""
    return f"(CASE WHEN {room_unfolded('0', '0')} = 0 THEN {value} END)"


def unfold_list(call: Any, arguments: Sequence[str]) -> list[str]:
    """The arguments of a call that makes a list of constants, the first of which DuckDB does not fold: a list that it
    folds is one Value for each element, of a hundred bytes and more."""
    if not arguments or not isinstance(call.type, ArrayType | MapType) or not all(map(is_constant_sql, arguments)):
        return list(arguments)
    return [prevent_folding(arguments[0]), *arguments[1:]]


def is_constant_sql(argument: str) -> bool:
    """Whether the SQL reads no column and no parameter of a lambda around it."""
    return not isinstance(argument, LambdaText) and COLUMN.search(TEXT.sub("", argument)) is None


def size_of(value: str, type: DataType, depth: int = 0) -> str:
    """SQL of the approximate number of bytes that a value takes in a vector."""
    if is_string(type):
        return f"(16 + strlen({value}))"
    if isinstance(type, BinaryType):
        return f"(16 + octet_length({value}))"
    if isinstance(type, ArrayType):
        return size_of_array(value, type.elementType, depth)
    return "64"


def size_of_array(value: str, element: DataType, depth: int) -> str:
    if not isinstance(element, ArrayType | BinaryType) and not is_string(element):
        return f"(16 + 16 * len({value}))"
    each = size_of(f"room_{depth}_", element, depth + 1)
    return f"(16 + coalesce(list_sum(list_transform({value}, lambda room_{depth}_: {each})), 0))"


def is_growing(text: str) -> bool:
    """Whether a statement can build values that are much larger than its input."""
    return text.count(" || ") > MANY_JOINTS or any(each in text for each in GROWING)


def with_room(call: Any, arguments: Sequence[str]) -> list[str]:
    """The arguments of a call, one of which checks for memory if the result may be large.

    An argument and not the result, since DuckDB folds a constant result before it evaluates the condition."""
    large = [i for i, each in enumerate(call.arguments) if is_large(each.type) and is_computed(each)]
    if not large or not (is_large(call.type) or isinstance(call.type, MapType | StructType)):
        return list(arguments)
    sizes = (f"coalesce({size_of(arguments[i], call.arguments[i].type)}, 0)" for i in large)
    checked = room_for(arguments[large[0]], f"{COPIES} * ({' + '.join(sizes)})")
    return [checked if i == large[0] else argument for i, argument in enumerate(arguments)]


def with_room_each(body: str, type: DataType, parameter: str) -> str:
    """A lambda's body that checks for memory for every element; it reads its parameter so that DuckDB does not fold
    it."""
    return room_for(body, f"{COPIES} * coalesce({size_of(body, type)}, 0) + CAST({parameter} IS NULL AS INTEGER)")


def is_computed(argument: Any) -> bool:
    """Neither a constant nor a lambda."""
    return not hasattr(argument, "value") and not hasattr(argument, "body")


def is_large(type: DataType) -> bool:
    return is_string(type) or isinstance(type, BinaryType | ArrayType)
