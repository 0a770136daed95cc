"""JSON functions: the extension reads and writes JSON as Jackson does."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.registry import GENERATOR, fn
from twinspark.functions.typing import Call, Typed
from twinspark.types import STRING, StructField, StructType, is_string

fn("get_json_object(string, string) -> string?", "spark_get_json_object({0}, {1})")
fn("json_array_length(string) -> int?", "spark_json_array_length({0})")
fn("json_object_keys(string) -> array<string?>?", "spark_json_object_keys({0})")


def tuple_type(call: Call) -> Typed:
    if len(call.arguments) < 2 or not all(map(is_string, call.types)):
        raise NotNative("json_tuple of what are no strings")
    fields = [StructField(f"c{i}", STRING, True) for i in range(len(call.arguments) - 1)]
    return Typed(StructType(fields), False)


fn("json_tuple(any, any...)", "", kind=GENERATOR, rule=tuple_type)
