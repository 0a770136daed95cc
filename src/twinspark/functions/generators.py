"""Generators: functions that make several rows of one. The result type is a struct of the columns they give."""

from __future__ import annotations

from typing import Any

from twinspark.functions.registry import GENERATOR, fn
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import INT, ArrayType, MapType, StructField, StructType


def exploded_type(positions: bool) -> Any:
    def rule(call: Call) -> Typed:
        type = call.types[0]
        if isinstance(type, ArrayType):
            fields = [StructField("col", type.elementType, type.containsNull)]
        elif isinstance(type, MapType):
            value = StructField("value", type.valueType, type.valueContainsNull)
            fields = [StructField("key", type.keyType, False), value]
        else:
            raise unexpected_input_type(call, 0, '("ARRAY" or "MAP")')
        return Typed(StructType([StructField("pos", INT, False), *fields] if positions else fields), False)

    return rule


for name in ("explode", "explode_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=exploded_type(False))
for name in ("posexplode", "posexplode_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=exploded_type(True))
