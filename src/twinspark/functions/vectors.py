"""Vectors: arrays of floats and nothing else, multiplied and measured in C."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.registry import AGGREGATE, SPARK, Rule, fn
from twinspark.functions.typing import Call, Typed
from twinspark.types import FLOAT, ArrayType, DataType, FloatType

ORDER = "the last bits depend on how Spark splits the rows"


def is_vector(type: DataType) -> bool:
    return isinstance(type, ArrayType) and isinstance(type.elementType, FloatType)


def of_vectors(call: Call) -> Typed:
    """Nothing is cast: an array of doubles is refused."""
    if not all(map(is_vector, call.types)):
        raise NotNative(f"{call.name} of what are no arrays of floats")
    return Typed(FLOAT, True)


def of_degree(result: DataType) -> Rule:
    def rule(call: Call) -> Typed:
        if not is_vector(call.types[0]) or not all(isinstance(type, FloatType) for type in call.types[1:]):
            raise NotNative(f"{call.name} of what is no array of floats, or by what is no float")
        return Typed(result, True, (None, FLOAT))

    return rule


def gathered(call: Call) -> Typed:
    if not is_vector(call.types[0]):
        raise NotNative(f"{call.name} of what are no arrays of floats")
    return Typed(ArrayType(FLOAT, False), True)


for name in ("vector_inner_product", "vector_cosine_similarity", "vector_l2_distance"):
    fn(f"{name}(any, any)", f"spark_{name}({{0}}, {{1}})", rule=of_vectors)
fn("vector_norm(any, any = 2.0)", "spark_vector_norm({0}, {1})", rule=of_degree(FLOAT), shows_defaults=True)
fn(
    "vector_normalize(any, any = 2.0)",
    "spark_vector_normalize({0}, {1})",
    rule=of_degree(ArrayType(FLOAT, True)),
    shows_defaults=True,
)
for name in ("vector_sum", "vector_avg"):
    fn(f"{name}(any)", SPARK, kind=AGGREGATE, rule=gathered, reason=ORDER)
